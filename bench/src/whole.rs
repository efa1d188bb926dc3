//! What benches share that play whole games over pipes.

use anyhow::ensure;
use drover::referee::tally::Tally;
use drover::referee::watch::{KeptMatch, Watch};

/// Nobody watches.
pub(crate) struct Nobody;

impl Watch for Nobody {
    fn done(&mut self, _: u64) {}
    fn played(&mut self, _: KeptMatch) {}
}

/// All games were played, to their end.
pub(crate) fn faultless(tally: &Tally, games: u64) -> anyhow::Result<()> {
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
