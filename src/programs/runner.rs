//! The talk with a user's program: lines out, lines in, and another start when it fails. Blocking, for a thread of
//! its own.

use super::bots::{Bots, Place};
use super::conduct::Conduct;
use super::instance::{Opening, Reply};
use super::launch::Launch;
use super::log::Log;
use super::starting::{Starting, Waiting};
use crate::link::program::{Ended, LineFault, Program, ready};
use games::neutral::{self, End, Hello, Line, Said, Told, written};
use parking_lot::Mutex;
use rustix::event::PollFlags;
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
/// The shortest time that a program is told it has: a millisecond, as times are told in those.
const ASKED_MIN: Duration = Duration::from_millis(1);
/// How often a program that is tried is looked at.
const TRIED_EVERY: Duration = Duration::from_millis(10);
/// Bytes of a line that a fault quotes.
const QUOTED_MAX: usize = 80;

/// Lines to a program that are no part of a match's course.
type Word = Told<Value, Value, Value, Value>;

/// A program in a match.
pub(super) struct Runner {
    bots: Bots,
    launch: Arc<Launch>,
    opening: Opening,
    log: Log,
    running: Option<Running>,
    /// While it waits for its turn to start.
    waiting: Option<Waiting>,
    /// Called when that comes.
    wake: Arc<dyn Fn() + Send + Sync>,
    /// Before this, it is not started again.
    not_before: Instant,
    late_in_row: u32,
    report: Conduct,
    /// What it noted last, until somebody takes that.
    pub(super) noted: Arc<Mutex<Option<Value>>>,
    ending: Vec<JoinHandle<Ended>>,
}

/// The program while it runs.
struct Running {
    program: Program,
    _place: Place,
    since: Instant,
    /// Whether it has said that it is ready. Before that it is told nothing of the match's course: what it is asked
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
    /// Lines that it may send beside those: answers to decisions that it was told as past.
    owed: u32,
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
            waiting: None,
            wake: Arc::new(wake),
            not_before: Instant::now(),
            late_in_row: 0,
            report: Conduct::default(),
            noted: Arc::default(),
            ending: Vec::new(),
        };
        runner.start(Instant::now());
        runner
    }

    /// Starts it if its turn has come, and hears whether it is ready.
    pub(super) fn look(&mut self) {
        if self.running.is_none() && self.waiting.is_some() {
            self.start(Instant::now());
        } else if let Heard::Failed(why) = self.listen(None, Instant::now()) {
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
        if self.waiting.is_some() {
            self.start(until);
        }
        while let Some(running) = &self.running
            && !running.ready
            && Instant::now() < until
        {
            let soon = Instant::now() + TRIED_EVERY;
            if let Heard::Failed(why) = self.listen(None, soon.min(until)) {
                self.fail(why);
            }
        }
        let report = self.end(None);
        let said = report.stderr.trim().lines().last().map(str::to_owned);
        let why = report.faults.into_iter().next()?;
        Some(why + &said.map_or_else(String::new, |said| format!(": {said}")))
    }

    /// Tells it more of its match.
    pub(super) fn tell(&mut self, lines: Vec<Line>) {
        if self.log.is_broken() {
            return;
        }
        self.log.add(lines);
        if self.log.is_broken() {
            return self.fail("its match is too long to be told".to_owned());
        }
        if let Heard::Failed(why) = self.listen(None, Instant::now()) {
            self.fail(why);
        }
        let now = Instant::now();
        if self.running.is_none() && now >= self.not_before {
            self.start(now);
        }
        // A decision is sent when its answer is waited for, so that its time is right.
        self.send(None);
    }

    /// Asks for the decision that was told last.
    pub(super) fn ask(&mut self, number: u64, deadline: Instant) -> Reply {
        if let Some(running) = &mut self.running {
            running.owed = running.owed.saturating_sub(running.lines);
            running.lines = 0;
        }
        // A decision that ends the program must not use up all its starts.
        let mut started = false;
        loop {
            if self.running.is_none() {
                if started || !self.start_by(deadline) {
                    return Reply::Gone;
                }
                started = true;
            }
            self.send(Some((number, deadline)));
            match self.listen(Some(number), deadline) {
                Heard::Act(act) => {
                    self.report.answered += 1;
                    self.late_in_row = 0;
                    return Reply::Act(act);
                }
                Heard::Nothing => {
                    self.report.late += 1;
                    self.missed();
                    return Reply::Late;
                }
                Heard::Failed(why) => self.fail(why),
            }
        }
    }

    /// It has not answered in time: does it hang, or is it still starting?
    fn missed(&mut self) {
        let Some(running) = &self.running else { return };
        if running.ready {
            self.late_in_row += 1;
            if self.late_in_row >= LATE_MAX {
                self.fail(format!("it answered none of {LATE_MAX} decisions in time"));
            }
        } else if running.since.elapsed() >= READY_WITHIN {
            let within = READY_WITHIN.as_secs();
            self.fail(format!("it was not ready {within} s after its start"));
        }
    }

    /// Tells it that something it said was not taken.
    pub(super) fn refuse(&mut self, number: Option<u64>, why: String) {
        self.report.refused += 1;
        self.say(&Word::Refused { number, why });
    }

    /// Tells it how the match ended, and ends it.
    pub(super) fn end(&mut self, end: Option<End>) -> Conduct {
        if let Some(running) = &mut self.running {
            // Nothing is kept back any more.
            running.ready = true;
        }
        self.send(None);
        if let Some(end) = end {
            self.say(&Word::End(end));
            let deadline = Instant::now() + LAST_WORD_WITHIN;
            if let Some(running) = &mut self.running {
                running.lines = 0;
                let within = running.program.push(&mut running.unsaid).is_ok();
                // A program that waits for its input's end gets it now.
                if within && running.unsaid.is_empty() {
                    running.program.dismiss(None);
                }
                // However this ends, so does the program.
                let _ = self.listen(None, deadline);
            }
        }
        self.stop();
        let mut report = std::mem::take(&mut self.report);
        for ending in self.ending.drain(..) {
            let Ok(ended) = ending.join() else { continue };
            let lost = ended.stderr_total.saturating_sub(ended.stderr.len() as u64);
            if lost > 0 {
                let note = format!("[{lost} bytes before this were not kept]\n");
                report.stderr.push_str(&note);
            }
            report
                .stderr
                .push_str(&String::from_utf8_lossy(&ended.stderr));
        }
        let most = self.launch.stderr_kept.max(1);
        let from = report.stderr.len().saturating_sub(most);
        let from = report.stderr.ceil_char_boundary(from);
        report.stderr.drain(..from);
        report
    }

    fn start_by(&mut self, deadline: Instant) -> bool {
        while self.running.is_none() {
            let gone = self.report.starts >= STARTS_MAX || self.log.is_broken();
            if gone || self.not_before >= deadline {
                return false;
            }
            // Waits for the moment alone.
            let _ = ready(&[], self.not_before);
            self.start(deadline);
            if self.waiting.is_some() {
                return false;
            }
        }
        true
    }

    /// Starts it, if its turn comes by then.
    fn start(&mut self, until: Instant) {
        let waiting = self.waiting.take();
        if self.report.starts >= STARTS_MAX || self.log.is_broken() {
            return;
        }
        let waiting = waiting.unwrap_or_else(|| {
            let wake = Arc::clone(&self.wake);
            self.bots.starts().line_up(move || wake())
        });
        let Some(starting) = waiting.come(until) else {
            self.waiting = Some(waiting);
            return;
        };
        let Some(place) = self.bots.place() else {
            self.not_before = Instant::now() + PAUSE;
            return;
        };
        self.report.starts += 1;
        let options = self.bots.options(&self.launch);
        match Program::start(&options) {
            Ok(program) => {
                let again = self.opening.start.again || self.log.is_begun();
                let mut start = self.opening.start.clone();
                start.again = again;
                self.running = Some(Running {
                    program,
                    _place: place,
                    since: Instant::now(),
                    ready: false,
                    starting: Some(starting),
                    sent: 0,
                    unsaid: Vec::new(),
                    lines: 0,
                    owed: 0,
                });
                self.late_in_row = 0;
                self.say(&Word::Hello(Hello::of(self.opening.game)));
                self.say(&Word::Match(Box::new(start)));
            }
            Err(why) => {
                let lasts = why.lasts();
                self.failed(why.to_string());
                if lasts {
                    self.report.starts = STARTS_MAX;
                }
            }
        }
    }

    fn fail(&mut self, why: String) {
        self.stop();
        self.failed(why);
    }

    fn failed(&mut self, why: String) {
        tracing::warn!(
            bot = self.launch.name,
            version = self.launch.version,
            "a program failed: {why}"
        );
        self.report.fails(why);
        let doubled = self.report.starts.saturating_sub(2).min(16);
        let pause = match self.report.starts {
            0 | 1 => Duration::ZERO,
            _ => PAUSE * (1 << doubled),
        };
        self.not_before = Instant::now() + pause;
    }

    /// Ends the program on a thread: nobody's clock waits for that.
    fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            let end = move || {
                let Running {
                    mut program,
                    _place,
                    ..
                } = running;
                program.dismiss(None);
                program.end()
            };
            let ending = std::thread::Builder::new().name("ending".to_owned());
            // Without a thread it is killed here and now.
            self.ending.extend(ending.spawn(end).ok());
        }
    }

    /// Sends what it has not heard yet. A decision that is asked now has so much time.
    fn send(&mut self, asked: Option<(u64, Instant)>) {
        let Some(running) = self.running.as_mut().filter(|running| running.ready) else {
            return self.push();
        };
        for line in self.log.from(running.sent) {
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
        self.push();
    }

    fn say(&mut self, word: &Word) {
        if let Some(running) = &mut self.running {
            running.unsaid.extend_from_slice(written(word).as_bytes());
            running.unsaid.push(b'\n');
        }
        self.push();
    }

    /// What its pipe takes at once; why it takes no more shows when it is listened to.
    fn push(&mut self) {
        if let Some(running) = &mut self.running {
            let _ = running.program.push(&mut running.unsaid);
            if running.unsaid.len() > UNSAID_MAX {
                self.fail("it does not read what it is told".to_owned());
            }
        }
    }

    /// Hears what it says, until it answers this decision or the deadline is over.
    fn listen(&mut self, number: Option<u64>, deadline: Instant) -> Heard {
        loop {
            let Some(running) = &mut self.running else {
                return Heard::Nothing;
            };
            let deaf = running.program.push(&mut running.unsaid).is_err();
            match running.program.heard() {
                Ok(Some(line)) => {
                    running.lines += 1;
                    if running.lines > neutral::LINES_MAX.saturating_add(running.owed) {
                        return Heard::Failed("it says more than it is asked".to_owned());
                    }
                    if let Some(heard) = self.understand(&line, number) {
                        return heard;
                    }
                    // What was kept back until it was ready.
                    self.send(number.map(|number| (number, deadline)));
                }
                Ok(None) if deaf && number.is_some() => {
                    return Heard::Failed("it closed its input".to_owned());
                }
                Ok(None) => {
                    let output = (running.program.output(), PollFlags::IN);
                    let input = running
                        .program
                        .input()
                        .filter(|_| !running.unsaid.is_empty());
                    let input = input.map(|input| (input, PollFlags::OUT));
                    let both: Vec<_> = std::iter::once(output).chain(input).collect();
                    let starting = running.starting.as_ref().map(|starting| starting.until);
                    let until = starting.map_or(deadline, |until| until.min(deadline));
                    let heard = ready(&both, until).unwrap_or(false);
                    if starting.is_some_and(|until| until <= Instant::now()) {
                        // It is slow: others need not be.
                        running.starting = None;
                        if !heard && Instant::now() < deadline {
                            continue;
                        }
                    }
                    if !heard {
                        return Heard::Nothing;
                    }
                    if running.program.read() == 0 {
                        running.program.notice_exit();
                    }
                    if Instant::now() >= deadline {
                        return Heard::Nothing;
                    }
                }
                Err(LineFault::TooLong(_)) => {
                    let most = neutral::LINE_MAX;
                    return Heard::Failed(format!("it sent a line longer than {most} bytes"));
                }
                Err(_) if running.program.is_over_memory() => {
                    let most = self.launch.limits.memory.unwrap_or_default() >> 20;
                    return Heard::Failed(format!(
                        "its processes took more than {most} MiB of memory together"
                    ));
                }
                Err(_) => return Heard::Failed("it ended, or closed its output".to_owned()),
            }
        }
    }

    /// Takes a line in; what it means for whoever waits.
    fn understand(&mut self, line: &[u8], due: Option<u64>) -> Option<Heard> {
        let line = line.trim_ascii();
        if line.is_empty() {
            return None;
        }
        match neutral::read(line) {
            Ok(Said::Ready { protocol }) if protocol == neutral::VERSION => {
                if let Some(running) = &mut self.running {
                    running.ready = true;
                    running.starting = None;
                }
                None
            }
            Ok(Said::Ready { protocol }) => {
                self.report.starts = STARTS_MAX;
                let ours = neutral::VERSION;
                let why = format!("it speaks version {protocol} of the protocol, not {ours}");
                Some(Heard::Failed(why))
            }
            Ok(Said::Act { number, act }) if due == Some(number) => Some(Heard::Act(act)),
            Ok(Said::Act { number, act }) => {
                match self.log.played(number) {
                    // It answers again what it was told once more.
                    Some(before) if self.report.starts > 1 || self.opening.start.again => {
                        match serde_json::from_str::<Value>(before).ok() == Some(act) {
                            true => self.report.repeated += 1,
                            false => self.report.changed += 1,
                        }
                    }
                    Some(_) => self.report.stale += 1,
                    None => self.refuse(Some(number), "that is not asked".to_owned()),
                }
                None
            }
            Ok(Said::Note { note }) => {
                let length = written(&note).len();
                if length > neutral::NOTE_MAX {
                    let most = neutral::NOTE_MAX;
                    self.refuse(None, format!("a note of {length} bytes; {most} are kept"));
                } else {
                    self.report.note = Some(note.clone());
                    *self.noted.lock() = Some(note);
                }
                None
            }
            Ok(Said::Models) => {
                let models = self.opening.models.clone();
                self.say(&Word::Models { models });
                None
            }
            Err(why) => {
                let text = String::from_utf8_lossy(line.get(..QUOTED_MAX).unwrap_or(line));
                self.refuse(None, format!("{why}: {text:?}"));
                None
            }
        }
    }
}

/// What was heard.
enum Heard {
    /// The answer.
    Act(Value),
    /// Not in time.
    Nothing,
    /// The program cannot go on.
    Failed(String),
}

#[cfg(test)]
mod tests;
