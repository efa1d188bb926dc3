//! Lists: filters find what a walk over everything finds, whatever is indexed.

use crate::history::{self, Filter, PageAt, SessionRow, Standing};
use crate::store::salvage;
use crate::store::tests::fake::{
    Pen, database_file, match_id, new_match, new_session, open, opened, received,
};
use crate::store::{MatchResult, MatchRow, NewSession, SeatRow, Side, Store};
use games::rng::Rng;
use games::{Cause, Part, Participation};

const MATCHES: u64 = 60;
const HOUR_US: i64 = 3_600_000_000;

/// A result with how its first seat took part, if that is known.
fn result(number: u64, cause: Cause, scores: Vec<i64>) -> MatchResult {
    let silent = Participation {
        how: Part::Silent,
        ..Participation::played()
    };
    let part = [Some(Participation::played()), Some(silent), None];
    MatchResult {
        participation: vec![part[number as usize % 3].clone()],
        ..MatchResult::new(9, cause, scores)
    }
}

/// Matches of two referees, ours and foreign, with two bots, in all states; one every half an hour.
async fn filled(store: &Store) {
    let mut rng = Rng::new(5, 0);
    for number in 1..=MATCHES {
        let ours = rng.below(2) == 0;
        let referee = format!("referee-{}", rng.below(2));
        let mut row = MatchRow {
            referee: referee.clone(),
            market: 100 + number / 2,
            started_us: HOUR_US / 2 * number as i64,
            ..new_match(number, ours)
        };
        let bot = ["champion", "quick", "bot:mine@1", "bot:mine@2"][rng.below(4) as usize];
        let spec = match bot.starts_with("bot:") {
            true => bot.to_owned(),
            false => format!("builtin:{bot}"),
        };
        row.seats[0].spec = spec.clone();
        row.seats[1].name = (rng.below(3) == 0).then(|| "alice".to_owned());
        row.seats[1].entrant = (rng.below(3) == 0).then(|| "Entrant".to_owned());
        if ours {
            row.seats[1].spec =
                ["builtin:quick", "cmd:./mybot", "bot:mine@1"][rng.below(3) as usize].to_owned();
        }
        if rng.below(6) == 0 {
            // Only results are kept.
            store
                .open_match(MatchRow { ours: true, ..row })
                .await
                .unwrap();
            let scores = vec![i64::from(rng.below(3)), 1];
            let result = result(number, Cause::Normal, scores);
            store.close_match(&match_id(number), result).await.unwrap();
            continue;
        }
        let side = if ours { Side::Referee } else { Side::Player };
        let session = NewSession {
            bot: if ours { spec } else { bot.to_owned() },
            referee,
            market: row.market,
            ..new_session(number, side, 0)
        };
        // Some commands run one of our bots, whose session says so.
        let behind =
            (row.seats[1].spec.starts_with("cmd:") && number % 2 == 0).then(|| NewSession {
                referee: session.referee.clone(),
                market: row.market,
                ..new_session(number, Side::Player, 1)
            });
        let mut pen = Pen::new(store, Some(row), session);
        pen.write(store, vec![received("ask")]).await;
        if let Some(session) = behind {
            Pen::new(store, None, session)
                .end(store, vec![1, 0], 0)
                .await;
        }
        if rng.below(5) == 0 {
            continue;
        }
        pen.end(store, vec![i64::from(rng.below(3)), 1, 0, 0], 0)
            .await;
        if ours && rng.below(4) > 0 {
            let cause = [Cause::Normal, Cause::Stalled][rng.below(2) as usize];
            let scores = vec![i64::from(rng.below(3)), 1];
            let result = result(number, cause, scores);
            store.close_match(&match_id(number), result).await.unwrap();
        }
    }
}

/// Every filter with hits and without.
fn singles() -> Vec<Filter> {
    let mut filters = vec![Filter::default()];
    let mut add = |set: &dyn Fn(&mut Filter)| {
        filters.push(Filter::default());
        filters.iter_mut().last().into_iter().for_each(set);
    };
    let text = |text: &str| Some(text.to_owned());
    for name in ["toy", "referee-0", "champion", "alice", "nobody"] {
        add(&|filter| filter.game = text(name));
        add(&|filter| filter.referee = text(name));
        add(&|filter| filter.bot = text(name));
        add(&|filter| filter.opponent = text(name));
    }
    for bot in ["bot:mine", "bot:mine@2", "bot:min"] {
        add(&|filter| filter.bot = text(bot));
    }
    for opponent in [
        "Entrant",
        "cmd:./mybot",
        "bot:mine@1",
        "builtin:quick",
        "builtin:champion",
        "",
    ] {
        add(&|filter| filter.opponent = text(opponent));
    }
    for outcome in [
        Standing::Live,
        Standing::Won,
        Standing::Tied,
        Standing::Lost,
    ] {
        add(&|filter| filter.outcome = Some(outcome));
    }
    for cause in [Cause::Normal, Cause::Stalled, Cause::Crash] {
        add(&|filter| filter.cause = Some(cause));
    }
    for side in [Side::Player, Side::Referee] {
        add(&|filter| filter.side = Some(side));
    }
    for hours in [0, 10, 29, 500] {
        add(&|filter| filter.since_us = Some(hours * HOUR_US));
        add(&|filter| filter.until_us = Some(hours * HOUR_US));
    }
    for live in [true, false] {
        add(&|filter| filter.live = Some(live));
    }
    for market in [110, 0] {
        add(&|filter| filter.market = Some(market));
    }
    for entrant in ["Entrant", "nobody"] {
        add(&|filter| filter.entrant = text(entrant));
    }
    for part in [Part::Played, Part::Silent, Part::Crashed] {
        add(&|filter| filter.participation = Some(part));
    }
    for number in [7, 1_000] {
        add(&|filter| filter.match_id = Some(match_id(number)));
    }
    filters
}

/// Both at once; `None` if they ask for the same.
fn both(one: &Filter, other: &Filter) -> Option<Filter> {
    macro_rules! joined {
        ($($field:ident),*) => {
            Some(Filter { $($field: match (&one.$field, &other.$field) {
                (Some(_), Some(_)) => return None,
                (one, other) => one.clone().or(other.clone()),
            },)* ..Filter::default() })
        };
    }
    joined!(
        game,
        bot,
        opponent,
        between,
        outcome,
        cause,
        side,
        referee,
        market,
        since_us,
        until_us,
        live,
        entrant,
        participation,
        match_id
    )
}

fn is_ours(side: Side, bot: &str) -> bool {
    side == Side::Player || is_own_spec(bot)
}

fn is_own_spec(spec: &str) -> bool {
    spec.starts_with("builtin:") || spec.starts_with("bot:")
}

/// Whether a bot is called so: a program without its version, too.
fn is_bot(wanted: &str, bot: &str) -> bool {
    let bot = bot.trim_start_matches("builtin:");
    let program = bot.split_once('@').map_or(bot, |(program, _)| program);
    wanted == bot || wanted == program
}

/// What the filter says of a seat, and of its share of the win.
fn seat_fits(filter: &Filter, (side, bot): (Side, &str), share: Option<f64>) -> bool {
    let share_fits = match filter.outcome {
        Some(Standing::Won) => share == Some(1.0),
        Some(Standing::Lost) => share == Some(0.0),
        Some(Standing::Tied) => share == Some(0.5),
        Some(Standing::Live) | None => true,
    };
    let asks = filter.side.is_some() || filter.bot.is_some();
    share_fits
        && filter.side.is_none_or(|wanted| wanted == side)
        && filter.bot.as_ref().is_none_or(|wanted| is_bot(wanted, bot))
        && (asks || is_ours(side, bot))
}

fn asks_for_seats(filter: &Filter) -> bool {
    let ended = filter
        .outcome
        .is_some_and(|outcome| outcome != Standing::Live);
    ended || filter.side.is_some() || filter.bot.is_some()
}

/// From the match's result, else from the scores that the session received.
fn own_share(row: &MatchRow, session: &SessionRow) -> Option<f64> {
    let mut seats = row.seats.iter();
    let known = seats.find(|seat| Some(seat.seat) == session.opened.seat);
    known.and_then(|seat| seat.win_share).or_else(|| {
        let (own, best) = (session.scores.first()?, session.scores.iter().max()?);
        let alike = session.scores.iter().filter(|score| *score == own).count();
        Some(if own < best { 0.0 } else { 1.0 / alike as f64 })
    })
}

fn is_called(row: &MatchRow, seat: &SeatRow, name: &str) -> bool {
    let spec = seat.spec.strip_prefix("builtin:").unwrap_or(&seat.spec);
    let matches = row.ours || name.is_empty();
    let behind = seat.bot.as_deref() == Some(name.trim_start_matches("builtin:"));
    let plays = spec == name || seat.spec == name || behind;
    seat.name.as_deref() == Some(name)
        || seat.entrant.as_deref() == Some(name)
        || (seat.known_as().is_none() && plays && matches)
}

fn called(filter: &Filter, row: &MatchRow) -> bool {
    let opponent = filter.opponent.as_ref();
    opponent.is_none_or(|name| row.seats.iter().any(|seat| is_called(row, seat, name)))
}

/// Which matches have the opponent; with one of our bots besides it, those in which the two met.
fn meets(filter: &Filter, row: &MatchRow, sessions: &[SessionRow]) -> bool {
    let Some((name, bot)) = filter.opponent.as_ref().zip(filter.bot.as_ref()) else {
        return called(filter, row);
    };
    let of_sessions = sessions.iter().map(|session| &session.opened);
    let of_sessions = of_sessions.map(|opened| (opened.seat.unwrap(), opened.bot.as_str()));
    let of_seats = row.seats.iter().map(|seat| (seat.seat, seat.spec.as_str()));
    let of_seats = of_seats.filter(|(_, spec)| is_own_spec(spec));
    let mut own = of_sessions.chain(of_seats);
    own.any(|(own, plays)| {
        let others = row.seats.iter().filter(|seat| seat.seat != own);
        // A bot that met itself is listed once.
        let again = |seat: &SeatRow| {
            let plays = plays.trim_start_matches("builtin:");
            seat.seat < own && seat.known_as().is_none() && is_bot(plays, &seat.spec)
        };
        let mut others = others.filter(|seat| !again(seat));
        let met = others.any(|seat| is_called(row, seat, name));
        let live = row.ended_us.is_none() && called(filter, row);
        is_bot(bot, plays) && (met || live)
    })
}

fn match_fits(filter: &Filter, row: &MatchRow, sessions: &[SessionRow]) -> bool {
    let text = |wanted: &Option<String>, has: &str| wanted.as_ref().is_none_or(|it| it == has);
    let seats = !asks_for_seats(filter)
        || sessions.iter().any(|session| {
            let opened = &session.opened;
            seat_fits(filter, (opened.side, &opened.bot), own_share(row, session))
        })
        || row.seats.iter().any(|seat| {
            let is_seat =
                |session: &SessionRow| !row.ours || session.opened.seat == Some(seat.seat);
            !sessions.iter().any(is_seat)
                && seat_fits(filter, (Side::Referee, &seat.spec), seat.win_share)
        });
    seats
        && text(&filter.game, &row.game)
        && text(&filter.referee, &row.referee)
        && filter.market.is_none_or(|market| market == row.market)
        && filter.cause.is_none_or(|cause| Some(cause) == row.cause)
        && filter.since_us.is_none_or(|since| row.started_us >= since)
        && filter.until_us.is_none_or(|until| row.started_us < until)
        && filter
            .live
            .is_none_or(|live| live == row.ended_us.is_none())
        && filter
            .outcome
            .is_none_or(|outcome| (outcome == Standing::Live) == row.ended_us.is_none())
}

/// What a filter asks for of a match as a whole.
fn has(filter: &Filter, row: &MatchRow, sessions: &[SessionRow]) -> bool {
    let is_entrant = |seat: &SeatRow| {
        let wanted = filter.entrant.as_ref();
        wanted.is_none_or(|name| seat.entrant.as_ref() == Some(name))
    };
    let plays = |seat: &SeatRow, bot: &str| {
        let mut own = sessions.iter().map(|session| &session.opened);
        let own = own.any(|opened| opened.seat == Some(seat.seat) && is_bot(bot, &opened.bot));
        own || (is_own_spec(&seat.spec) && is_bot(bot, &seat.spec))
    };
    let took_part = |part: Part| {
        row.seats.iter().any(|seat| {
            let how = seat.participation.as_ref().map(|taken| taken.how);
            let bot = filter.bot.as_ref().is_none_or(|bot| plays(seat, bot));
            how == Some(part) && is_entrant(seat) && bot
        })
    };
    row.seats.iter().any(is_entrant)
        && filter.match_id.as_ref().is_none_or(|id| *id == row.id)
        && filter.participation.is_none_or(took_part)
}

fn session_fits(filter: &Filter, row: &MatchRow, session: &SessionRow) -> bool {
    let of_session = MatchRow {
        ended_us: session.ended_us,
        started_us: session.opened_us,
        cause: session.cause,
        // Its other seats are not looked at.
        ours: false,
        ..row.clone()
    };
    match_fits(filter, &of_session, std::slice::from_ref(session))
}

/// All pages of matches and of sessions, and how many these are.
async fn walked(store: &Store, filter: &Filter) -> (Vec<String>, Vec<i64>, [usize; 2]) {
    let (mut matches, mut sessions, mut pages) = (Vec::new(), Vec::new(), [0; 2]);
    let mut at = PageAt::first(7);
    while pages[0] == 0 || at.after.is_some() {
        let page = history::matches(store.reader(), filter, &at).await.unwrap();
        assert!(page.items.len() <= 7);
        matches.extend(page.items.into_iter().map(|row| row.id));
        at.after = page.next;
        pages[0] += 1;
    }
    while pages[1] == 0 || at.after.is_some() {
        let page = history::sessions(store.reader(), filter, &at)
            .await
            .unwrap();
        assert!(page.items.len() <= 7);
        sessions.extend(page.items.into_iter().map(|row| row.id.0));
        at.after = page.next;
        pages[1] += 1;
    }
    (matches, sessions, pages)
}

#[tokio::test]
async fn filters_alone_and_two_together_find_what_a_walk_finds() {
    let (folder, store) = opened().await;
    filled(&store).await;
    let mut all = Vec::new();
    for number in (1..=MATCHES).rev() {
        let row = history::match_row(store.reader(), &match_id(number))
            .await
            .unwrap()
            .unwrap();
        let sessions = history::sessions_of(store.reader(), &row.id).await.unwrap();
        all.push((row, sessions));
    }
    let singles = singles();
    let pairs = singles.iter().enumerate().flat_map(|(at, one)| {
        singles[at..]
            .iter()
            .filter_map(move |other| both(one, other))
    });
    let filters: Vec<Filter> = singles.iter().cloned().chain(pairs).collect();
    let mut hits = 0;
    for filter in &filters {
        let (matches, sessions, _) = walked(&store, filter).await;
        let fitting = all.iter().filter(|(row, sessions)| {
            match_fits(filter, row, sessions)
                && meets(filter, row, sessions)
                && has(filter, row, sessions)
        });
        let expected: Vec<_> = fitting.map(|(row, _)| row.id.clone()).collect();
        assert_eq!(matches, expected, "{filter:?}");
        let of = all.iter().flat_map(|(row, sessions)| {
            let fitting = sessions
                .iter()
                .filter(|session| session_fits(filter, row, session))
                .filter(|_| called(filter, row) && has(filter, row, sessions));
            fitting.map(|session| session.id.0)
        });
        let mut expected: Vec<i64> = of.collect();
        expected.sort_unstable_by(|one, other| other.cmp(one));
        assert_eq!(sessions, expected, "sessions of {filter:?}");
        hits += usize::from(!matches.is_empty());
    }
    assert!(hits > filters.len() / 4, "{hits} of {}", filters.len());
    // What is saved of a damaged database still knows its programs.
    let played = [1, 2].map(|version| ("toy".to_owned(), format!("bot:mine@{version}")));
    assert_eq!(
        history::programs_played(store.reader(), None)
            .await
            .unwrap(),
        played
    );
    if store.location().file().is_none() {
        return;
    }
    let saved = tempfile::tempdir().unwrap();
    let (from, to) = (database_file(folder.path()), database_file(saved.path()));
    store.close().await;
    std::fs::create_dir(saved.path().join("data")).unwrap();
    salvage(&from, &to).await.unwrap();
    let store = open(saved.path()).await;
    assert_eq!(
        history::programs_played(store.reader(), Some("toy"))
            .await
            .unwrap(),
        played
    );
}

#[tokio::test]
async fn no_page_examines_everything_and_the_next_one_goes_on() {
    let (_folder, store) = opened().await;
    for rows in [
        "matches (id, game, referee, market, ours, started_us, setup, ended_us, cause)
         SELECT id, CASE WHEN n < 9 THEN 'rare' ELSE 'toy' END, 'r', 0, 0, n, 'null', n, 'normal'",
        "seats (match_id, seat, spec, name) SELECT id, 1, '', 'alice'",
        "results (match_id, seat, win_share) SELECT id, 0, CASE WHEN n = 3 THEN 1.0 ELSE 0.0 END",
        "sessions (id, match_id, side, game, bot, referee, market, player, seat, seed, setup, durability, opened_us,
                   first_entry, ended_us)
         SELECT n, id, 'player', CASE WHEN n < 9 THEN 'rare' ELSE 'toy' END, 'champion', 'r', 0, 1, 0, 0, '{}', 'power', n, 1, n",
    ] {
        let numbers = "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 12000)";
        let id = "SELECT n, '01AAAAAAAAAAAAAAAA' || substr(CAST(100000000 + n AS TEXT), 2) AS id FROM n";
        let insert = format!("{numbers} INSERT INTO {rows} FROM ({id}) AS ids");
        store.alter(&insert).await;
    }
    let won = Filter {
        bot: Some("champion".to_owned()),
        opponent: Some("alice".to_owned()),
        outcome: Some(Standing::Won),
        ..Filter::default()
    };
    let found = (vec![match_id(3)], vec![3]);
    let (matches, sessions, pages) = walked(&store, &won).await;
    assert_eq!(((matches, sessions), pages), (found.clone(), [3, 3]));
    // Few have what is asked for besides.
    let rare = Filter {
        game: Some("rare".to_owned()),
        ..won
    };
    let (matches, sessions, pages) = walked(&store, &rare).await;
    assert_eq!(((matches, sessions), pages), (found, [1, 1]));
}

#[tokio::test]
async fn sessions_are_found_by_their_time_whatever_their_numbers_say() {
    let (_folder, store) = opened().await;
    let mut ids = Vec::new();
    for number in 1..=6 {
        let mut pen = Pen::player(&store, number);
        pen.end(&store, vec![3, 1, 0, 0], 0).await;
        ids.push(pen.id.0);
    }
    // The clock was set back by a day before the last three.
    let day_us = 24 * HOUR_US;
    for (hour, id) in (1..).zip(&ids) {
        let opened_us = hour * HOUR_US + if hour > 3 { 0 } else { day_us };
        store
            .alter(&format!(
                "UPDATE sessions SET opened_us = {opened_us} WHERE id = {id}"
            ))
            .await;
    }
    for (since, until, found) in [
        (Some(day_us), None, &ids[..3]),
        (None, Some(day_us), &ids[3..]),
        (Some(0), Some(2 * day_us), &ids[..]),
        (Some(3 * day_us), None, &[][..]),
    ] {
        let filter = Filter {
            since_us: since,
            until_us: until,
            ..Filter::default()
        };
        let (_, mut sessions, _) = walked(&store, &filter).await;
        sessions.reverse();
        assert_eq!(sessions, found, "{filter:?}");
    }
}
