//! Koehandel.

mod strangers;

use crate::bots::{Chair, Named, Seated, Sheet};
use games::koehandel::rules::Koehandel;

/// What sets bots' chance apart from the deal's.
const BOTS_APART: u64 = 0xA5A5;

impl Sheet for Koehandel {
    const PLAYERS: usize = 4;
    const FIRST_SEED: u64 = 1;

    fn stranger(named: &Named, chair: &Chair<'_, Self>) -> anyhow::Result<Option<Seated<Self>>> {
        let stranger = strangers::stranger(&named.name, chair.seed);
        stranger.map(|bot| named.unchanged(bot)).transpose()
    }

    fn bot_seed(seed: u64, seat: u64) -> u64 {
        (seed ^ BOTS_APART).wrapping_mul(4).wrapping_add(seat)
    }
}
