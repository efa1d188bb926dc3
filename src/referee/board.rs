//! Which matches run, and which have ended lately.

use super::match_info::HostedMatch;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The running matches by market, within a bound, and the last ended ones.
pub(super) struct Board {
    running_max: usize,
    ended_max: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    running: BTreeMap<u64, Arc<HostedMatch>>,
    /// Places taken by matches that are being set up.
    reserved: usize,
    ended: VecDeque<Arc<HostedMatch>>,
    closed: bool,
}

/// A place on the board, given back when dropped unused.
#[must_use = "the place is given back when this is dropped"]
pub(super) struct Permit<'a>(&'a Board);

impl Permit<'_> {
    /// Takes the place.
    pub(super) fn enter(self, hosted: Arc<HostedMatch>) {
        self.0.enter(hosted);
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.0.state().reserved -= 1;
    }
}

impl Board {
    pub(super) fn new(running_max: usize, ended_max: usize) -> Self {
        Self {
            running_max,
            ended_max,
            state: Mutex::default(),
        }
    }

    /// A place, unless all are taken or the board is closed.
    pub(super) fn permit(&self) -> Option<Permit<'_>> {
        let mut state = self.state();
        if state.closed || state.running.len() + state.reserved >= self.running_max {
            return None;
        }
        state.reserved += 1;
        Some(Permit(self))
    }

    /// Adds a match whatever the bound: one from before a restart.
    pub(super) fn enter(&self, hosted: Arc<HostedMatch>) {
        self.state().running.insert(hosted.info.market, hosted);
    }

    /// Moves a match to the ended ones.
    pub(super) fn leave(&self, market: u64) {
        let mut state = self.state();
        if let Some(hosted) = state.running.remove(&market) {
            state.ended.push_back(hosted);
        }
        while state.ended.len() > self.ended_max {
            state.ended.pop_front();
        }
    }

    /// Gives no more places.
    pub(super) fn close(&self) {
        self.state().closed = true;
    }

    /// The match with this number, if it is at hand.
    pub(super) fn find(&self, market: u64) -> Option<Arc<HostedMatch>> {
        let state = self.state();
        let ended = || {
            state
                .ended
                .iter()
                .find(|hosted| hosted.info.market == market)
        };
        state.running.get(&market).or_else(ended).cloned()
    }

    /// All matches at hand, newest first, running ones before ended ones.
    pub(super) fn matches(&self) -> Vec<Arc<HostedMatch>> {
        let state = self.state();
        state
            .running
            .values()
            .rev()
            .chain(state.ended.iter().rev())
            .cloned()
            .collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
