//! Nothing that is heard makes the champion think for ever.

use super::disturbed::recorded;
use crate::game::{Bot, Budget};
use crate::koehandel::bots::champion::Champion;
use crate::koehandel::bots::champion::playout::{STEPS_MAX, play_out};
use crate::koehandel::bots::policy::Limits;
use crate::koehandel::bots::styles::{KINDS, Style};
use crate::koehandel::cards::{Animal, PLAYERS};
use crate::koehandel::dialect::{Fields, read, read_answer};
use crate::koehandel::fold::Fold;
use crate::koehandel::message::Message;
use crate::koehandel::models::Models;
use crate::koehandel::options::Options;
use crate::koehandel::rules::{Koehandel, Setup};
use crate::rng::Rng;
use serde_json::Value;
use std::sync::mpsc;
use std::time::Duration;

/// How long all decisions of a test may take together; they take a second or two.
const PATIENCE: Duration = Duration::from_secs(120);

/// How often the row is sent again.
const REPEATS: usize = 6;

/// Hears seat 0's part of a match with the first sale among others heard again `late` messages after
/// its card's fourth was settled, and thinks at every question from then on.
fn think_after_a_repeated_sale(seed: u64, late: usize) {
    let names = ["guide", "face", "filler", "trader"];
    let mut fold = Fold::new();
    let mut bot = Champion::new(Rng::new(seed, 1), &Models::none());
    let mut sold: Vec<Message> = Vec::new();
    let mut wait = None;
    for (call, reply) in recorded(seed, names, Value::Null, 0) {
        let fields = Fields::cut(call.as_bytes()).unwrap();
        let Some(message) = read(&fields, &fold).unwrap() else {
            continue;
        };
        if let Message::Bought { .. } = message {
            sold.push(message.clone());
        }
        fold.hear(&message);
        bot.observe(&message);
        let ask = fold.ask();
        if let Some(ask) = ask {
            if wait == Some(0) {
                let _ = bot.decide(fold.view(), &ask, Budget::nodes(12));
            }
            let act = read_answer(&ask, reply.unwrap_or_default().as_bytes());
            fold.said(&act.unwrap_or(crate::koehandel::rules::Act::PASS));
        }
        let complete = |animal: Animal| {
            let herds = fold.view().herds;
            herds.iter().map(|herd| herd[animal.index()]).sum::<u8>() >= 4
        };
        let known = |row: &&Message| matches!(row, Message::Bought { card, .. } if complete(*card));
        match &mut wait {
            None => wait = sold.iter().any(|row| known(&row)).then_some(late),
            Some(0) => {}
            Some(1) => {
                let again = sold.iter().find(known).unwrap().clone();
                for _ in 0..REPEATS {
                    fold.hear(&again);
                    bot.observe(&again);
                }
                wait = Some(0);
            }
            Some(left) => *left -= 1,
        }
    }
}

#[test]
fn a_repeated_sale_does_not_make_thinking_endless() {
    let (done, finished) = mpsc::channel();
    let thinking = std::thread::spawn(move || {
        for seed in 0..6 {
            think_after_a_repeated_sale(seed, 1 + 7 * seed as usize);
        }
        let _ = done.send(());
    });
    let ended = finished.recv_timeout(PATIENCE);
    assert_eq!(ended, Ok(()), "a decision of twelve playouts does not end");
    thinking.join().unwrap();
}

/// The bound of playouts is far from what legal matches of the styles take.
#[test]
fn playouts_end_long_before_their_bound() {
    let mut longest = 0;
    for seed in 0..400u64 {
        let mut rng = Rng::new(seed, 2);
        let cast = std::array::from_fn(|_| KINDS[rng.below(KINDS.len() as u32) as usize].style);
        let mut game = Koehandel::begin(
            &Setup::deal(seed, Options::default()),
            &mut crate::koehandel::rules::Silence,
        );
        let mut memory = [Limits::NONE; PLAYERS];
        longest = longest.max(play_out(&mut game, &cast, &mut memory, seed));
        assert!(game.asked().is_none());
    }
    assert!(longest * 8 < STEPS_MAX, "{longest} steps");
}

/// Players who take the deck for empty while a card is still to be drawn trade back and forth without
/// an end: what made thinking endless. The bound ends it.
#[test]
fn a_playout_whose_players_are_wrong_about_the_deck_meets_its_bound() {
    let mut longest = 0;
    for seed in 0..200u64 {
        let cast = [Style::Random; PLAYERS];
        let setup = Setup::deal(seed, Options::default());
        let mut game = Koehandel::begin(&setup, &mut crate::koehandel::rules::Silence);
        let mut memory = [Limits::NONE; PLAYERS];
        play_turns(&mut game, &cast, seed);
        game.mislead();
        longest = longest.max(play_out(&mut game, &cast, &mut memory, seed));
    }
    assert_eq!(longest, STEPS_MAX);
}

/// Plays until half of the deck is drawn.
fn play_turns(game: &mut Koehandel, cast: &[Style; PLAYERS], seed: u64) {
    let mut rng = Rng::new(seed, 3);
    let mut memory = [Limits::NONE; PLAYERS];
    while game.undrawn() > 20 {
        let (seat, ask) = game.asked().unwrap();
        let view = *game.seen_by(seat);
        let act = cast[seat].act(&view, &ask, &mut memory[seat], &mut rng);
        game.play(Some(act), &mut crate::koehandel::rules::Silence);
    }
}

/// A position whose cards do not add up is no position: the champion answers by its policy.
#[test]
fn what_does_not_add_up_is_not_played_out() {
    let setup = Setup::deal(1, Options::default());
    let game = Koehandel::begin(&setup, &mut crate::koehandel::rules::Silence);
    let (seat, ask) = game.asked().unwrap();
    let sound = *game.seen_by(seat);
    let mut views = Vec::new();
    for change in 0..4 {
        let mut view = sound;
        match change {
            0 => view.deck_left = 0,
            1 => view.deck_left = u8::MAX,
            2 => view.herds[1][3] = 9,
            _ => view.herds = [[4; 10]; PLAYERS],
        }
        views.push(view);
    }
    for view in views {
        let mut bot = Champion::new(Rng::new(1, 1), &Models::none());
        let act = bot.decide(&view, &ask, Budget::nodes(u64::MAX));
        let fallback = crate::koehandel::guard::fallback(&sound, &ask);
        assert_eq!(act, fallback, "the policy auctions at the first turn");
    }
}
