//! Honest matches are never flagged; impossible rows are flagged and not folded.

use super::disturbed::{flags, listener, recorded};
use super::play::{Happened, all_options, play};
use crate::cards::PLAYERS;
use crate::dialect::{write, write_answer};
use crate::options::Options;
use drover_game::rng::Rng;
use drover_game::wire::{Dialogue, Fact, Next};
use serde_json::{Value, json};
use std::collections::HashMap;

/// What one seat receives, and what it answers.
type Side = Vec<(String, Option<String>)>;

/// Matches per set of options.
const ROUNDS: u64 = 2;

/// Under every option, with every kind of answer, good and bad: for a seat present from the start, and for a
/// late joiner.
#[test]
fn undisturbed_matches_are_sound() {
    for (number, options) in (0..).zip(all_options()) {
        for round in 0..ROUNDS {
            let seed = number * 1000 + round;
            let exchanges = random_match(seed, options);
            let mut rng = Rng::new(seed, 12);
            for exchanges in &exchanges {
                let case = format!("seed {seed}, {options:?}");
                assert_sound(exchanges, &case);
                let from = 1 + rng.below(exchanges.len() as u32 - 1) as usize;
                assert_sound(&exchanges[from..], &format!("{case} from {from}"));
            }
        }
    }
}

/// What each seat receives and answers in a match of random answers.
fn random_match(seed: u64, options: Options) -> [Side; PLAYERS] {
    let mut texts: [Side; PLAYERS] = Default::default();
    play(seed, 11, options, |happened| match happened {
        Happened::Sent(seat, message) => {
            let text = write(1, 1, &message).map(|text| (text, None));
            texts[seat.index()].extend(text);
        }
        Happened::Said(_, seat, _, act) => {
            let said = act.map_or(String::new(), |act| write_answer(&act));
            texts[seat].last_mut().unwrap().1 = Some(said);
        }
    });
    texts
}

/// Nothing is flagged, every question of the match is thought about, and nothing is answered from memory. A
/// late joiner may be asked once more: money collected means a payment at first (I8).
fn assert_sound(exchanges: &[(String, Option<String>)], case: &str) {
    let mut player = listener("filler", 1);
    for (at, (call, reply)) in exchanges.iter().enumerate() {
        let next = player.receive(call.as_bytes()).unwrap();
        let flags = flags(&player.facts());
        let before = &exchanges[at.saturating_sub(14)..=at];
        assert!(flags.is_empty(), "{case}: {flags:?} after {before:#?}");
        let sound = match next {
            Next::Think { .. } => true,
            Next::Wait | Next::Over(_) => reply.is_none(),
            Next::Send(_) => false,
        };
        assert!(sound, "{case}: {next:?} to {before:#?}");
        if let Some(reply) = reply {
            player.said(reply);
        }
    }
}

/// A message equal to the last one to the same player can only be that one sent again.
#[test]
fn no_player_is_ever_sent_the_same_text_twice_in_a_row() {
    for (number, options) in (0..).zip(all_options()) {
        for round in 0..20 {
            let seed = number * 1000 + round;
            let mut last = HashMap::new();
            play(seed, 7, options, |happened| {
                if let Happened::Sent(seat, message) = happened
                    && let Some(text) = write(1, 1, &message)
                {
                    let before = last.insert(seat, text.clone());
                    assert_ne!(before.as_ref(), Some(&text), "seed {seed}, {options:?}");
                }
            });
        }
    }
}

/// Matches between bots that bluff, trade and search, and the same matches joined halfway.
#[test]
fn matches_between_bots_are_sound_also_for_who_joins_late() {
    let tables = [
        ["champion", "guide", "trader", "random"],
        ["evolved", "face", "filler", "setbuilder"],
        ["random", "random", "trader", "tuned"],
    ];
    let options = [
        Value::Null,
        json!({"trade_payment": "exchange"}),
        json!({"lost_row": "winner"}),
        json!({"second_bluff": "struck", "bluffer_rebids": false, "empty_offer": false}),
    ];
    let mut rng = Rng::new(5, 5);
    for seed in 0..36u64 {
        let names = tables[seed as usize % tables.len()];
        let options = options[seed as usize % options.len()].clone();
        let exchanges = recorded(seed, names, options, rng.below(4) as u8);
        assert_sound(&exchanges, &format!("seed {seed}"));
        let from = 1 + rng.below(exchanges.len() as u32 - 1) as usize;
        assert_sound(&exchanges[from..], &format!("seed {seed} from {from}"));
    }
}

/// Feeds in texts, each with the answer if it asks; returns the last one's `Next` and all facts.
fn receive(player: &mut dyn Dialogue, rows: &[(&str, &str)]) -> (Next, Vec<Fact>) {
    let mut last = Next::Wait;
    let mut facts = Vec::new();
    for (row, answer) in rows {
        last = player
            .receive(format!("market=1&id=1&{row}").as_bytes())
            .unwrap();
        if let Next::Think { .. } | Next::Send(_) = last {
            player.said(answer);
        }
        facts.append(&mut player.facts());
    }
    (last, facts)
}

const BEGIN: (&str, &str) = ("type=information&message=begin", "");

#[test]
fn a_late_repeat_of_a_sale_is_not_folded() {
    let mut player = listener("filler", 1);
    let sale = [
        BEGIN,
        ("type=auction&goods=A&opponent=W&auctioneer=W", ""),
        ("type=information&goods=A&opponent=N&money=-Q10", ""),
        ("type=information&opponent=W&money=Q10", ""),
        ("type=auction&goods=B&opponent=N&auctioneer=N", ""),
        ("type=information&goods=B&opponent=N&money=-0", ""),
    ];
    let (_, facts) = receive(&mut *player, &sale);
    assert!(flags(&facts).is_empty());
    let before = player.view();
    let (next, facts) = receive(&mut *player, &sale[2..3]);
    assert_eq!((next, flags(&facts).len()), (Next::Wait, 1));
    assert_eq!(player.view(), before);
    let (next, facts) = receive(&mut *player, &sale[3..4]);
    assert_eq!((next, flags(&facts).len()), (Next::Wait, 1));
    assert_eq!(player.view(), before);
}

#[test]
fn a_repeated_question_gets_its_first_answer() {
    let mut player = listener("filler", 1);
    let ask = "type=auction&goods=A&opponent=W&auctioneer=W";
    receive(&mut *player, &[BEGIN, (ask, "?money=tt")]);
    let (next, _) = receive(&mut *player, &[(ask, "?money=tt")]);
    assert_eq!(next, Next::Send("?money=tt".into()), "at once");
    receive(
        &mut *player,
        &[
            ("type=information&goods=A&opponent=W&money=-QQ20", ""),
            ("type=receive&opponent=W&money=tt", ""),
        ],
    );
    let view = player.view();
    let (next, _) = receive(&mut *player, &[(ask, "?money=tt")]);
    assert_eq!(next, Next::Send("?money=tt".into()), "late");
    assert_eq!(player.view(), view);
}

/// After a bluff the same card is put up again, with exactly the text of the first question.
#[test]
fn the_same_question_after_a_bluff_is_a_new_one() {
    let mut player = listener("filler", 1);
    let ask = "type=auction&goods=A&opponent=W&auctioneer=W";
    receive(&mut *player, &[BEGIN, (ask, "")]);
    let bluff = (
        "type=information&opponent=N&money=nnttttf&message=bluffed",
        "",
    );
    let (next, facts) = receive(&mut *player, &[bluff, (ask, "")]);
    assert!(matches!(next, Next::Think { .. }));
    assert!(flags(&facts).is_empty());
}

#[test]
fn lost_donkeys_are_made_good() {
    let mut player = listener("filler", 1);
    let (_, facts) = receive(
        &mut *player,
        &[
            BEGIN,
            ("type=receive&money=h", ""),
            ("type=receive&money=f", ""),
        ],
    );
    assert_eq!(flags(&facts).len(), 2, "one rebuilt, one unsound");
    assert_eq!(player.view()["purse"], "hffttttnn");
    assert_eq!(player.view()["donkeys"], 2);
}

#[test]
fn money_that_the_server_took_was_ours() {
    let mut player = listener("filler", 1);
    let (_, facts) = receive(
        &mut *player,
        &[
            BEGIN,
            ("type=auction&goods=A&opponent=W&auctioneer=W", "?money=h"),
            ("type=receive&goods=A", ""),
            ("type=collect&opponent=W&money=h", "?money=f"),
            (
                "type=information&opponent=W&money=-h&message=paid_by_server",
                "",
            ),
            ("type=auction&goods=B&opponent=N&auctioneer=N", ""),
        ],
    );
    assert!(!flags(&facts).is_empty());
    assert_eq!(player.view()["purse"], "fttttnn");
}

/// A refused offer is not made again.
#[test]
fn an_invalid_bid_takes_back_what_was_believed() {
    let mut player = listener("filler", 1);
    let (_, facts) = receive(
        &mut *player,
        &[
            BEGIN,
            ("type=auction&goods=A&opponent=W&auctioneer=W", ""),
            ("type=information&goods=A&opponent=W&money=-0", ""),
            ("type=auction&goods=B&opponent=N&auctioneer=N", ""),
            ("type=information&goods=B&opponent=N&money=-0", ""),
            ("type=auction&goods=C&opponent=E&auctioneer=E", ""),
            ("type=information&goods=C&opponent=E&money=-0", ""),
            ("type=start", "?type=auction"),
            ("type=receive&goods=A", ""),
            ("type=trade&goods=A&opponent=W&money=Q", "?money=f"),
            ("type=information&message=invalid_bid", ""),
        ],
    );
    assert_eq!(
        flags(&facts),
        ["rebuilt: it names cards that were not known of"]
    );
    assert_eq!(player.view()["purse"], "ttttnn");
}

/// A challenge that reached the referee too late is an auction, whichever card was reported before.
#[test]
fn a_challenge_that_did_not_arrive_is_an_auction() {
    let mut player = listener("filler", 1);
    let round = |own: &'static str, sold: &'static str| {
        [
            ("type=start", own),
            ("type=receive&goods=A", ""),
            ("type=auction&goods=B&opponent=W&auctioneer=W", ""),
            ("type=information&goods=B&opponent=W&money=-0", ""),
            ("type=auction&goods=C&opponent=N&auctioneer=N", ""),
            ("type=information&goods=C&opponent=N&money=-0", ""),
            ("type=auction&goods=A&opponent=E&auctioneer=E", ""),
            (sold, ""),
        ]
    };
    let sold = "type=information&goods=A&opponent=E&money=-0";
    receive(&mut *player, &[BEGIN]);
    receive(&mut *player, &round("?type=auction", sold));
    let challenge = "?type=trade&opponent=E&goods=A&money=t";
    let (_, facts) = receive(&mut *player, &round(challenge, sold)[..3]);
    assert!(flags(&facts).is_empty(), "{:?}", flags(&facts));
    assert_eq!(player.view()["players"]["S"]["animals"]["A"], 2);
}
