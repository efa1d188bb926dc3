//! What sessions and seats need of users' programs: where they are found, how they are guarded, and how many run.

use super::launch::{Launch, Programs};
use super::shelf::Shelf;
use super::starting::Starts;
use crate::config::Config;
use crate::link::program::{
    Cgroup, Guard, MEMORY, NO_CGROUP, ProgramOptions, Protection, no_isolation, protections,
};
use games::neutral::LINE_MAX;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// How much lower than the daemon's their priority is, of 19 at most: however many of them compute or start at once, it
/// answers for them in time.
const NICE: u8 = 10;
/// The word in the configuration for the cgroup that is delegated to the daemon.
const OWN: &str = "own";
/// For how long what was found stays found: many matches begin at once.
const FRESH: Duration = Duration::from_secs(1);
/// Names that are remembered at most.
const REMEMBERED_MAX: usize = 1_024;

/// What names meant, and since when that is known. Names that mean nothing are strangers' and as many as they like:
/// they never push out the others.
#[derive(Default)]
struct Recent {
    found: HashMap<String, (Instant, Arc<Launch>)>,
    missing: HashMap<String, Instant>,
}

impl Recent {
    /// What a name means, if that is known; inside, `None`: nothing.
    fn get(&self, name: &str) -> Option<Option<Arc<Launch>>> {
        if let Some((since, launch)) = self.found.get(name)
            && since.elapsed() < FRESH
        {
            return Some(Some(Arc::clone(launch)));
        }
        let since = self.missing.get(name)?;
        (since.elapsed() < FRESH).then_some(None)
    }

    fn set(&mut self, name: &str, found: Option<Arc<Launch>>) {
        let now = Instant::now();
        if let Some(launch) = found {
            self.missing.remove(name);
            if self.found.len() >= REMEMBERED_MAX {
                self.found.clear();
            }
            self.found.insert(name.to_owned(), (now, launch));
        } else {
            self.found.remove(name);
            if self.missing.len() >= REMEMBERED_MAX {
                self.missing.clear();
            }
            self.missing.insert(name.to_owned(), now);
        }
    }
}

/// Why programs have no cgroup.
#[derive(Debug, thiserror::Error)]
enum NoCgroup {
    #[error("bots.cgroup = \"own\" is the daemon's, which says at its start whether it has one")]
    OfDaemon,
    #[error("bots.cgroup: {}: {why}", folder.display())]
    Configured { folder: PathBuf, why: io::Error },
    #[error(transparent)]
    Own(io::Error),
}

/// What this configuration says of cgroups, but for one that is delegated to the daemon alone.
fn cgroup(config: &Config) -> Result<Option<Cgroup>, NoCgroup> {
    match config.bots.cgroup.as_deref() {
        None => Ok(None),
        Some(own) if own == Path::new(OWN) => Err(NoCgroup::OfDaemon),
        Some(folder) => {
            let usable = Cgroup::at(folder).map(Some);
            usable.map_err(|why| NoCgroup::Configured {
                folder: folder.to_owned(),
                why,
            })
        }
    }
}

/// Whether the memory of all processes of a program is limited together.
fn together(protections: &mut [Protection], has_cgroup: &Result<bool, String>) {
    let memory = protections.iter_mut().find(|known| known.name == MEMORY);
    let Some(memory) = memory.filter(|memory| memory.missing.as_deref() == Some(NO_CGROUP)) else {
        return;
    };
    match has_cgroup {
        Ok(true) => memory.missing = None,
        Ok(false) => {}
        Err(why) => memory.missing = Some(format!("{NO_CGROUP} ({why})")),
    }
}

/// Which protections of users' programs hold on this machine with this configuration.
#[must_use]
pub fn protections_of(config: &Config) -> Vec<Protection> {
    let mut protections = protections(no_isolation());
    let cgroup = cgroup(config).map_err(|why| why.to_string());
    together(&mut protections, &cgroup.map(|cgroup| cgroup.is_some()));
    protections
}

/// Users' programs. Its clones are the same one.
#[derive(Clone)]
pub struct Bots {
    shelf: Arc<dyn Programs>,
    /// `None`: programs are not guarded.
    guard: Option<Arc<TriedGuard>>,
    running: Arc<AtomicUsize>,
    running_max: usize,
    starts: Starts,
    /// How much lower than ours their priority is, up to 19.
    nice: u8,
    /// Whether each is stopped while nothing is asked of it.
    rests: bool,
    /// Where each gets a cgroup of its own.
    cgroup: Option<Arc<Cgroup>>,
    recent: Arc<Mutex<Recent>>,
}

/// A guard that depends on what this machine offers. To find that out a few processes are started, once.
type TriedGuard = LazyLock<Guard, Box<dyn FnOnce() -> Guard + Send>>;

impl fmt::Debug for Bots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let running = self.running.load(Ordering::Relaxed);
        write!(f, "Bots({running} running)")
    }
}

impl Bots {
    /// The programs of this shelf, without a guard.
    #[must_use]
    pub fn new(shelf: Arc<dyn Programs>) -> Self {
        Self {
            shelf,
            guard: None,
            running: Arc::default(),
            running_max: Config::default().bots.running_max,
            starts: Starts::default(),
            nice: 0,
            rests: false,
            cgroup: None,
            recent: Arc::default(),
        }
    }

    /// The same on this shelf.
    #[must_use]
    pub fn on(self, shelf: impl Programs + 'static) -> Self {
        Self {
            shelf: Arc::new(shelf),
            recent: Arc::default(),
            ..self
        }
    }

    /// The same with n programs that run at once at most.
    #[must_use]
    pub fn at_most(self, running_max: usize) -> Self {
        Self {
            running_max,
            ..self
        }
    }

    /// The same at a priority that is so much lower than ours, up to 19: the host of matches must not wait for those
    /// who play them.
    #[must_use]
    pub fn behind(self, nice: u8) -> Self {
        Self { nice, ..self }
    }

    /// The same, each stopped while nothing is asked of it: what it does then must not slow down the others.
    #[must_use]
    pub fn resting(self) -> Self {
        Self {
            rests: true,
            ..self
        }
    }

    /// Whether each is stopped while nothing is asked of it.
    pub(super) const fn rests(&self) -> bool {
        self.rests
    }

    /// The programs on the shelf of this configuration, each started under a guard, so that none outlives this
    /// process. What this machine lacks to hold them back is logged.
    #[must_use]
    pub fn from_config(config: &Config) -> Self {
        Self::within(config, cgroup(config))
    }

    /// The same for the daemon: each in a cgroup of its own, if one is delegated to this process and the configuration
    /// says so, and all at a priority below that of their matches' host.
    #[must_use]
    pub fn hosted(config: &Config) -> Self {
        let cgroup = match config.bots.cgroup.as_deref() == Some(Path::new(OWN)) {
            true => Cgroup::own().map(Some).map_err(NoCgroup::Own),
            false => cgroup(config),
        };
        Self::within(config, cgroup).behind(NICE)
    }

    fn within(config: &Config, cgroup: Result<Option<Cgroup>, NoCgroup>) -> Self {
        let has_cgroup = cgroup.as_ref().map(Option::is_some);
        let has_cgroup = has_cgroup.map_err(ToString::to_string);
        let try_machine = move || {
            let mut protections = protections(no_isolation());
            together(&mut protections, &has_cgroup);
            let missing = protections.iter();
            let missing = missing.filter(|protection| protection.missing.is_some());
            let missing: Vec<&str> = missing.map(|protection| &*protection.name).collect();
            if !missing.is_empty() {
                tracing::info!(
                    missing = missing.join(" "),
                    "not all protections from users' programs hold here: see drover bot protections, and \
                     docs/your-first-bot.md (memory: bots.cgroup)"
                );
            }
            Guard::from_protections(&protections)
        };
        let tried = Arc::new(LazyLock::new(Box::new(try_machine) as _));
        let guard = Arc::clone(&tried);
        // Who starts a program before this thread has done it waits; without the thread, the first one does it.
        let thread = Builder::new().name("guard".to_owned());
        let _ = thread.spawn(move || {
            LazyLock::force(&guard);
        });
        Self {
            cgroup: cgroup.ok().flatten().map(Arc::new),
            guard: Some(tried),
            ..Self::new(Arc::new(Shelf::from_config(config))).at_most(config.bots.running_max)
        }
    }

    /// No programs at all.
    #[must_use]
    pub fn none() -> Self {
        Self::new(Arc::new(|_: &str, _: Option<&str>| None))
    }

    /// The program that `name` means: `NAME` or `NAME@VERSION`. What was added a moment ago may be found a second
    /// later. Reads the disk if it must: not for the runtime's threads.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Arc<Launch>> {
        if let Some(found) = self.recent.lock().get(name) {
            return found;
        }
        let (bare, version) = match name.split_once('@') {
            Some((bare, version)) => (bare, Some(version)),
            None => (name, None),
        };
        let found = self.shelf.find(bare, version).map(Arc::new);
        self.recent.lock().set(name, found.clone());
        found
    }

    /// The same without blocking the caller: names come from strangers.
    pub async fn look(&self, name: &str) -> Option<Arc<Launch>> {
        if let Some(found) = self.recent.lock().get(name) {
            return found;
        }
        let (bots, name) = (self.clone(), name.to_owned());
        let looked = tokio::task::spawn_blocking(move || bots.find(&name)).await;
        looked.unwrap_or_else(|error| {
            tracing::error!(%error, "a program could not be looked for");
            None
        })
    }

    /// How this program is started.
    #[must_use]
    pub fn options(&self, launch: &Launch) -> ProgramOptions {
        let mut options = launch.options(LINE_MAX, self.guard.as_ref().map(|guard| ***guard));
        options.limits.nice = self.nice;
        options.limits.cgroup.clone_from(&self.cgroup);
        options
    }

    /// Whose turn it is to start.
    pub(super) const fn starts(&self) -> &Starts {
        &self.starts
    }

    /// A place for one more running program.
    pub(super) fn place(&self) -> Option<Place> {
        let place = Place(Arc::clone(&self.running));
        (self.running.fetch_add(1, Ordering::Relaxed) < self.running_max).then_some(place)
    }
}

impl Default for Bots {
    fn default() -> Self {
        Self::none()
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
    use super::*;

    #[test]
    fn places_are_counted_and_given_back() {
        let bots = Bots::none().at_most(12);
        let mut places: Vec<_> = (0..12).map(|_| bots.place()).collect();
        assert!(places.iter().all(Option::is_some));
        assert!(bots.place().is_none());
        places.truncate(10);
        assert!(bots.place().is_some());
        assert_eq!(format!("{bots:?}"), "Bots(10 running)");
    }

    #[tokio::test]
    async fn what_means_nothing_does_not_push_out_what_is_there() {
        let reads = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&reads);
        let find = move |name: &str, version: Option<&str>| {
            counted.fetch_add(1, Ordering::Relaxed);
            (name == "mine" && version.is_none()).then(Launch::default)
        };
        let bots = Bots::new(Arc::new(find));
        assert!(bots.look("mine").await.is_some());
        let begun = Instant::now();
        for number in 0..REMEMBERED_MAX * 2 {
            assert!(bots.find(&format!("none-{number}")).is_none());
        }
        assert!(bots.look("mine").await.is_some());
        assert!(bots.look("mine@2").await.is_none());
        if begun.elapsed() < FRESH {
            assert_eq!(reads.load(Ordering::Relaxed), REMEMBERED_MAX * 2 + 2);
        }
    }
}
