//! Processes that wait for a match: started ahead, or kept from one that ended well. Each has understood `hello`, and is
//! asked for nothing.

use super::bots::{Bots, Place};
use super::launch::{Instances, Launch, Programs};
use super::runner::Word;
use crate::link::program::{LineFault, Program};
use games::neutral::{self, Hello, Said, written};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// Processes of a bot's version that are started ahead for a game.
pub(super) const POOL: usize = 2;
/// Processes of a bot's version that are kept for the next match of a game at most.
pub(super) const KEPT_MAX: usize = 8;
/// How long one waits for a match at most.
const IDLE_MAX: Duration = Duration::from_secs(600);
/// How long one that is started ahead may take to say that it is ready.
const READY_WITHIN: Duration = Duration::from_secs(10);
/// How often those that wait are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The stack of a thread that looks after them, starts one or ends one.
const STACK: usize = 256 << 10;

/// What a process can be given a match of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Kind {
    bot: String,
    version: String,
    /// Of the folder that was added: a version that was removed may have been added anew.
    digest: String,
    game: &'static str,
}

impl Kind {
    fn of(launch: &Launch, game: &'static str) -> Self {
        Self {
            bot: launch.name.clone(),
            version: launch.version.clone(),
            digest: launch.digest.clone(),
            game,
        }
    }

    /// Whether this is what the shelf has by its name and version.
    fn is_on(&self, shelf: &dyn Programs) -> bool {
        let found = shelf.find(&self.bot, Some(&self.version));
        found.is_some_and(|found| found.digest == self.digest)
    }
}

/// The version that a bot's name alone means.
fn last_version(shelf: &dyn Programs, bot: &str) -> Option<String> {
    shelf.find(bot, None).map(|found| found.version)
}

/// A process that waits.
struct Spare {
    program: Program,
    place: Place,
    since: Instant,
    /// The version that its bot's name alone meant: once that is another one, it waits no more.
    last: Option<String>,
}

impl Spare {
    /// Whether it runs and has said nothing.
    fn is_quiet(&mut self) -> bool {
        if self.program.read() == 0 {
            self.program.notice_exit();
        }
        matches!(self.program.heard(), Ok(None)) && self.program.unheard().is_empty()
    }

    /// Ends it and gives its place back then.
    fn end(self) -> Option<JoinHandle<()>> {
        end(self.program, self.place)
    }
}

/// Ends a program on a thread, which can be waited for, and lets go of what it held; without one it is killed here and now.
fn end(program: Program, held: impl Send + 'static) -> Option<JoinHandle<()>> {
    let work = move || {
        let mut program = program;
        program.dismiss(None);
        drop(program.end());
        drop(held);
    };
    thread("ending", work)
}

fn thread(name: &str, work: impl FnOnce() + Send + 'static) -> Option<JoinHandle<()>> {
    let builder = Builder::new().name(name.to_owned()).stack_size(STACK);
    builder.spawn(work).ok()
}

/// Those that wait, and how many are on the way.
#[derive(Default)]
struct Room {
    spares: HashMap<Kind, Vec<Spare>>,
    starting: HashMap<Kind, usize>,
    is_watched: bool,
    is_closed: bool,
}

impl Room {
    fn count(&self, kind: &Kind) -> usize {
        let starting = self.starting.get(kind).copied().unwrap_or(0);
        self.spares.get(kind).map_or(0, Vec::len) + starting
    }

    /// Takes out those of which this is true.
    fn take(&mut self, mut goes: impl FnMut(&Kind, &mut Spare) -> bool) -> Vec<Spare> {
        let mut taken = Vec::new();
        for (kind, spares) in &mut self.spares {
            taken.extend(spares.extract_if(.., |spare| goes(kind, spare)));
        }
        self.spares.retain(|_, spares| !spares.is_empty());
        taken
    }
}

/// Processes that wait for a match.
pub(super) struct Waiting {
    room: Mutex<Room>,
    idle_max: Duration,
    look_every: Duration,
}

impl Default for Waiting {
    fn default() -> Self {
        Self {
            room: Mutex::default(),
            idle_max: IDLE_MAX,
            look_every: LOOK_EVERY,
        }
    }
}

/// Those that wait have a moment to end by themselves.
impl Drop for Waiting {
    fn drop(&mut self) {
        self.close();
    }
}

impl Waiting {
    /// A process of this bot that is ready for a match of this game, and its place.
    pub(super) fn take(&self, launch: &Launch, game: &'static str) -> Option<(Program, Place)> {
        if launch.instances == Instances::Match {
            return None;
        }
        let kind = Kind::of(launch, game);
        loop {
            // The one that waited least: the others may end.
            let mut spare = {
                let mut room = self.room.lock();
                let spares = room.spares.get_mut(&kind)?;
                let spare = spares.pop();
                if spares.is_empty() {
                    room.spares.remove(&kind);
                }
                spare?
            };
            if spare.is_quiet() {
                return Some((spare.program, spare.place));
            }
            // Nobody waits for its end.
            let _ = spare.end();
        }
    }

    /// Keeps a process that is ready for another match, or ends it if enough are there.
    pub(super) fn keep(
        self: &Arc<Self>,
        bots: &Bots,
        (launch, game): (&Launch, &'static str),
        (program, place): (Program, Place),
    ) {
        self.put(bots, Kind::of(launch, game), (program, place), KEPT_MAX);
    }

    fn put(
        self: &Arc<Self>,
        bots: &Bots,
        kind: Kind,
        (program, place): (Program, Place),
        most: usize,
    ) {
        let mut spare = Spare {
            program,
            place,
            since: Instant::now(),
            last: last_version(&**bots.shelf(), &kind.bot),
        };
        let sound = spare.is_quiet();
        let mut room = self.room.lock();
        let spares = room.spares.get(&kind).map_or(0, Vec::len);
        if !sound || room.is_closed || spares >= most || !self.is_watched(&mut room, bots) {
            drop(room);
            // Nobody waits for its end.
            let _ = spare.end();
            return;
        }
        room.spares.entry(kind).or_default().push(spare);
    }

    /// Has as many processes of this bot started ahead as shall wait, if it wants that.
    pub(super) fn fill(self: &Arc<Self>, bots: &Bots, launch: &Arc<Launch>, game: &'static str) {
        if launch.instances != Instances::Pool {
            return;
        }
        let kind = Kind::of(launch, game);
        loop {
            {
                let mut room = self.room.lock();
                if room.is_closed || room.count(&kind) >= POOL {
                    return;
                }
                *room.starting.entry(kind.clone()).or_default() += 1;
            }
            let (own, bots, launch) = (Arc::clone(self), bots.clone(), Arc::clone(launch));
            let started = kind.clone();
            let work = move || {
                if let Some(ready) = begun(&bots, &launch, game) {
                    own.put(&bots, started.clone(), ready, POOL);
                }
                own.arrived(&started);
            };
            if thread("ahead", work).is_none() {
                self.arrived(&kind);
                return;
            }
        }
    }

    /// One that was on the way is there, or will not come.
    fn arrived(&self, kind: &Kind) {
        let mut room = self.room.lock();
        if let Some(count) = room.starting.get_mut(kind) {
            *count -= 1;
            if *count == 0 {
                room.starting.remove(kind);
            }
        }
    }

    /// The place of the one that waited longest, which ends.
    pub(super) fn yields(&self) -> Option<Place> {
        let mut room = self.room.lock();
        let oldest = room
            .spares
            .values()
            .flatten()
            .map(|spare| spare.since)
            .min()?;
        let mut found = false;
        let mut first =
            |spare: &Spare| spare.since == oldest && !std::mem::replace(&mut found, true);
        let spare = room.take(|_, spare| first(spare)).pop()?;
        drop(room);
        // Nobody waits for its end.
        let _ = end(spare.program, ());
        Some(spare.place)
    }

    /// Ends all that wait, and keeps none from now on. Blocks for up to two seconds.
    pub(super) fn close(&self) {
        let all = {
            let mut room = self.room.lock();
            room.is_closed = true;
            room.take(|_, _| true)
        };
        let ending: Vec<_> = all.into_iter().filter_map(Spare::end).collect();
        for thread in ending {
            // One that panicked has killed its process.
            let _ = thread.join();
        }
    }

    /// Sees to it that somebody looks after those that wait; whether somebody does.
    fn is_watched(self: &Arc<Self>, room: &mut Room, bots: &Bots) -> bool {
        if !room.is_watched {
            let (own, shelf) = (Arc::downgrade(self), Arc::clone(bots.shelf()));
            let every = self.look_every;
            let watch = thread("waiting", move || watch(&own, &*shelf, every));
            room.is_watched = watch.is_some();
        }
        room.is_watched
    }

    /// Ends those that are of no use any more. Whether any is left.
    fn look(&self, shelf: &dyn Programs) -> bool {
        let kinds: Vec<Kind> = self.room.lock().spares.keys().cloned().collect();
        // The disk is read while nobody waits for that.
        let known = kinds.into_iter().map(|kind| {
            let about = (kind.is_on(shelf), last_version(shelf, &kind.bot));
            (kind, about)
        });
        let known: HashMap<Kind, (bool, Option<String>)> = known.collect();
        let mut room = self.room.lock();
        let gone = room.take(|kind, spare| {
            let stale = |(is_there, last): &(bool, _)| !is_there || *last != spare.last;
            known.get(kind).is_some_and(stale)
                || spare.since.elapsed() >= self.idle_max
                || !spare.is_quiet()
        });
        let any = !room.spares.is_empty();
        room.is_watched = any;
        drop(room);
        for spare in gone {
            // Nobody waits for its end.
            let _ = spare.end();
        }
        any
    }

    /// The same with other times, for tests.
    #[cfg(test)]
    pub(super) fn timed(idle_max: Duration, look_every: Duration) -> Self {
        Self {
            room: Mutex::default(),
            idle_max,
            look_every,
        }
    }

    /// How many wait.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.room.lock().spares.values().map(Vec::len).sum()
    }
}

/// Looks after those that wait, until none does or nobody is left who could want one.
fn watch(waiting: &Weak<Waiting>, shelf: &dyn Programs, every: Duration) {
    loop {
        let next = Instant::now() + every;
        while Instant::now() < next {
            std::thread::park_timeout(next.saturating_duration_since(Instant::now()));
        }
        match waiting.upgrade() {
            Some(waiting) if waiting.look(shelf) => {}
            _ => return,
        }
    }
}

/// A process of this bot that has understood `hello`, and its place; `None`: there is no place, or it is not ready
/// in time. A match then starts one that says why.
fn begun(bots: &Bots, launch: &Launch, game: &str) -> Option<(Program, Place)> {
    let until = Instant::now() + READY_WITHIN;
    let starting = bots.starts().line_up(|| ()).come(until)?;
    let place = bots.spare_place()?;
    let mut program = Program::start(&bots.options(launch)).ok()?;
    program
        .say(&written(&Word::Hello(Hello::of(game))), until)
        .ok()?;
    let mut starting = Some(starting);
    let line = loop {
        let turn = starting.as_ref().map_or(until, |starting| starting.until);
        match program.line(turn.min(until)) {
            // It is slow: others need not be.
            Err(LineFault::Late) if starting.is_some() => starting = None,
            Ok(line) if line.trim_ascii().is_empty() && Instant::now() < until => {
                starting = starting.filter(|starting| Instant::now() < starting.until);
            }
            heard => break heard.ok()?,
        }
    };
    let ready = Said::Ready {
        protocol: neutral::VERSION,
    };
    if neutral::read(&line) != Ok(ready) {
        tracing::warn!(
            bot = launch.name,
            version = launch.version,
            "a process that is started ahead must answer `hello` with `ready` first; this one does not, and is ended"
        );
        return None;
    }
    Some((program, place))
}

#[cfg(test)]
mod tests;
