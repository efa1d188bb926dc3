//! Why a message equal to the last one to the same player can only be that one sent again.

use super::play::{Happened, all_options, play};
use crate::koehandel::dialect::write;
use std::collections::HashMap;

#[test]
fn no_player_is_ever_sent_the_same_text_twice_in_a_row() {
    for (number, options) in (0..).zip(all_options()) {
        for round in 0..20 {
            let seed = number * 1000 + round;
            let mut last = HashMap::new();
            play(seed, 7, options, |happened| {
                if let Happened::Told(seat, message) = happened
                    && let Some(text) = write(1, 1, &message)
                {
                    let before = last.insert(seat, text.clone());
                    assert_ne!(before.as_ref(), Some(&text), "seed {seed}, {options:?}");
                }
            });
        }
    }
}
