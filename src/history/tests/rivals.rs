//! Who did what to whom.

use crate::history::{self, Filter, PageAt, Standing, Subject};
use crate::store::tests::fake::{Pen, match_id, new_match, new_session, opened, received};
use crate::store::types::SeatRow;
use crate::store::{LedgerRow, MatchResult, MatchRow, NewSession, Side, Store};
use games::{Bluff, Cause, Fact};
use serde_json::json;

/// A session's bluff, as its seat reports it.
async fn report(store: &Store, pen: &mut Pen, by: &str, bid: i64, held: Option<i64>) {
    let mut append = pen.append(vec![received("fact")]);
    let columns = Bluff {
        by: by.to_owned(),
        bid,
        held,
        caught: true,
    };
    append
        .facts
        .push((Fact::new("bluffed", json!({})), Some(columns)));
    pen.send(store, append).await;
}

async fn bids(store: &Store) -> Vec<(Option<u8>, i64, Option<i64>)> {
    let page = history::bluffs(store.reader(), &Filter::default(), &PageAt::first(50))
        .await
        .unwrap();
    let rows = page.items.into_iter();
    rows.map(|row| (row.seat, row.bid_at_least, row.held))
        .collect()
}

#[tokio::test]
async fn a_bid_that_may_have_been_more_is_shown_as_at_least() {
    let (_folder, store) = opened().await;
    let mut pen = Pen::player(&store, 1);
    for (bid, known) in [(100, None), (150, Some(150))] {
        let mut append = pen.append(vec![received("fact")]);
        let fact = json!({ "by": "W", "bid": known, "bid_at_least": bid });
        let columns = Bluff {
            by: "W".to_owned(),
            bid,
            held: Some(10),
            caught: true,
        };
        append
            .facts
            .push((Fact::new("bluffed", fact), Some(columns)));
        pen.send(&store, append).await;
    }
    let page = history::bluffs(store.reader(), &Filter::default(), &PageAt::first(50)).await;
    let rows = page.unwrap().items.into_iter();
    let bids: Vec<_> = rows.map(|row| (row.bid, row.bid_at_least)).collect();
    assert_eq!(bids, [(Some(150), 150), (None, 100)]);
}

#[tokio::test]
async fn each_bluff_is_counted_once_as_the_best_informed_seat_has_it() {
    let (_folder, store) = opened().await;
    // Our referee's match: seat 1 bluffed, seat 0 noticed, and a player's session sits on seat 1 as well.
    let seat = |side, seat| new_session(1, side, seat);
    let mut first = Pen::new(&store, Some(new_match(1, true)), seat(Side::Referee, 0));
    report(&store, &mut first, "W", 100, None).await;
    let mut player = Pen::new(&store, None, seat(Side::Player, 1));
    report(&store, &mut player, "S", 190, Some(90)).await;
    let mut second = Pen::new(&store, None, seat(Side::Referee, 1));
    report(&store, &mut second, "S", 190, Some(90)).await;
    assert_eq!(
        bids(&store).await.len(),
        3,
        "while it runs, each shows its own"
    );
    for pen in [&mut first, &mut player, &mut second] {
        pen.end(&store, vec![3, 1], 0).await;
    }
    let result = MatchResult::new(9, Cause::Normal, vec![3, 1]);
    store.close_match(&match_id(1), result).await.unwrap();
    assert_eq!(bids(&store).await, [(Some(1), 190, Some(90))]);

    // A foreign referee's match with two of our seats: both noticed the bluff of seat 3.
    let mut one = Pen::player(&store, 2);
    let mut other = Pen::new(&store, None, new_session(2, Side::Player, 1));
    report(&store, &mut one, "E", 60, None).await;
    report(&store, &mut other, "N", 60, None).await;
    assert_eq!(
        bids(&store).await,
        [(Some(3), 60, None), (Some(1), 190, Some(90))]
    );
}

#[tokio::test]
async fn a_bots_record_against_each_rival() {
    let (_folder, store) = opened().await;
    for number in 1..=20 {
        let mut row = MatchRow {
            ours: true,
            ..new_match(number, true)
        };
        row.seats[0].spec = "builtin:champion".to_owned();
        row.seats[1].spec = "cmd:./mybot".to_owned();
        row.seats[1].name = (number % 4 > 0).then(|| "alice".to_owned());
        let session = NewSession {
            bot: "builtin:champion".to_owned(),
            ..new_session(number, Side::Referee, 0)
        };
        let mut pen = Pen::new(&store, Some(row), session);
        report(&store, &mut pen, "W", 90, Some(40)).await;
        store.note_ledger(LedgerRow {
            session: pen.id,
            entry: pen.previous.unwrap(),
            at_us: 5,
            queued_us: 0,
            thought_us: 10,
            committed_us: 20,
            sent_us: 30 * number as u32,
            limit_us: 500,
            fallback: number == 1,
        });
        pen.end(&store, vec![1, 0], 0).await;
        // The champion wins the first ten.
        let scores = if number <= 10 { vec![2, 1] } else { vec![1, 2] };
        let mut result = MatchResult::new(9, Cause::Normal, scores);
        if number == 20 {
            result = MatchResult {
                blame: Some(1),
                ..MatchResult::new(9, Cause::Crash, vec![])
            };
        }
        store.close_match(&match_id(number), result).await.unwrap();
    }
    while history::ledger_newest(store.reader(), 20)
        .await
        .unwrap()
        .len()
        < 20
    {
        tokio::task::yield_now().await;
    }
    let all = history::versus(
        store.reader(),
        "toy",
        Subject::Bot("champion"),
        i64::MAX,
        &str::to_owned,
    )
    .await
    .unwrap();
    let rivals: Vec<_> = all
        .iter()
        .map(|versus| (versus.rival.as_str(), versus.all.games))
        .collect();
    assert_eq!(rivals, [("alice", 15), ("cmd:./mybot", 4)]);
    let alice = &all[0];
    assert_eq!((alice.all.won, alice.all.tied, alice.all.lost), (8, 0, 7));
    assert!((alice.all.pair_score - 8.0 / 15.0).abs() < 1e-9);
    assert!(
        alice.all.pair_score_low > 0.2
            && alice.all.pair_score_low < alice.all.pair_score
            && alice.all.pair_score_high < 0.9
    );
    assert_eq!(alice.seats.keys().collect::<Vec<_>>(), [&0]);
    assert_eq!(alice.places[&1], alice.all);
    let trend = alice.trend.as_ref().unwrap();
    assert!(trend.change < -0.8 && trend.high < 0.0, "{trend:?}");
    assert!(trend.low >= -1.0 && trend.low <= trend.change, "{trend:?}");
    assert_eq!((alice.matches, alice.detailed, alice.hidden), (15, 15, 0));
    assert_eq!(alice.win_share, Some(8.0 / 15.0));
    assert_eq!(alice.causes["normal"], 15);
    assert_eq!(alice.rival_bluffs.count, 15);
    assert_eq!(
        (alice.rival_bluffs.bid, alice.rival_bluffs.over),
        (Some(90.0), Some(50.0))
    );
    assert_eq!(alice.own_bluffs.count, 0);
    let times = &alice.own_times;
    assert_eq!((times.decisions, times.fallbacks, times.late), (15, 1, 3));
    assert_eq!(
        (times.sent_ms_p50, times.sent_ms_max),
        (Some(0.3), Some(0.57))
    );
    assert_eq!(
        (all[1].causes["crash"], all[1].rival_blamed, all[1].blamed),
        (1, 1, 0)
    );

    let from = history::versus(
        store.reader(),
        "toy",
        Subject::Opponent("alice"),
        8,
        &str::to_owned,
    )
    .await
    .unwrap();
    assert_eq!(
        (from.len(), from[0].rival.as_str(), from[0].all.games),
        (1, "champion", 15)
    );
    // What is not public yet shows only its result.
    assert_eq!(
        (from[0].rival_bluffs.count, from[0].own_times.decisions),
        (0, 0)
    );
    assert_eq!((from[0].detailed, from[0].hidden), (0, 15));
    let nobody = history::versus(
        store.reader(),
        "toy",
        Subject::Bot("nobody"),
        i64::MAX,
        &str::to_owned,
    )
    .await
    .unwrap();
    assert!(nobody.is_empty());
}

/// A match of our own referee of which only seats and results are kept, and one seat's session.
async fn seated(store: &Store, number: u64, specs: &[&str], scores: Vec<i64>) {
    let mut row = MatchRow {
        ours: true,
        ..new_match(number, true)
    };
    let seats = (0..).zip(specs).map(|(seat, spec)| SeatRow {
        seat,
        spec: (*spec).to_owned(),
        ..SeatRow::default()
    });
    row.seats = seats.collect();
    let session = NewSession {
        bot: specs[0].to_owned(),
        ..new_session(number, Side::Referee, 0)
    };
    let mut pen = Pen::new(store, Some(row), session);
    pen.end(store, scores.clone(), 0).await;
    let result = MatchResult::new(9, Cause::Normal, scores);
    store.close_match(&match_id(number), result).await.unwrap();
}

#[tokio::test]
async fn meetings_of_one_match_are_one_match() {
    let (_folder, store) = opened().await;
    let champion = "builtin:champion";
    for number in 1..=4 {
        let specs = [champion, champion, champion, "builtin:evolved"];
        seated(&store, number, &specs, vec![4, 3, 2, 1]).await;
    }
    let subject = Subject::Bot("champion");
    let all = history::versus(store.reader(), "toy", subject, i64::MAX, &str::to_owned)
        .await
        .unwrap();
    let met = |rival: &str| all.iter().find(|versus| versus.rival == rival).unwrap();
    // Itself in three pairs a match, each counted from its lower seat.
    let itself = met("champion");
    assert_eq!(
        (itself.matches, itself.all.games, itself.all.won),
        (4, 12, 12)
    );
    assert_eq!(itself.causes["normal"], 4);
    // What a record counts is what a filter finds: itself and the other, in each of the four.
    for (rival, between, count) in [
        ("champion", None, 4),
        ("evolved", Some(Standing::Won), 4),
        ("evolved", Some(Standing::Lost), 0),
        ("nobody", None, 0),
    ] {
        let filter = Filter {
            bot: Some("champion".to_owned()),
            opponent: Some(rival.to_owned()),
            between,
            ..Filter::default()
        };
        let page = history::matches(store.reader(), &filter, &PageAt::first(3))
            .await
            .unwrap();
        let after = page.next.clone();
        let rest = PageAt { after, limit: 3 };
        let rest = match page.next {
            Some(_) => history::matches(store.reader(), &filter, &rest)
                .await
                .unwrap()
                .items
                .len(),
            None => 0,
        };
        assert_eq!(page.items.len() + rest, count, "{filter:?}");
    }
    let evolved = met("evolved");
    assert_eq!(
        (evolved.matches, evolved.all.games, evolved.all.won),
        (4, 12, 12)
    );
    assert_eq!(evolved.causes["normal"], 4);
    assert_eq!(evolved.win_share, Some(1.0 / 3.0));
    assert!(
        evolved.all.pair_score_low < 0.6,
        "four matches, not twelve: {evolved:?}"
    );
    assert_eq!(evolved.trend, None, "too few matches");
    // Seats that only our referee knows count as sessions do.
    let record = history::bot_record(store.reader(), "toy", "evolved", i64::MAX)
        .await
        .unwrap();
    assert_eq!((record.won, record.tied, record.lost), (0, 0, 4));
    let record = history::bot_record(store.reader(), "toy", "champion", i64::MAX)
        .await
        .unwrap();
    assert_eq!((record.won, record.tied, record.lost), (4, 0, 8));
    for (bot, count) in [("evolved", 4), ("champion", 4), ("nobody", 0)] {
        let filter = Filter {
            bot: Some(bot.to_owned()),
            ..Filter::default()
        };
        let page = history::matches(store.reader(), &filter, &PageAt::first(50))
            .await
            .unwrap();
        assert_eq!(page.items.len(), count, "{bot}");
    }
}

#[tokio::test]
async fn a_bot_behind_our_own_address_is_met_as_itself() {
    let (_folder, store) = opened().await;
    for (number, spec) in [
        (1, "builtin:face"),
        (2, "url:http://127.0.0.1:1/toy/face"),
        (3, "url:http://192.0.2.7/toy/face"),
        (4, "url:http://127.0.0.1:1/toy/champion"),
    ] {
        seated(&store, number, &["builtin:champion", spec], vec![2, 1]).await;
        if let Some(bot) = spec.strip_prefix("url:http://127.0.0.1:1/toy/") {
            let session = NewSession {
                bot: bot.to_owned(),
                ..new_session(number, Side::Player, 1)
            };
            let mut pen = Pen::new(&store, None, session);
            pen.end(&store, vec![1, 2], 0).await;
        }
    }
    for (subject, expected) in [
        (
            Subject::Bot("champion"),
            // Itself once: from its lower seat.
            &[
                ("face", 2),
                ("champion", 1),
                ("url:http://192.0.2.7/toy/face", 1),
            ][..],
        ),
        (Subject::Bot("face"), &[("champion", 2)][..]),
        (Subject::Type("face"), &[("champion", 2)][..]),
    ] {
        let met = history::versus(store.reader(), "toy", subject, i64::MAX, &str::to_owned);
        let met = met.await.unwrap();
        let met = met.iter().map(|one| (one.rival.as_str(), one.all.games));
        assert_eq!(met.collect::<Vec<_>>(), expected, "{subject:?}");
    }
    for (opponent, between, numbers) in [
        ("face", Some(Standing::Won), &[2_u64, 1][..]),
        ("builtin:face", Some(Standing::Won), &[2, 1][..]),
        ("face", Some(Standing::Lost), &[][..]),
        ("champion", Some(Standing::Won), &[4][..]),
        ("builtin:champion", None, &[4][..]),
    ] {
        let filter = Filter {
            bot: Some("champion".to_owned()),
            opponent: Some(opponent.to_owned()),
            between,
            ..Filter::default()
        };
        let page = history::matches(store.reader(), &filter, &PageAt::first(9)).await;
        let found = page.unwrap().items.into_iter().map(|row| row.market);
        let found: Vec<u64> = found.collect();
        assert_eq!(found, numbers, "{opponent} {between:?}");
    }
}

#[tokio::test]
async fn bluffs_are_found_by_the_bots_name() {
    let (_folder, store) = opened().await;
    let session = NewSession {
        bot: "builtin:champion".to_owned(),
        ..new_session(1, Side::Player, 0)
    };
    let mut pen = Pen::new(&store, Some(new_match(1, true)), session);
    report(&store, &mut pen, "S", 60, Some(20)).await;
    for (bot, count) in [("champion", 1), ("builtin:champion", 1), ("champ", 0)] {
        let filter = Filter {
            bot: Some(bot.to_owned()),
            ..Filter::default()
        };
        let page = history::bluffs(store.reader(), &filter, &PageAt::first(50))
            .await
            .unwrap();
        assert_eq!(page.items.len(), count, "{bot}");
    }
}

#[tokio::test]
async fn a_learnt_type_is_met_as_the_bot_of_its_name() {
    let (_folder, store) = opened().await;
    for number in 1..=3 {
        let mut row = new_match(number, true);
        let specs = ["builtin:champion", "builtin:bluffer"];
        for (seat, spec) in row.seats.iter_mut().zip(specs) {
            seat.spec = spec.to_owned();
        }
        let mut row = Some(row);
        for (seat, spec) in specs.into_iter().enumerate() {
            let session = NewSession {
                bot: spec.to_owned(),
                ..new_session(number, Side::Referee, seat as u8)
            };
            let mut pen = Pen::new(&store, row.take(), session);
            pen.end(&store, vec![2, 1], 0).await;
        }
        let result = MatchResult::new(9, Cause::Normal, vec![2, 1]);
        store.close_match(&match_id(number), result).await.unwrap();
    }
    let met = history::versus(
        store.reader(),
        "toy",
        Subject::Type("bluffer"),
        i64::MAX,
        &str::to_owned,
    );
    let met = met.await.unwrap();
    let met: Vec<_> = met
        .iter()
        .map(|versus| (versus.rival.as_str(), versus.all.games, versus.all.won))
        .collect();
    assert_eq!(met, [("champion", 3, 3)]);
    // Both are ours: a bot's results count each of its seats once, whichever side recorded it.
    for (bot, won, lost) in [("champion", 3, 0), ("bluffer", 0, 3)] {
        let record = history::bot_record(store.reader(), "toy", bot, i64::MAX)
            .await
            .unwrap();
        assert_eq!((record.won, record.lost), (won, lost), "{bot}");
    }
}
