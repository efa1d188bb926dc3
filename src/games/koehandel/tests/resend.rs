//! Why an equal message to the same player can only be the last one again.

use super::play::{all_options, play};
use crate::game::Game as _;
use crate::koehandel::dialect::write;
use crate::koehandel::rules::{Koehandel, Setup};
use crate::rng::Rng;
use std::collections::HashMap;

#[test]
fn no_player_is_ever_sent_the_same_text_twice_in_a_row() {
    for (number, options) in (0..).zip(all_options()) {
        for round in 0..20 {
            let seed = number * 1000 + round;
            let mut heard = Vec::new();
            let mut game = Koehandel::open(&Setup::deal(seed, options), &mut heard);
            let mut last = HashMap::new();
            let mut rng = Rng::new(seed, 7);
            let tell = |_: &Koehandel, heard: &mut Vec<_>| {
                for (seat, message) in heard.drain(..) {
                    let Some(text) = write(1, 1, &message) else {
                        continue;
                    };
                    let before = last.insert(seat, text.clone());
                    assert_ne!(before.as_ref(), Some(&text), "seed {seed}, {options:?}");
                }
            };
            play(&mut game, &mut heard, &mut rng, tell, |_, _, _, _| {});
        }
    }
}
