//! Planowanie.

use crate::bots::{Chair, Named, Seated, Sheet};
use games::planowanie::bots::champion::table::SHIPPED;
use games::planowanie::bots::champion::{CHAMPION, thinking};
use games::planowanie::rules::Planowanie;

impl Sheet for Planowanie {
    const PLAYERS: usize = 4;

    fn stranger(named: &Named, chair: &Chair<'_, Self>) -> anyhow::Result<Option<Seated<Self>>> {
        let mut knobs = CHAMPION;
        if named.name != "champion" {
            return Ok(None);
        }
        named.apply(|knob, value| knobs.set(knob, value as f32))?;
        Ok(Some(thinking(chair.seed, knobs, &SHIPPED)))
    }
}
