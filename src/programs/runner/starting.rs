//! Starting a bot, also once more, and ending it.

use super::super::carrier::{Carrier, NotStarted};
use super::super::native::Steps;
use super::super::starting::{InLine, Starting};
use super::{PAUSE, Place, Runner, Running, STARTS_MAX, Word};
use crate::link::program::{ProgramOptions, ready};
use games::neutral::Hello;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a match can be begun with.
struct Begun {
    carrier: Carrier,
    place: Place,
    /// Whose turn this was, while it is not ready.
    starting: Option<Starting>,
}

impl Runner {
    pub(super) fn start_by(&mut self, deadline: Instant) -> bool {
        while self.running.is_none() {
            let gone = self.report.starts >= STARTS_MAX || self.log.is_broken();
            if gone || self.not_before >= deadline {
                return false;
            }
            // Waits for the moment alone.
            let _ = ready(&[], self.not_before);
            self.start(deadline);
            if self.in_line.is_some() {
                return false;
            }
        }
        true
    }

    /// Starts it, if its turn comes by then.
    pub(super) fn start(&mut self, until: Instant) {
        let in_line = self.in_line.take();
        if self.report.starts >= STARTS_MAX || self.log.is_broken() {
            return;
        }
        let steps = Steps::for_launch(&self.launch, self.opening.game);
        let Some(begun) = self.begin(in_line, steps.as_ref(), until) else {
            return;
        };
        self.report.starts += 1;
        match begun {
            Ok(begun) => self.run(begun, steps),
            Err(NotStarted { why, lasts }) => {
                self.failed(why);
                if lasts {
                    self.report.starts = STARTS_MAX;
                }
            }
        }
    }

    /// Begins with its process, or with its URL. `None`: its turn has not come, or there is no place for it yet.
    fn begin(
        &mut self,
        in_line: Option<InLine>,
        steps: Option<&Steps>,
        until: Instant,
    ) -> Option<Result<Begun, NotStarted>> {
        let mut starting = None;
        if self.launch.url.is_none() {
            let in_line = in_line.unwrap_or_else(|| {
                let wake = Arc::clone(&self.wake);
                self.bots.starts().line_up(move || wake())
            });
            starting = in_line.come(until);
            if starting.is_none() {
                self.in_line = Some(in_line);
                return None;
            }
        }
        let Some(place) = self.bots.place() else {
            self.not_before = Instant::now() + PAUSE;
            return None;
        };
        let options = self.bots.options(&self.launch);
        let options = ProgramOptions {
            line_max: steps.map_or(options.line_max, Steps::line_max),
            ..options
        };
        let started = Carrier::start(&self.launch, options, &self.opening.start.id);
        Some(started.map(|carrier| Begun {
            carrier,
            place,
            starting,
        }))
    }

    /// It runs from now on, and its match begins with it.
    fn run(&mut self, begun: Begun, steps: Option<Steps>) {
        let Begun {
            carrier,
            place,
            starting,
        } = begun;
        let ready = carrier.is_ready_at_once();
        self.running = Some(Running {
            carrier,
            place,
            since: Instant::now(),
            ready,
            starting,
            sent: 0,
            unsaid: Vec::new(),
            lines: 0,
            owed: 0,
            wants_models: false,
            steps,
        });
        self.late_in_row = 0;
        self.greet();
    }

    /// Begins its match with it, which is sent to it from the beginning.
    pub(super) fn greet(&mut self) {
        if let Some(running) = &mut self.running {
            running.sent = 0;
            running.unsaid.clear();
        }
        let again = self.opening.start.again || self.log.is_begun();
        let mut start = self.opening.start.clone();
        start.again = again;
        self.say(&Word::Hello(Hello::new(self.opening.game)));
        self.say(&Word::Match(Box::new(start)));
    }

    pub(super) fn fail(&mut self, why: String) {
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
    pub(super) fn stop(&mut self) {
        if let Some(Running { carrier, place, .. }) = self.running.take() {
            self.end_apart(carrier, place);
        }
    }

    pub(super) fn end_apart(&mut self, carrier: Carrier, place: Place) {
        if matches!(carrier, Carrier::Url(_)) {
            return;
        }
        if self.bots.rests() {
            carrier.resume();
        }
        let end = move || {
            let ended = carrier.end();
            drop(place);
            ended
        };
        let ending = std::thread::Builder::new().name("ending".to_owned());
        // Without a thread it is killed here and now.
        let spawned = ending.spawn(end).ok();
        self.ending
            .extend(spawned.map(|ending| (self.asking, ending)));
    }
}
