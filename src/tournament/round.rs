//! One round's matches, played in this process.

use super::keep::{Kept, keep};
use super::player::{MatchPlayer, Plan};
use super::runner::start;
use super::schedule::PlannedMatch;
use super::sink::FinishedMatch;
use super::standings::PlayedGame;
use super::watch::Watcher;
use crate::referee::{Recording, Stop};
use anyhow::Context as _;
use std::sync::Arc;
use tokio::sync::mpsc;

/// The maximum number of matches waiting to be stored.
pub(super) const MATCHES_WAITING_MAX: usize = 64;

/// What plays a round's matches in this process.
pub(super) struct Here<'a> {
    pub(super) plan: Arc<Plan>,
    pub(super) player: &'a Arc<dyn MatchPlayer>,
    pub(super) recording: Recording,
    pub(super) stop: &'a Arc<Stop>,
    pub(super) watcher: &'a Watcher,
}

impl Here<'_> {
    /// Plays these matches and stores them; those that ended before `stop`.
    pub(super) async fn play(self, planned: Vec<PlannedMatch>) -> anyhow::Result<Vec<PlayedGame>> {
        let (sender, played) = mpsc::channel(MATCHES_WAITING_MAX);
        let options = self.plan.options.clone();
        let keeping = keep(self.plan.kit, options, self.recording, played);
        let stop = Arc::clone(self.stop);
        // What cannot be stored need not be played.
        let keeping = tokio::spawn(async move { keeping.await.inspect_err(|_| stop.set()) });
        let (player, stop) = (Arc::clone(self.player), Arc::clone(self.stop));
        let mut running = start(self.plan, planned.into_iter(), player, stop);
        let mut games = Vec::new();
        while let Some(finished) = running.next().await {
            let (game, kept) = taken(finished, self.player.records());
            if let Some(game) = game {
                self.watcher.lock().ended(&game);
                games.push(game);
            }
            for kept in kept {
                // The receiver reports why it stopped.
                let _ = sender.send(kept).await;
            }
        }
        drop(sender);
        let ran = running.end().await;
        keeping.await.context("storing the matches failed")??;
        ran?;
        Ok(games)
    }
}

/// A match that has ended: as it counts, and what is to be stored of it, with those that it was played in place of, which
/// fill no place; nothing if its player stores it itself.
pub(super) fn taken(finished: FinishedMatch, is_stored: bool) -> (Option<PlayedGame>, Vec<Kept>) {
    let FinishedMatch {
        planned,
        counted,
        mut played,
    } = finished;
    let slot = planned.slot;
    let mut kept = Vec::new();
    if !is_stored {
        let before = std::mem::take(&mut played.replaced);
        let before = before.into_iter().map(|played| (played, false));
        let all = before.chain([(played, true)]);
        kept.extend(all.map(|(played, fills)| Kept {
            played,
            slot: slot.clone(),
            fills,
        }));
    }
    let game = slot.map(|slot| PlayedGame {
        number: slot.number,
        round: slot.round,
        table: slot.table,
        seed: slot.seed,
        counted,
    });
    (game, kept)
}
