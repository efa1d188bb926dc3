//! Honest matches are never flagged; rows that cannot be are, and are not folded.

use super::disturbed::{flags, listener, recorded};
use super::play::{all_options, play};
use crate::koehandel::cards::PLAYERS;
use crate::koehandel::dialect::{write, write_answer};
use crate::koehandel::rules::{Koehandel, Setup};
use crate::rng::Rng;
use crate::wire::{Dialogue, Fact, Next};
use serde_json::{Value, json};
use std::cell::RefCell;

/// Under every option, with every kind of answer good and bad.
#[test]
fn undisturbed_matches_are_sound() {
    for (number, options) in (0..).zip(all_options()) {
        for round in 0..12 {
            let seed = number * 1000 + round;
            let mut heard = Vec::new();
            let mut game = Koehandel::begin(&Setup::deal(seed, options), &mut heard);
            let seats: Vec<_> = (0..PLAYERS)
                .map(|_| RefCell::new(listener("filler")))
                .collect();
            let mut rng = Rng::new(seed, 11);
            let log = RefCell::new(Vec::new());
            play(
                &mut game,
                &mut heard,
                &mut rng,
                |game, heard| {
                    for (seat, message) in heard.drain(..) {
                        let Some(text) = write(1, 1, &message) else {
                            continue;
                        };
                        let mut player = seats[seat.index()].borrow_mut();
                        let next = player.receive(text.as_bytes()).unwrap();
                        log.borrow_mut().push(format!("{} {text}", seat.0));
                        let facts = player.facts();
                        let flags = flags(&facts);
                        assert!(
                            flags.is_empty(),
                            "seed {seed}, {options:?}, seat {seat:?}: {text}: {flags:?} after {:#?}",
                            log.borrow()
                                .iter()
                                .rev()
                                .filter(|row| row.starts_with(&seat.0.to_string()))
                                .take(14)
                                .collect::<Vec<_>>()
                        );
                        let asked = game.asked().is_some_and(|(asked, _)| asked == seat.index());
                        assert!(!matches!(next, Next::Send(_)), "{text}");
                        assert!(asked || !matches!(next, Next::Think { .. }), "{text}");
                    }
                },
                |_, seat, _, act| {
                    let said = act.map_or(String::new(), |act| write_answer(&act));
                    seats[seat].borrow_mut().said(&said);
                },
            );
        }
    }
}

fn hear_all(heard: &[(String, Option<String>)]) -> Vec<Fact> {
    let mut player = listener("filler");
    let mut facts = Vec::new();
    for (call, reply) in heard {
        if let Ok(Next::Think { .. }) = player.receive(call.as_bytes()) {
            player.said(reply.as_deref().unwrap_or_default());
        }
        facts.append(&mut player.facts());
    }
    facts
}

/// Matches between bots that bluff, trade and think, and the same heard from the middle on.
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
        let heard = recorded(seed, names, options, rng.below(4) as u8);
        assert_eq!(
            flags(&hear_all(&heard)),
            Vec::<String>::new(),
            "seed {seed}"
        );
        let from = 1 + rng.below(heard.len() as u32 - 1) as usize;
        let late = hear_all(&heard[from..]);
        assert_eq!(
            flags(&late),
            Vec::<String>::new(),
            "seed {seed} from {from}"
        );
    }
}

/// Hears texts, each with what is answered if it asks; gives the last one's `Next` and all facts.
fn hear(player: &mut dyn Dialogue, rows: &[(&str, &str)]) -> (Next, Vec<Fact>) {
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
    let mut player = listener("filler");
    let sale = [
        BEGIN,
        ("type=auction&goods=A&opponent=W&auctioneer=W", ""),
        ("type=information&goods=A&opponent=N&money=-Q10", ""),
        ("type=information&opponent=W&money=Q10", ""),
        ("type=auction&goods=B&opponent=N&auctioneer=N", ""),
        ("type=information&goods=B&opponent=N&money=-0", ""),
    ];
    let (_, facts) = hear(&mut *player, &sale);
    assert!(flags(&facts).is_empty());
    let before = player.view();
    let (next, facts) = hear(&mut *player, &sale[2..3]);
    assert_eq!((next, flags(&facts).len()), (Next::Wait, 1));
    assert_eq!(player.view(), before);
    let (next, facts) = hear(&mut *player, &sale[3..4]);
    assert_eq!((next, flags(&facts).len()), (Next::Wait, 1));
    assert_eq!(player.view(), before);
}

#[test]
fn a_repeated_question_gets_its_first_answer() {
    let mut player = listener("filler");
    let ask = "type=auction&goods=A&opponent=W&auctioneer=W";
    hear(&mut *player, &[BEGIN, (ask, "?money=tt")]);
    let (next, _) = hear(&mut *player, &[(ask, "?money=tt")]);
    assert_eq!(next, Next::Send("?money=tt".into()), "at once");
    hear(
        &mut *player,
        &[
            ("type=information&goods=A&opponent=W&money=-QQ20", ""),
            ("type=receive&opponent=W&money=tt", ""),
        ],
    );
    let view = player.view();
    let (next, _) = hear(&mut *player, &[(ask, "?money=tt")]);
    assert_eq!(next, Next::Send("?money=tt".into()), "late");
    assert_eq!(player.view(), view);
}

/// After a bluff the same card is put up anew, with the very text of the first question.
#[test]
fn the_same_question_after_a_bluff_is_a_new_one() {
    let mut player = listener("filler");
    let ask = "type=auction&goods=A&opponent=W&auctioneer=W";
    hear(&mut *player, &[BEGIN, (ask, "")]);
    let bluff = (
        "type=information&opponent=N&money=nnttttf&message=bluffed",
        "",
    );
    let (next, facts) = hear(&mut *player, &[bluff, (ask, "")]);
    assert!(matches!(next, Next::Think { .. }));
    assert!(flags(&facts).is_empty());
}

#[test]
fn lost_donkeys_are_made_good() {
    let mut player = listener("filler");
    let (_, facts) = hear(
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
    let mut player = listener("filler");
    let (_, facts) = hear(
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

/// What was offered and refused is not offered again.
#[test]
fn an_invalid_bid_takes_back_what_was_believed() {
    let mut player = listener("filler");
    let (_, facts) = hear(
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
