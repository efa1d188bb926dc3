//! A match in process, passed on while it is played.

use super::feed::{Beginning, Feed};
use super::record::lines_of;
use games::{Exchange, Pace, Seat, Wire};
use std::cell::{Cell, RefCell};
use std::time::Duration;
use tokio::time::Instant;

/// The shortest time between two looks at a match.
const EVERY: Duration = Duration::from_millis(200);
/// A look costs the time of all that was played so far: the next one waits this many times as long.
const COST: u32 = 20;

/// The pace of a match that is passed on. One that is over before the first look is not.
pub(super) struct Followed<'a> {
    pace: &'a dyn Pace,
    feed: Feed,
    wire: Wire,
    started_us: i64,
    /// Until it is passed on.
    beginning: RefCell<Option<Beginning>>,
    /// How many lines were passed on.
    passed: Cell<usize>,
    /// When the last look began, and when there is to be another one.
    looked: Cell<Instant>,
    due: Cell<Instant>,
}

impl<'a> Followed<'a> {
    pub(super) fn new(pace: &'a dyn Pace, feed: Feed, wire: Wire, beginning: Beginning) -> Self {
        let now = Instant::now();
        Self {
            pace,
            feed,
            wire,
            started_us: beginning.started_us,
            beginning: RefCell::new(Some(beginning)),
            passed: Cell::new(0),
            looked: Cell::new(now),
            due: Cell::new(now + EVERY),
        }
    }

    /// The match is over, and this its transcript.
    pub(super) fn finish(self, transcript: &[Exchange]) {
        if self.beginning.borrow().is_none() {
            self.pass(transcript);
        }
    }

    /// Passes on what is new.
    fn pass(&self, transcript: &[Exchange]) {
        if let Some(beginning) = self.beginning.take() {
            self.feed.begin(beginning);
        }
        let lines = lines_of(transcript, self.wire, self.started_us);
        let before = self.passed.replace(lines.len());
        for line in lines.into_iter().skip(before) {
            self.feed.line(line);
        }
    }
}

impl Pace for Followed<'_> {
    fn nodes(&self) -> u64 {
        self.pace.nodes()
    }

    fn begin(&self, seat: Seat) {
        self.pace.begin(seat);
    }

    fn stop(&self) -> bool {
        self.pace.stop()
    }

    fn elapsed(&self) -> Option<Duration> {
        self.pace.elapsed()
    }

    fn now(&self) -> Option<Duration> {
        self.pace.now()
    }

    fn end(&self) {
        self.pace.end();
    }

    fn looks(&self) -> bool {
        self.looked.set(Instant::now());
        self.looked.get() >= self.due.get()
    }

    fn look(&self, transcript: &[Exchange]) {
        self.pass(transcript);
        let cost = self.looked.get().elapsed() * COST;
        self.due.set(Instant::now() + EVERY.max(cost));
    }
}

#[cfg(test)]
mod tests {
    use super::Followed;
    use crate::referee::budget::{Stopwatch, ThinkBudget};
    use crate::referee::feed::{Beginning, Fed, Feed};
    use crate::referee::record::lines_of;
    use games::{Exchange, Pace, PlaySetup, Played, Seat, Wire};
    use std::cell::Cell;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    /// Looks after the first step, the second, the fourth, and so on.
    struct Often<'a> {
        followed: Followed<'a>,
        steps: Cell<u32>,
    }

    impl Pace for Often<'_> {
        fn nodes(&self) -> u64 {
            self.followed.nodes()
        }

        fn begin(&self, seat: Seat) {
            self.followed.begin(seat);
        }

        fn stop(&self) -> bool {
            self.followed.stop()
        }

        fn now(&self) -> Option<Duration> {
            self.followed.now()
        }

        fn end(&self) {
            self.followed.end();
        }

        fn looks(&self) -> bool {
            self.steps.set(self.steps.get() + 1);
            self.steps.get().is_power_of_two()
        }

        fn look(&self, transcript: &[Exchange]) {
            self.followed.look(transcript);
        }
    }

    fn beginning() -> Beginning {
        Beginning {
            match_id: "id".to_owned(),
            started_us: 7,
            seats: Vec::new(),
            market: None,
            ids: Vec::new(),
        }
    }

    /// What is passed on of a match while it is played is what its transcript says at the end.
    #[test]
    fn a_match_that_is_followed_is_the_same_and_its_lines_are_those_of_its_transcript() {
        for kit in games::ALL {
            let card = kit.card();
            let bot = card.bots.first().unwrap().name.to_owned();
            let bots = vec![bot; *card.seats.start().max(&2)];
            let setup = PlaySetup::recorded(bots.clone(), 3, serde_json::json!({}));
            let abort = AtomicBool::new(false);
            let measured = || vec![false; bots.len()];
            let plain = Stopwatch::new(ThinkBudget::Nodes(20), measured(), &abort);
            let expected: Played = kit.play(&setup, &plain).unwrap();
            let clock = Stopwatch::new(ThinkBudget::Nodes(20), measured(), &abort);
            let (feed, mut fed) = Feed::open();
            let followed = Followed::new(&clock, feed, card.wire, beginning());
            let steps = Cell::new(0);
            let often = Often { followed, steps };
            let played = kit.play(&setup, &often).unwrap();
            often.followed.finish(&played.transcript);
            assert_eq!(played.outcome, expected.outcome, "{}", card.name);
            assert_eq!(played.transcript, expected.transcript, "{}", card.name);
            assert_eq!(fed.try_recv(), Ok(Fed::Begins(beginning())));
            for line in lines_of(&expected.transcript, card.wire, 7) {
                assert_eq!(fed.try_recv(), Ok(Fed::Line(line)), "{}", card.name);
            }
            assert!(fed.try_recv().is_err());
        }
    }

    #[test]
    fn one_that_is_over_before_the_first_look_is_not_passed_on() {
        let abort = AtomicBool::new(false);
        let clock = Stopwatch::new(ThinkBudget::Nodes(1), Vec::new(), &abort);
        let (feed, mut fed) = Feed::open();
        let followed = Followed::new(&clock, feed, Wire::Hub, beginning());
        assert!(!followed.looks());
        followed.finish(&[Exchange::sent(Seat(0), "call".to_owned())]);
        assert!(fed.try_recv().is_err());
    }
}
