//! The matches that are running, and those that ended recently.

use super::match_info::HostedMatch;
use super::numbers::Numbers;
use games::Seat;
use parking_lot::{Mutex, MutexGuard};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;

/// The running matches, within a bound, and the last ended ones, with the numbers that they hold.
pub(in crate::referee) struct MatchRegistry {
    running_max: usize,
    ended_max: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// By id; ids rise with time.
    running: BTreeMap<String, Arc<HostedMatch>>,
    /// Slots taken by matches that are being set up.
    reserved: usize,
    ended: VecDeque<Arc<HostedMatch>>,
    markets: HashSet<u64>,
    /// By number; no one's yet while a match is being set up.
    players: HashMap<u64, Option<(Arc<HostedMatch>, Seat)>>,
    closed: bool,
}

/// A slot in the registry, returned if dropped unused.
#[must_use = "the place is given back when this is dropped"]
pub(in crate::referee) struct Permit<'a> {
    registry: &'a MatchRegistry,
    claimed: Option<Numbers>,
    /// Whether a match has taken it.
    entered: bool,
}

impl Permit<'_> {
    /// Claims these numbers instead of any claimed before, unless another match holds one of them.
    pub(in crate::referee) fn claim(&mut self, numbers: &Numbers) -> bool {
        let mut state = self.registry.state();
        if let Some(before) = self.claimed.take() {
            state.release(&before);
        }
        let used = state.markets.contains(&numbers.market)
            || numbers.ids.iter().any(|id| state.players.contains_key(id));
        if !used {
            state.markets.insert(numbers.market);
            let held = numbers.ids.iter().map(|id| (*id, None));
            state.players.extend(held);
            self.claimed = Some(numbers.clone());
        }
        !used
    }

    /// Takes the slot, and keeps its numbers.
    pub(in crate::referee) fn enter(mut self, hosted: Arc<HostedMatch>) {
        self.claimed = None;
        self.entered = true;
        let mut state = self.registry.state();
        // At once: nobody may see one of the two without the other.
        state.reserved -= 1;
        state.enter(hosted);
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        if self.entered {
            return;
        }
        let mut state = self.registry.state();
        state.reserved -= 1;
        if let Some(unused) = self.claimed.take() {
            state.release(&unused);
        }
    }
}

impl State {
    fn enter(&mut self, hosted: Arc<HostedMatch>) {
        let info = &hosted.info;
        self.markets.insert(info.market);
        for (seat, id) in (0u8..).zip(&info.ids) {
            let place = (Arc::clone(&hosted), Seat(seat));
            self.players.insert(*id, Some(place));
        }
        let id = info.match_id.clone();
        self.running.insert(id, hosted);
    }

    fn release(&mut self, numbers: &Numbers) {
        self.markets.remove(&numbers.market);
        for id in &numbers.ids {
            self.players.remove(id);
        }
    }
}

impl MatchRegistry {
    pub(in crate::referee) fn new(running_max: usize, ended_max: usize) -> Self {
        Self {
            running_max,
            ended_max,
            state: Mutex::default(),
        }
    }

    /// A slot, unless all are taken or the registry is closed.
    pub(in crate::referee) fn permit(&self) -> Option<Permit<'_>> {
        let mut state = self.state();
        if state.closed || state.running.len() + state.reserved >= self.running_max {
            return None;
        }
        state.reserved += 1;
        Some(Permit {
            registry: self,
            claimed: None,
            entered: false,
        })
    }

    /// Adds a match from before a restart, whatever the bound.
    pub(in crate::referee) fn enter(&self, hosted: Arc<HostedMatch>) {
        self.state().enter(hosted);
    }

    /// Moves a match to the ended ones.
    pub(in crate::referee) fn leave(&self, match_id: &str) {
        let mut state = self.state();
        if let Some(hosted) = state.running.remove(match_id) {
            state.ended.push_back(hosted);
        }
        while state.ended.len() > self.ended_max {
            if let Some(oldest) = state.ended.pop_front() {
                let (market, ids) = (oldest.info.market, oldest.info.ids.clone());
                state.release(&Numbers { market, ids });
            }
        }
    }

    /// Hands out no more slots.
    pub(in crate::referee) fn close(&self) {
        self.state().closed = true;
    }

    /// The match and seat of the player with this number, if still in the registry.
    pub(in crate::referee) fn find(&self, id: u64) -> Option<(Arc<HostedMatch>, Seat)> {
        self.state().players.get(&id).cloned().flatten()
    }

    /// All matches in the registry, newest first, running ones before ended ones.
    pub(in crate::referee) fn matches(&self) -> Vec<Arc<HostedMatch>> {
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
        self.state.lock()
    }
}
