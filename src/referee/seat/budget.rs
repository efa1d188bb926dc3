//! How long bots think in matches that we run ourselves, and the clock that enforces it.

use games::{Pace, Seat};
use serde::Serialize;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// A bound on one decision: `200ms`, `1m 30s` or `50000n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThinkBudget {
    /// Wall-clock time.
    Time(Duration),
    /// Nodes; each bot's description says what a node is.
    Nodes(u64),
}

/// Not a budget.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("budget {0:?} is neither a time such as 200ms or 2s nor a number of nodes such as 50000n")]
pub struct BudgetError(String);

impl FromStr for ThinkBudget {
    type Err = BudgetError;

    fn from_str(text: &str) -> Result<Self, BudgetError> {
        let refused = || BudgetError(text.to_owned());
        let nodes = text.strip_suffix('n').and_then(|text| text.parse().ok());
        match (nodes, humantime::parse_duration(text)) {
            (Some(nodes), _) if nodes > 0 => Ok(Self::Nodes(nodes)),
            (None, Ok(time)) if !time.is_zero() => Ok(Self::Time(time)),
            _ => Err(refused()),
        }
    }
}

impl fmt::Display for ThinkBudget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time(time) if time.subsec_nanos().is_multiple_of(1_000_000) => {
                write!(formatter, "{}ms", time.as_millis())
            }
            Self::Time(time) => humantime::format_duration(*time).fmt(formatter),
            Self::Nodes(nodes) => write!(formatter, "{nodes}n"),
        }
    }
}

impl Serialize for ThinkBudget {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl ThinkBudget {
    /// Nodes for one decision; unbounded for a time budget.
    #[must_use]
    pub fn nodes(self) -> u64 {
        match self {
            Self::Time(_) => u64::MAX,
            Self::Nodes(nodes) => nodes,
        }
    }

    /// Time for one decision; unbounded for a budget in nodes.
    #[must_use]
    pub fn time(self) -> Option<Duration> {
        match self {
            Self::Time(time) => Some(time),
            Self::Nodes(_) => None,
        }
    }
}

/// The clock of one match in process.
pub(crate) struct Stopwatch<'a> {
    budget: ThinkBudget,
    /// Which seats' decisions are measured: reading the clock would slow fast bots down.
    measured: Vec<bool>,
    /// Set when all play must end now.
    abort: &'a AtomicBool,
    since: Instant,
    seat: Cell<Seat>,
    began: Cell<Option<Instant>>,
    took: RefCell<Vec<Vec<Duration>>>,
}

impl<'a> Stopwatch<'a> {
    /// A clock for a match of `measured.len()` seats.
    pub(crate) fn new(budget: ThinkBudget, measured: Vec<bool>, abort: &'a AtomicBool) -> Self {
        let took = RefCell::new(measured.iter().map(|_| Vec::new()).collect());
        Self {
            budget,
            measured,
            abort,
            since: Instant::now(),
            seat: Cell::default(),
            began: Cell::default(),
            took,
        }
    }

    /// The measured times of each seat's decisions, in order.
    pub(crate) fn into_times(self) -> Vec<Vec<Duration>> {
        self.took.into_inner()
    }

    fn measures(&self, seat: Seat) -> bool {
        self.measured.get(seat.index()).copied().unwrap_or_default()
    }
}

impl Pace for Stopwatch<'_> {
    fn nodes(&self) -> u64 {
        self.budget.nodes()
    }

    fn begin(&self, seat: Seat) {
        self.seat.set(seat);
        self.began.set(self.measures(seat).then(Instant::now));
    }

    fn stop(&self) -> bool {
        if self.abort.load(Ordering::Relaxed) {
            return true;
        }
        let Some(time) = self.budget.time() else {
            return false;
        };
        let began = self.began.get().unwrap_or_else(Instant::now);
        self.began.set(Some(began));
        began.elapsed() >= time
    }

    /// A budget in nodes plays the same match on every machine: nothing may depend on time then.
    fn elapsed(&self) -> Option<Duration> {
        self.budget.time()?;
        self.began.get().map(|began| began.elapsed())
    }

    /// A bot that plays by nodes has the wire's time, too.
    fn now(&self) -> Option<Duration> {
        Some(self.since.elapsed())
    }

    fn end(&self) {
        let seat = self.seat.get();
        if let (true, Some(began)) = (self.measures(seat), self.began.take())
            && let Some(times) = self.took.borrow_mut().get_mut(seat.index())
        {
            times.push(began.elapsed());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AtomicBool, Duration, Ordering, Pace, Seat, Stopwatch, ThinkBudget};

    #[test]
    fn budgets_read_and_print() {
        let read = |text: &str| text.parse::<ThinkBudget>();
        assert_eq!(
            read("200ms"),
            Ok(ThinkBudget::Time(Duration::from_millis(200)))
        );
        assert_eq!(
            read("2s").map(|budget| budget.to_string()),
            Ok("2000ms".to_owned())
        );
        assert_eq!(read("50000n"), Ok(ThinkBudget::Nodes(50_000)));
        for time in ["1.5s", "1s 500ms", "1500 ms"] {
            let budget = read(time).map(|budget| budget.to_string());
            assert_eq!(budget, Ok("1500ms".to_owned()), "{time}");
        }
        let short = read("1500us").unwrap();
        assert_eq!(read(&short.to_string()), Ok(short));
        for text in [
            "",
            "200",
            "ms",
            "0ms",
            "0n",
            "-1n",
            "-1s",
            "99999999999999999999n",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_clock_stops_and_measures() {
        let abort = AtomicBool::new(false);
        let nodes = Stopwatch::new(ThinkBudget::Nodes(5), vec![true, false], &abort);
        nodes.begin(Seat(0));
        assert!(!nodes.stop());
        assert_eq!(nodes.elapsed(), None);
        nodes.end();
        nodes.begin(Seat(1));
        nodes.end();
        abort.store(true, Ordering::Relaxed);
        assert!(nodes.stop());
        let counts: Vec<usize> = nodes.into_times().iter().map(Vec::len).collect();
        assert_eq!(counts, [1, 0]);

        let abort = AtomicBool::new(false);
        let time = Stopwatch::new(
            ThinkBudget::Time(Duration::from_nanos(1)),
            vec![true],
            &abort,
        );
        time.begin(Seat(0));
        while !time.stop() {}
        assert!(time.elapsed().is_some());
    }
}
