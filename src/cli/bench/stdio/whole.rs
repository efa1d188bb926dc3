//! What benches share that play whole games over pipes.

use crate::referee::tally::Tally;
use crate::referee::watch::{KeptMatch, Watch};
use anyhow::ensure;

/// Nobody watches.
pub(super) struct Nobody;

impl Watch for Nobody {
    fn done(&mut self, _: u64) {}
    fn played(&mut self, _: KeptMatch) {}
}

/// All games were played, to their end.
pub(super) fn faultless(tally: &Tally, games: u64) -> anyhow::Result<()> {
    let faults = tally
        .entrants
        .iter()
        .any(|entrant| !entrant.faults.is_empty());
    ensure!(
        tally.games == games && !faults,
        "the player does not play whole games"
    );
    Ok(())
}
