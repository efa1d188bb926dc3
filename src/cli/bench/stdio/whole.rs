//! What benches share that play whole games over pipes.

use crate::tournament::Tally;
use anyhow::ensure;

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
