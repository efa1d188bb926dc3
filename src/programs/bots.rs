//! What sessions need of users' programs: where they are found, how they are guarded, and how many run.

use super::launch::{Launch, Programs};
use crate::link::program::Guard;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Programs that run at once at most.
pub const RUNNING_MAX: usize = 1_000;
/// For how long what was found stays found: each message of a match asks.
const FRESH: Duration = Duration::from_secs(1);
/// Names that are remembered at most.
const REMEMBERED_MAX: usize = 1_024;

/// What a name meant, and since when that is known.
type Found = (Instant, Option<Arc<Launch>>);

/// Users' programs. Its clones are the same one.
#[derive(Clone)]
pub struct Bots {
    shelf: Arc<dyn Programs>,
    pub(super) guard: Option<Guard>,
    running: Arc<AtomicUsize>,
    recent: Arc<Mutex<HashMap<String, Found>>>,
}

impl fmt::Debug for Bots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let running = self.running.load(Ordering::Relaxed);
        write!(f, "Bots({running} running)")
    }
}

impl Bots {
    /// The programs of this shelf. `guard`: as in [`crate::link::program::ProgramOptions`].
    #[must_use]
    pub fn new(shelf: Arc<dyn Programs>, guard: Option<Guard>) -> Self {
        Self {
            shelf,
            guard,
            running: Arc::default(),
            recent: Arc::default(),
        }
    }

    /// No programs at all.
    #[must_use]
    pub fn none() -> Self {
        Self::new(Arc::new(|_: &str, _: Option<&str>| None), None)
    }

    /// The program that `name` means: `NAME` or `NAME@VERSION`. What was added a moment ago may be found a second
    /// later.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Arc<Launch>> {
        if let Some((since, found)) = self.recent.lock().get(name)
            && since.elapsed() < FRESH
        {
            return found.clone();
        }
        let (bare, version) = match name.split_once('@') {
            Some((bare, version)) => (bare, Some(version)),
            None => (name, None),
        };
        let found = self.shelf.find(bare, version).map(Arc::new);
        let mut recent = self.recent.lock();
        if recent.len() >= REMEMBERED_MAX {
            recent.clear();
        }
        recent.insert(name.to_owned(), (Instant::now(), found.clone()));
        found
    }

    /// A place for one more running program.
    pub(super) fn place(&self) -> Option<Place> {
        let place = Place(Arc::clone(&self.running));
        (self.running.fetch_add(1, Ordering::Relaxed) < RUNNING_MAX).then_some(place)
    }
}

/// A running program's place; free again when it is dropped.
pub(super) struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::{Bots, RUNNING_MAX};

    #[test]
    fn places_are_counted_and_given_back() {
        let bots = Bots::none();
        let mut places: Vec<_> = (0..RUNNING_MAX).map(|_| bots.place()).collect();
        assert!(places.iter().all(Option::is_some));
        assert!(bots.place().is_none());
        places.truncate(10);
        assert!(bots.place().is_some());
        assert_eq!(format!("{bots:?}"), "Bots(10 running)");
    }
}
