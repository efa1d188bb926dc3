//! The talk with a user's bot: lines out, lines in, and another start when it fails. Blocking, for a thread of its own.

mod reading;
mod starting;

use super::bots::{Bots, Place};
use super::carrier::Carrier;
use super::conduct::{Conduct, Stderr};
use super::launch::Launch;
use super::log::Log;
use super::native::Steps;
use super::opening::Opening;
use super::posts::ASKED_MIN;
use super::starting::{InLine, Starting};
use crate::link::program::Ended;
use games::neutral::{End, Line, ToProgram, written};
use games::seat::ProgramReply;
use parking_lot::Mutex;
use serde_json::Value;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often a program is started in a match.
const STARTS_MAX: u32 = 8;
/// The pause before the second further start; it doubles each time. The first one comes at once.
const PAUSE: Duration = Duration::from_millis(100);
/// Decisions in a row that a program may be late for before it counts as hung.
const LATE_MAX: u32 = 3;
/// How long a program may take from its start to say that it is ready.
const READY_WITHIN: Duration = Duration::from_secs(10);
/// Bytes that may wait for a program that does not read.
const UNSAID_MAX: usize = 64 << 20;
/// How long is waited for what a program notes at the end.
const LAST_WORD_WITHIN: Duration = Duration::from_secs(1);
/// How often a program that is tried is looked at.
const TRIED_EVERY: Duration = Duration::from_millis(10);
/// Bytes of a line that a fault quotes.
const QUOTED_MAX: usize = 80;

/// Lines to a program that are no part of a match's course.
pub(super) type Word = ToProgram<Value, Value, Value, Value>;

/// A program in a match.
pub(super) struct Runner {
    bots: Bots,
    launch: Arc<Launch>,
    opening: Opening,
    log: Log,
    running: Option<Running>,
    /// While it waits for its turn to start.
    in_line: Option<InLine>,
    /// Called when that comes.
    wake: Arc<dyn Fn() + Send + Sync>,
    /// Before this, it is not started again.
    not_before: Instant,
    late_in_row: u32,
    /// Whether it was sent the match again without another start.
    sent_again: bool,
    report: Conduct,
    /// What it wrote to standard error, of processes that have ended.
    stderr: Stderr,
    /// What it noted last, until somebody takes that.
    pub(super) noted: Arc<Mutex<Option<Value>>>,
    /// The decision that it is being asked for.
    asking: Option<u64>,
    /// What ends, each with the decision in which it was ended.
    ending: Vec<(Option<u64>, JoinHandle<Option<Ended>>)>,
}

/// The program while it runs.
struct Running {
    carrier: Carrier,
    place: Place,
    since: Instant,
    /// Whether it has said that it is ready. Before that it receives nothing about the match's course: what it is asked
    /// meanwhile it learns as past.
    ready: bool,
    /// Meanwhile few others are started, for a moment.
    starting: Option<Starting>,
    /// How many of the log's lines it was sent.
    sent: usize,
    /// Bytes that its pipe has not accepted yet.
    unsaid: Vec<u8>,
    /// Lines that it has sent since it was asked last.
    lines: u32,
    /// Lines that it may send besides those: answers to decisions that it was sent as past.
    owed: u32,
    /// Whether it wants to know models before it answers the decision that it was asked by a POST.
    wants_models: bool,
    /// What it owes, if it speaks its game's own protocol: it is ready when it has answered what it was sent.
    steps: Option<Steps>,
}

impl Runner {
    /// Starts it, or lines it up for that. `wake` is called when its turn has come; it must not block.
    pub(super) fn new(
        bots: &Bots,
        launch: Arc<Launch>,
        opening: Opening,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        let mut runner = Self {
            bots: bots.clone(),
            launch,
            opening,
            log: Log::default(),
            running: None,
            in_line: None,
            wake: Arc::new(wake),
            not_before: Instant::now(),
            late_in_row: 0,
            sent_again: false,
            report: Conduct::default(),
            stderr: Stderr::default(),
            noted: Arc::default(),
            asking: None,
            ending: Vec::new(),
        };
        runner.start(Instant::now());
        runner
    }

    /// Starts it if its turn has come, and learns whether it is ready.
    pub(super) fn look(&mut self) {
        if self.running.is_none() && self.in_line.is_some() {
            self.start(Instant::now());
        } else if let Received::Failed(why) = self.listen(None, Instant::now()) {
            self.fail(why);
        }
        self.send(None);
    }

    /// Whether others wait until it is ready.
    pub(super) fn is_starting(&self) -> bool {
        self.running
            .as_ref()
            .is_some_and(|running| running.starting.is_some())
    }

    /// Waits until it is ready, at most until then, and ends it; why it cannot play, as a sentence. Silence is no such
    /// reason.
    pub(super) fn try_out(mut self, until: Instant) -> Option<String> {
        if self.in_line.is_some() {
            self.start(until);
        }
        let dialled = self
            .running
            .as_mut()
            .map(|running| running.carrier.dial(until));
        if let Some(Err(why)) = dialled {
            self.fail(why.to_string());
        }
        while let Some(running) = &self.running
            && !running.ready
            && Instant::now() < until
        {
            let soon = Instant::now() + TRIED_EVERY;
            if let Received::Failed(why) = self.listen(None, soon.min(until)) {
                self.fail(why);
            }
        }
        let report = self.end(None);
        let said = report.stderr.trim().lines().last().map(str::to_owned);
        let why = report.faults.into_iter().next()?;
        Some(why + &said.map_or_else(String::new, |said| format!(": {said}")))
    }

    /// Sends it more of its match.
    pub(super) fn send_lines(&mut self, lines: Vec<Line>) {
        if self.log.is_broken() {
            return;
        }
        self.log.add(lines);
        if self.log.is_broken() {
            return self.fail("its match is too long to be sent again".to_owned());
        }
        if let Received::Failed(why) = self.listen(None, Instant::now()) {
            self.fail(why);
        }
        let now = Instant::now();
        if self.running.is_none() && now >= self.not_before {
            self.start(now);
        }
        // A decision is sent when its answer is waited for, so that its time is right.
        self.send(None);
    }

    /// Asks for the decision that was sent last. A program that rests is stopped afterwards, once it is ready.
    pub(super) fn ask(&mut self, number: u64, deadline: Instant) -> ProgramReply {
        let rests = self.bots.rests();
        if let Some(running) = self.running.as_ref().filter(|_| rests) {
            running.carrier.resume();
        }
        self.asking = Some(number);
        let reply = self.asked(number, deadline);
        self.asking = None;
        if let Some(running) = &self.running {
            running.carrier.decided(number);
            if rests && running.ready {
                running.carrier.pause();
            }
        }
        reply
    }

    fn asked(&mut self, number: u64, deadline: Instant) -> ProgramReply {
        if let Some(running) = &mut self.running {
            running.owed = running.owed.saturating_sub(running.lines);
            running.lines = 0;
            running.wants_models = false;
            running.carrier.asks();
        }
        // A decision that ends the program must not use up all its starts.
        let mut started = false;
        loop {
            if self.running.is_none() {
                if started || !self.start_by(deadline) {
                    return ProgramReply::Gone;
                }
                started = true;
            }
            self.send(Some((number, deadline)));
            match self.listen(Some(number), deadline) {
                Received::Act(act) => {
                    self.report.answered += 1;
                    self.late_in_row = 0;
                    return ProgramReply::Act(act);
                }
                Received::Nothing => {
                    self.report.late += 1;
                    self.missed();
                    return ProgramReply::Late;
                }
                Received::Failed(why) => self.fail(why),
            }
        }
    }

    /// It has not answered in time: does it hang, or is it still starting?
    fn missed(&mut self) {
        let Some(running) = &self.running else { return };
        if running.ready {
            self.late_in_row += 1;
            if self.late_in_row >= LATE_MAX {
                return self.fail(format!("it answered none of {LATE_MAX} decisions in time"));
            }
            let running = self.running.as_mut();
            if running.is_some_and(|running| running.carrier.gives_up()) {
                self.sent_again = true;
                self.greet();
            }
        } else if running.since.elapsed() >= READY_WITHIN {
            let within = READY_WITHIN.as_secs();
            self.fail(match running.steps {
                Some(_) => format!("it answered nothing for {within} s"),
                None => format!("it was not ready {within} s after its start"),
            });
        }
    }

    /// Notifies it that something it said was not taken.
    pub(super) fn refuse(&mut self, number: Option<u64>, why: String) {
        self.report.refused += 1;
        self.say(&Word::Refused { number, why });
    }

    /// Reports to it how the match ended, and ends it.
    pub(super) fn end(&mut self, end: Option<End>) -> Conduct {
        // The next in line starts instead.
        self.in_line = None;
        if let Some(running) = &mut self.running {
            // Nothing is kept back any more.
            running.ready = true;
            if self.bots.rests() {
                running.carrier.resume();
            }
        }
        self.send(None);
        if let Some(end) = end {
            self.say(&Word::End(end));
            self.read_last_words();
        }
        self.stop();
        let mut report = std::mem::take(&mut self.report);
        for (asking, ending) in self.ending.drain(..) {
            if let Ok(Some(ended)) = ending.join() {
                self.stderr.add(&ended, asking);
            }
        }
        (report.stderr, report.stderr_parts) =
            std::mem::take(&mut self.stderr).end(self.launch.stderr_kept);
        report
    }

    /// Reads what it says after the end was sent, until it exits.
    fn read_last_words(&mut self) {
        let deadline = Instant::now() + LAST_WORD_WITHIN;
        let Some(running) = &mut self.running else {
            return;
        };
        running.lines = 0;
        let steps = running.steps.as_ref();
        let farewell = steps.and_then(Steps::farewell);
        running.carrier.say_last(&mut running.unsaid, farewell);
        if running.steps.is_some() {
            return;
        }
        // However this ends, so does the program.
        let _ = self.listen(None, deadline);
    }

    /// Sends what it has not yet received. A decision that is asked now has so much time.
    fn send(&mut self, asked: Option<(u64, Instant)>) {
        let message = |running: &&mut Running| running.ready || running.steps.is_some();
        let Some(running) = self.running.as_mut().filter(message) else {
            return self.push();
        };
        for line in self.log.from(running.sent) {
            if let Some(steps) = &mut running.steps {
                if let Some(text) = steps.text_of(line) {
                    running.unsaid.extend_from_slice(text.as_bytes());
                    running.unsaid.push(b'\n');
                }
                running.sent += 1;
                continue;
            }
            let mut within = None;
            if let Line::Ask { number, .. } = line {
                if self.log.is_played(*number) {
                    running.owed += 1;
                } else {
                    let now = asked.filter(|(asked, _)| asked == number);
                    let left = |(_, deadline): (u64, Instant)| {
                        let left = deadline.saturating_duration_since(Instant::now());
                        // Nothing is asked without time for an answer: it waits until it is past.
                        (left >= ASKED_MIN).then_some(left)
                    };
                    let Some(left) = now.and_then(left) else {
                        break;
                    };
                    within = Some(left);
                }
            }
            running
                .unsaid
                .extend_from_slice(line.text(within).as_bytes());
            running.unsaid.push(b'\n');
            running.sent += 1;
        }
        if let (Some(steps), Some((number, _))) = (&mut running.steps, asked) {
            steps.asks(number);
        }
        self.push();
    }

    fn say(&mut self, word: &Word) {
        // Its game's own protocol has no such words.
        let running = self.running.as_mut();
        if let Some(running) = running.filter(|running| running.steps.is_none()) {
            running.unsaid.extend_from_slice(written(word).as_bytes());
            running.unsaid.push(b'\n');
        }
        self.push();
    }

    /// What its pipe takes at once; why it takes no more shows when it is listened to.
    fn push(&mut self) {
        if let Some(running) = &mut self.running {
            running.carrier.push(&mut running.unsaid);
            if running.unsaid.len() > UNSAID_MAX {
                self.fail("it does not read what it is sent".to_owned());
            }
        }
    }
}

/// What was received.
enum Received {
    /// The answer.
    Act(Value),
    /// Not in time.
    Nothing,
    /// The program cannot go on.
    Failed(String),
}

#[cfg(test)]
mod tests;
