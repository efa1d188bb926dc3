//! Many decks played on threads of their own, each deck whole on one of them.

use super::schedule::{Deck, Schedule};
use super::tally::{Counted, Tally};
use super::watch::{KeptMatch, Watch};
use games::SetupError;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;

/// Decks whose results may wait to be counted.
const RESULTS_MAX: usize = 256;

/// A deck's matches, and what is kept of them.
pub(super) type DeckPlayed = (Vec<Counted>, Vec<KeptMatch>);

/// Plays a deck, given with its number; `None` if it was cut.
pub(super) type PlayDeck<'a> =
    &'a (dyn Fn(&Deck, u64) -> Result<Option<DeckPlayed>, SetupError> + Sync);

/// What is played, and on how many threads.
pub(super) struct Lanes<'a> {
    pub(super) schedule: &'a Schedule,
    pub(super) threads: NonZeroUsize,
    /// Set when all play must end now.
    pub(super) abort: &'a AtomicBool,
}

impl Lanes<'_> {
    /// Plays every deck. Matches of one deck are counted together, so that rotations over it stay
    /// together.
    ///
    /// # Errors
    /// The first of `play`; the rest would fail alike and is not played.
    pub(super) fn play(
        &self,
        watch: &mut dyn Watch,
        play: PlayDeck<'_>,
    ) -> Result<Tally, SetupError> {
        let next = AtomicU64::new(0);
        let (results, played) = mpsc::sync_channel(RESULTS_MAX);
        let mut tally = Tally::new(self.schedule.entrants);
        let mut failure = None;
        std::thread::scope(|scope| {
            for _ in 0..self.threads.get() {
                let (next, results) = (&next, results.clone());
                scope.spawn(move || self.work(play, next, &results));
            }
            drop(results);
            for deck in played {
                match deck {
                    Ok((counted, kept)) => {
                        tally.add(&counted);
                        kept.into_iter().for_each(|played| watch.played(played));
                        watch.done(tally.games);
                    }
                    Err(error) => failure = Some(error),
                }
            }
        });
        failure.map_or(Ok(tally), Err)
    }

    fn work(
        &self,
        play: PlayDeck<'_>,
        next: &AtomicU64,
        results: &mpsc::SyncSender<Result<DeckPlayed, SetupError>>,
    ) {
        let decks = self.schedule.decks();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= decks || self.abort.load(Ordering::Relaxed) {
                return;
            }
            let played = play(&self.schedule.deck(number), number);
            let failed = played.is_err();
            let Some(played) = played.transpose() else {
                return;
            };
            if results.send(played).is_err() || failed {
                next.store(decks, Ordering::Relaxed);
                return;
            }
        }
    }
}
