//! Lighthouses.

use crate::bots::{Chair, Named, Seated, Sheet};
use games::lighthouses::bots::champion::{CHAMPION, champion_with};
use games::lighthouses::bots::strangers::stranger;
use games::lighthouses::bots::triangle::{HABITS, hunter};
use games::lighthouses::rules::Lighthouses;

impl Sheet for Lighthouses {
    const PLAYERS: usize = 2;

    fn stranger(named: &Named, chair: &Chair<'_, Self>) -> anyhow::Result<Option<Seated<Self>>> {
        let (mut knobs, mut habits) = (CHAMPION, HABITS);
        Ok(match &*named.name {
            "champion" => {
                named.apply(|knob, value| knobs.set(knob, value))?;
                Some(champion_with(chair.seed, knobs))
            }
            "triangle" => {
                named.apply(|knob, value| habits.set(knob, value))?;
                Some(hunter(habits))
            }
            name => {
                let stranger = stranger(name, chair.seed);
                stranger.map(|bot| named.unchanged(bot)).transpose()?
            }
        })
    }

    fn bot_seed(seed: u64, seat: u64) -> u64 {
        seed.wrapping_mul(16).wrapping_add(seat)
    }
}
