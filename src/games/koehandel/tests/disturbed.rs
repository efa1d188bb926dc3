//! Recorded matches with messages lost, repeated, late, cut and changed.

use crate::game::Seat;
use crate::kit::{Kit as _, Nodes, PlaySetup};
use crate::koehandel::KIT;
use serde_json::Value;

/// What one seat heard and answered in a match between these bots.
pub fn recorded(
    seed: u64,
    names: [&str; 4],
    options: Value,
    seat: u8,
) -> Vec<(String, Option<String>)> {
    let setup = PlaySetup {
        bots: names.map(str::to_owned).to_vec(),
        seed,
        options,
        models: false,
        record: true,
    };
    let played = KIT.play(&setup, &Nodes(4)).unwrap();
    played
        .transcript
        .into_iter()
        .filter(|heard| heard.seat == Seat(seat))
        .map(|heard| (heard.call, heard.reply))
        .collect()
}
