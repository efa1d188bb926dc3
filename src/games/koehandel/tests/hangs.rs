//! No messages can make the champion think forever.

use super::disturbed::listener;
use crate::bots::champion::Champion;
use crate::bots::champion::playout::{STEPS_MAX, play_out};
use crate::bots::policy::Limits;
use crate::bots::styles::{KINDS, Style};
use crate::cards::PLAYERS;
use crate::models::Models;
use crate::options::Options;
use crate::rules::{Koehandel, Setup};
use drover_game::game::{Bot, Budget, Game, Progress};
use drover_game::rng::Rng;
use drover_game::wire::{Dialogue, Next};
use std::sync::mpsc;
use std::time::Duration;

/// Time limit for all decisions of a test together; they take less than a second.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often each of two sales is repeated: together as many cards as there are in the deck.
const REPEATS: usize = 20;
/// Nodes of one decision, and slices of thinking within which it must finish.
const NODES: u64 = 12;
const SLICES_MAX: usize = 64;

/// Two sales are repeated over and over, then a bid for a third card is asked for.
fn think_after_repeated_sales(seed: u64) {
    let mut player = listener("champion", seed);
    let receive = |player: &mut dyn Dialogue, row: &str| {
        let text = format!("market=1&id=1&{row}");
        player.receive(text.as_bytes()).unwrap()
    };
    receive(&mut *player, "type=information&message=begin");
    for _ in 0..REPEATS {
        for sale in ["goods=A&opponent=W", "goods=B&opponent=N"] {
            receive(&mut *player, &format!("type=information&{sale}&money=-Q10"));
        }
    }
    let ask = "type=auction&goods=J&opponent=W&money=t&auctioneer=W&message=W10";
    let Next::Think { mut fallback, .. } = receive(&mut *player, ask) else {
        panic!("a new question is thought about");
    };
    let slice = |_| player.think(Budget::nodes(NODES), &mut fallback) == Progress::Done;
    assert!((0..SLICES_MAX).any(slice), "seed {seed}");
}

#[test]
fn repeated_sales_do_not_make_thinking_endless() {
    let (done, finished) = mpsc::channel();
    let thinking = std::thread::spawn(move || {
        for seed in 0..8 {
            think_after_repeated_sales(seed);
        }
        let _ = done.send(());
    });
    let ended = finished.recv_timeout(PATIENCE);
    assert_ne!(
        ended,
        Err(mpsc::RecvTimeoutError::Timeout),
        "a decision of {NODES} playouts does not end"
    );
    thinking.join().unwrap();
}

/// The bound on playouts is far above what legal matches of the styles take.
#[test]
fn playouts_end_long_before_their_bound() {
    let mut longest = 0;
    for seed in 0..400u64 {
        let mut rng = Rng::new(seed, 2);
        let cast = std::array::from_fn(|_| KINDS[rng.below(KINDS.len() as u32) as usize].style);
        let mut game = Koehandel::start(&Setup::deal(seed, Options::default()));
        let mut memory = [Limits::NONE; PLAYERS];
        longest = longest.max(play_out(&mut game, &cast, &mut memory, seed));
        assert!(game.asked().is_none());
    }
    assert!(longest * 8 < STEPS_MAX, "{longest} steps");
}

/// Players that believe the deck empty while a card is still to be drawn trade back and forth endlessly,
/// which made thinking endless. The bound ends it.
#[test]
fn a_playout_whose_players_are_wrong_about_the_deck_meets_its_bound() {
    let mut longest = 0;
    for seed in 0..200u64 {
        let cast = [Style::Random; PLAYERS];
        let setup = Setup::deal(seed, Options::default());
        let mut game = Koehandel::start(&setup);
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
        game.play(Some(act), &mut ());
    }
}

/// Cards that do not add up make no position: the champion answers by its policy.
#[test]
fn what_does_not_add_up_is_not_played_out() {
    let setup = Setup::deal(1, Options::default());
    let game = Koehandel::start(&setup);
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
        let fallback = crate::guard::fallback(&sound, &ask);
        assert_eq!(act, fallback, "the policy auctions at the first turn");
    }
}
