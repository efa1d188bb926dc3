//! How busy the machine is, and with what: how late this process wakes up, what its programs take, and what others do.

use super::together::{Processes, children, family};
use parking_lot::Mutex;
use serde::Serialize;
use std::collections::vec_deque::Iter;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use std::{fmt, fs};

/// How often it is looked at.
const EVERY: Duration = Duration::from_millis(250);
/// For how long what was seen is kept: longer than a match takes, at whose end it is looked up.
const KEPT: Duration = Duration::from_secs(2 * 60 * 60);
/// From this share of the machine on, what others take makes programs late if nothing is left.
const OTHERS_MIN: f64 = 0.25;
/// With more of it idle than this, nobody waits for a core.
const IDLE_MAX: f64 = 0.1;
/// A wake-up that is later than this makes programs late.
const LATE_MIN: Duration = Duration::from_millis(50);
/// With more than this share taken by what this process started, late wake-ups are their doing.
const OWN_MAX: f64 = 0.5;
/// Fields of a process's `stat` after its name: its parent, its own ticks, and when it began.
const PARENT: usize = 1;
const TICKS: std::ops::RangeInclusive<usize> = 11..=12;
const BEGAN: usize = 19;
/// The idle fields of the first line of `/proc/stat`, what other machines took, and how many fields are added up:
/// guests' time is in others'.
const IDLE: std::ops::RangeInclusive<usize> = 3..=4;
const STOLEN: usize = 7;
const FIELDS: usize = 8;

/// Ticks of all cores up to a moment.
#[derive(Clone, Copy, Debug, Default)]
struct Ticks {
    all: u64,
    idle: u64,
    /// Of processes that do not descend from this one, as far as they were seen twice, and of other machines. What
    /// nobody was seen to take counts as ours: no program can add to others' by hiding.
    others: u64,
}

/// What was seen at a moment.
#[derive(Clone, Copy, Debug)]
struct Sample {
    at: Instant,
    ticks: Ticks,
    /// How much later than it wanted to the watching thread woke up.
    late: Duration,
}

/// How busy the machine was for a while. Shares are of all cores, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// How late this process woke up at worst.
    pub late: Duration,
    /// What this process and its programs took.
    pub own: f64,
    /// What others took.
    pub others: f64,
    /// What nobody took.
    pub idle: f64,
}

impl Load {
    /// Why the machine, and nothing that this process started, may have made a program late; `None` if it did not.
    #[must_use]
    pub fn excuse(&self) -> Option<String> {
        if self.others >= OTHERS_MIN && self.idle <= IDLE_MAX {
            let percent = self.others * 100.0;
            return Some(format!("others took {percent:.0} % of the machine"));
        }
        let ms = self.late.as_millis();
        (self.late >= LATE_MIN && self.own <= OWN_MAX)
            .then(|| format!("the arbiter itself woke up {ms} ms late"))
    }
}

/// What the machine was like while matches were played.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MachineReport {
    /// How late the arbiter woke up at worst, in milliseconds.
    pub late_ms_max: f64,
    /// The share of all cores that the run took, its programs included.
    pub own: f64,
    /// The share that others took.
    pub others: f64,
    /// Matches that were played again since the machine made a program late.
    pub replayed: u64,
}

impl fmt::Display for MachineReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            late_ms_max,
            own,
            others,
            replayed,
        } = self;
        write!(
            out,
            "the machine: {:.0} % taken by this run, {:.0} % by others; the arbiter woke up {late_ms_max:.0} ms late at worst; \
             matches played again for that: {replayed}",
            own * 100.0,
            others * 100.0
        )
    }
}

/// Watches the machine until the last clone is dropped.
#[derive(Clone, Debug)]
pub struct Machine(Arc<Watched>);

#[derive(Debug)]
struct Watched {
    samples: Mutex<Samples>,
    replayed: AtomicU64,
    /// What tests say that the machine is like.
    pretended: Option<Load>,
}

#[derive(Debug, Default)]
struct Samples {
    first: Option<Sample>,
    kept: VecDeque<Sample>,
    late_max: Duration,
    /// When each other process began, and its ticks when it was last seen.
    seen: HashMap<i32, (u64, u64)>,
    /// What they took while they were seen.
    others: u64,
}

impl Machine {
    /// Begins to watch. Where the system gives no thread, only how busy it is at the end of a while is known.
    #[must_use]
    pub fn watch() -> Self {
        Self::pretended(None)
    }

    /// One that is always like this.
    #[cfg(test)]
    pub(crate) fn pretending(load: Load) -> Self {
        Self::pretended(Some(load))
    }

    fn pretended(pretended: Option<Load>) -> Self {
        let mut samples = Samples::default();
        samples.take(Duration::ZERO);
        let this = Arc::new(Watched {
            samples: Mutex::new(samples),
            replayed: AtomicU64::new(0),
            pretended,
        });
        let watched = Arc::downgrade(&this);
        let thread = std::thread::Builder::new().name("machine".to_owned());
        // Its end is that of the samples.
        drop(thread.spawn(move || look_on(&watched)));
        Self(this)
    }

    /// How busy it was between these moments; nothing if that was hours ago. If the second one was just now, it looks at
    /// all processes once more.
    #[must_use]
    pub fn between(&self, from: Instant, to: Instant) -> Load {
        if let Some(load) = self.0.pretended {
            return load;
        }
        let mut samples = self.0.samples.lock();
        if samples.kept.back().is_none_or(|last| last.at < to) {
            samples.take(Duration::ZERO);
        }
        load(around(&samples.kept, from, to))
    }
}

impl Machine {
    /// A match is played again for the machine's sake.
    pub fn replays(&self) {
        self.0.replayed.fetch_add(1, Ordering::Relaxed);
    }

    /// What it was like since it has been watched.
    #[must_use]
    pub fn report(&self) -> MachineReport {
        let mut samples = self.0.samples.lock();
        samples.take(Duration::ZERO);
        let whole = [samples.first, samples.kept.back().copied()];
        let whole: Vec<Sample> = whole.into_iter().flatten().collect();
        let whole = load(&whole);
        MachineReport {
            late_ms_max: samples.late_max.as_secs_f64() * 1e3,
            own: whole.own,
            others: whole.others,
            replayed: self.0.replayed.load(Ordering::Relaxed),
        }
    }
}

/// The fewest of these samples, in order, that the while between these moments lies among, as far as they go.
fn around(samples: &VecDeque<Sample>, from: Instant, to: Instant) -> Iter<'_, Sample> {
    let begin = samples.partition_point(|sample| sample.at <= from);
    let end = samples.partition_point(|sample| sample.at < to) + 1;
    let end = end.min(samples.len());
    samples.range(begin.saturating_sub(1).min(end)..end)
}

/// How busy the machine was from the first of these to the last.
fn load<'a>(samples: impl IntoIterator<Item = &'a Sample>) -> Load {
    let mut samples = samples.into_iter();
    let Some(first) = samples.next() else {
        return Load::default();
    };
    let (mut last, mut late) = (first, Duration::ZERO);
    for sample in samples {
        last = sample;
        late = late.max(sample.late);
    }
    let since = |of: fn(&Ticks) -> u64| of(&last.ticks).saturating_sub(of(&first.ticks)) as f64;
    let all = since(|ticks| ticks.all).max(1.0);
    let (others, idle) = (since(|ticks| ticks.others), since(|ticks| ticks.idle));
    let (others, idle) = ((others / all).min(1.0), (idle / all).min(1.0));
    Load {
        late,
        own: (1.0 - others - idle).max(0.0),
        others,
        idle,
    }
}

fn look_on(watched: &Weak<Watched>) {
    loop {
        let due = Instant::now() + EVERY;
        while Instant::now() < due {
            std::thread::park_timeout(due.saturating_duration_since(Instant::now()));
        }
        let late = due.elapsed();
        let Some(watched) = watched.upgrade() else {
            return;
        };
        watched.samples.lock().take(late);
    }
}

impl Samples {
    /// Looks at the machine, unless it does not show itself.
    fn take(&mut self, late: Duration) {
        let at = Instant::now();
        let Some(ticks) = self.ticks() else { return };
        let sample = Sample { at, ticks, late };
        self.late_max = late.max(self.late_max);
        self.first.get_or_insert(sample);
        self.kept.push_back(sample);
        let old = |first: &Sample| at.saturating_duration_since(first.at) > KEPT;
        while self.kept.front().is_some_and(old) {
            self.kept.pop_front();
        }
    }

    fn ticks(&mut self) -> Option<Ticks> {
        let stat = fs::read_to_string("/proc/stat").ok()?;
        let line = stat.lines().next()?.split_whitespace().skip(1);
        let fields: Vec<u64> = line
            .take(FIELDS)
            .map_while(|field| field.parse().ok())
            .collect();
        let (idle, stolen) = (fields.get(IDLE)?.iter().sum(), *fields.get(STOLEN)?);
        let processes = fs::read_dir("/proc").ok()?.flatten();
        let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let (parents, mut taken): (Processes, HashMap<i32, (u64, u64)>) = numbers
            .filter_map(|process| {
                let (parent, taken) = taken(process)?;
                Some(((process, parent), (process, taken)))
            })
            .unzip();
        let own = i32::try_from(std::process::id()).ok()?;
        for process in family(own, &children(&parents)) {
            taken.remove(&process);
        }
        for (process, (began, ticks)) in &taken {
            // What one took before it was seen is not known to be of this while.
            if let Some((_, before)) = self.seen.get(process).filter(|seen| seen.0 == *began) {
                self.others += ticks.saturating_sub(*before);
            }
        }
        self.seen = taken;
        Some(Ticks {
            all: fields.iter().sum(),
            idle,
            others: self.others + stolen,
        })
    }
}

/// A process's parent, when it began, and the ticks that it took.
fn taken(process: i32) -> Option<(i32, (u64, u64))> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name is in parentheses and may contain anything.
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
    let ticks = TICKS.filter_map(number).sum();
    Some((fields.get(PARENT)?.parse().ok()?, (number(BEGAN)?, ticks)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(at: Instant, (all, idle, own): (u64, u64, u64), late_ms: u64) -> Sample {
        let others = all - idle - own;
        Sample {
            at,
            ticks: Ticks { all, idle, others },
            late: Duration::from_millis(late_ms),
        }
    }

    #[test]
    fn others_excuse_and_own_programs_never_do() {
        let at = Instant::now();
        let reason = |of: (u64, u64, u64), late_ms: u64| {
            let from = sample(at, (1_000, 500, 100), 900);
            let to = sample(at, (1_000 + of.0, 500 + of.1, 100 + of.2), late_ms);
            load(&[from, to]).excuse()
        };
        let why = reason((100, 0, 50), 0).unwrap();
        assert_eq!(why, "others took 50 % of the machine");
        // With a core to spare nobody is late for others' sake.
        assert_eq!(reason((100, 50, 0), 0), None);
        // However late all are, programs that take the machine are no excuse.
        assert_eq!(reason((100, 0, 95), 5_000), None);
        // The machine stood still.
        let why = reason((100, 90, 5), 320).unwrap();
        assert_eq!(why, "the arbiter itself woke up 320 ms late");
        assert_eq!(reason((100, 90, 5), 20), None);
        assert_eq!(load([]).excuse(), None);
    }

    #[test]
    fn a_while_is_looked_up_among_the_samples_around_it() {
        let at = Instant::now();
        let moment = |second: u64| at + Duration::from_secs(second);
        let samples: VecDeque<Sample> = (10..20)
            .map(|second| sample(moment(second), (second, 0, 0), second))
            .collect();
        let found = |from: u64, to: u64| {
            let ticks = around(&samples, moment(from), moment(to));
            ticks.map(|sample| sample.ticks.all).collect::<Vec<_>>()
        };
        assert_eq!(found(12, 14), [12, 13, 14]);
        assert_eq!(found(19, 30), [19]);
        assert_eq!(found(5, 11), [10, 11]);
        assert_eq!(found(15, 15), [15]);
        // What is not kept any more excuses nobody.
        assert_eq!(load(around(&samples, moment(1), moment(5))).excuse(), None);
        let none = VecDeque::new();
        assert_eq!(around(&none, moment(1), moment(5)).len(), 0);
    }

    /// Whatever ends takes what it took with it, where nobody waits for it.
    #[test]
    fn what_this_process_starts_is_its_own_also_where_it_hides() {
        let machine = Machine::watch();
        let from = Instant::now();
        let burns = "i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done";
        let hides = format!("trap '' CHLD; for n in 1 2 3 4 5; do sh -c '{burns}'; done");
        let mut child = std::process::Command::new("sh")
            .args(["-c", &hides])
            .spawn()
            .unwrap();
        child.wait().unwrap();
        let load = machine.between(from, Instant::now());
        assert!(load.own > 0.0, "{load:?}");
        let whole = load.own + load.others + load.idle;
        assert!((0.99..1.01).contains(&whole), "{load:?}");
        let mut samples = machine.0.samples.lock();
        let own = i32::try_from(std::process::id()).unwrap();
        assert!(samples.seen.contains_key(&1) && !samples.seen.contains_key(&own));
        let before = samples.others;
        // One that has begun again under the same number has taken nothing yet.
        samples.seen.insert(1, (u64::MAX, 0));
        samples.take(Duration::ZERO);
        let ticks = samples.others - before;
        assert!(ticks < 1_000, "{ticks}");
    }
}
