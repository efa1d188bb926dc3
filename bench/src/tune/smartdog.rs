//! Smart-dog.

mod strangers;

use crate::bots::{Chair, Named, Seated, Sheet};
use games::contest::Advice;
use games::smartdog::bots::champion::{CHAMPION, Herder, Knobs};
use games::smartdog::known::KnownMaps;
use games::smartdog::rules::SmartDog;

impl Sheet for SmartDog {
    const PLAYERS: usize = 2;
    const NODES: u64 = 3_000;

    fn stranger(named: &Named, chair: &Chair<'_, Self>) -> anyhow::Result<Option<Seated<Self>>> {
        if named.name != "champion" {
            let stranger = strangers::stranger(&named.name);
            return stranger.map(|bot| named.unchanged(bot)).transpose();
        }
        let mut knobs = CHAMPION;
        named.apply(|knob, value| set(&mut knobs, knob, value))?;
        let known = match chair.advice {
            Advice::None => KnownMaps::none(),
            _ => KnownMaps::of_atlas(),
        };
        Ok(Some(Box::new(Herder::new(knobs, &known))))
    }

    /// The same in all matches: only maps differ.
    fn bot_seed(_: u64, seat: u64) -> u64 {
        4 + seat
    }
}

/// Sets one of the champion's knobs; false: there is none of this name.
fn set(knobs: &mut Knobs, name: &str, value: f64) -> bool {
    let reach = &mut knobs.reach;
    match name {
        "depth" => reach.depth = value as usize,
        "trail" => reach.trail = value,
        "replies" => reach.replies = value > 0.0,
        "draft" => reach.draft = value > 0.0,
        "horizon" => reach.horizon = value as u32,
        "turns" => reach.turns = value > 0.0,
        "finals" => reach.finals = value as usize,
        "models" => {
            let known = CHAMPION.models;
            knobs.models = &known[..known.len().min(value as usize)];
        }
        name => return knobs.weights.set(name, value),
    }
    true
}
