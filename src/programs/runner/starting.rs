//! Starting a bot, also once more, and ending it.

use super::super::carrier::{Carrier, NotStarted};
use super::super::native::Steps;
use super::{PAUSE, Place, Runner, Running, STARTS_MAX, Word};
use crate::link::program::{ProgramOptions, ready};
use games::neutral::Hello;
use std::sync::Arc;
use std::time::{Duration, Instant};

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
        let (bot, game) = (&self.launch, self.opening.game);
        let steps = Steps::of(bot, game);
        let waiting = self.bots.waiting();
        let ahead = waiting.take(bot, game);
        let is_ready = ahead.is_some();
        let mut starting = None;
        let started = match ahead {
            Some((program, place)) => Ok((Carrier::Process(Box::new(program)), place)),
            None => {
                if bot.url.is_none() {
                    let in_line = in_line.unwrap_or_else(|| {
                        let wake = Arc::clone(&self.wake);
                        self.bots.starts().line_up(move || wake())
                    });
                    starting = in_line.come(until);
                    if starting.is_none() {
                        self.in_line = Some(in_line);
                        return;
                    }
                }
                let Some(place) = self.bots.place() else {
                    self.not_before = Instant::now() + PAUSE;
                    return;
                };
                let options = self.bots.options(bot);
                let line_max = steps.as_ref().map_or(options.line_max, Steps::line_max);
                let options = ProgramOptions {
                    line_max,
                    ..options
                };
                let started = Carrier::start(bot, options, &self.opening.start.id);
                started.map(|carrier| (carrier, place))
            }
        };
        if self.report.starts == 0 {
            // Not before this one has its place.
            waiting.fill(&self.bots, bot, game);
        }
        self.report.starts += 1;
        match started {
            Ok((carrier, place)) => {
                let ready = is_ready || carrier.is_ready_at_once();
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
                    is_leaving: false,
                    steps,
                });
                self.late_in_row = 0;
                self.greet(!is_ready);
            }
            Err(NotStarted { why, lasts }) => {
                self.failed(why);
                if lasts {
                    self.report.starts = STARTS_MAX;
                }
            }
        }
    }

    /// Begins its match with it, which it then hears from the beginning. `first`: it was not said hello yet.
    pub(super) fn greet(&mut self, first: bool) {
        if let Some(running) = &mut self.running {
            running.sent = 0;
            running.unsaid.clear();
        }
        let again = self.opening.start.again || self.log.is_begun();
        let mut start = self.opening.start.clone();
        start.again = again;
        if first {
            self.say(&Word::Hello(Hello::of(self.opening.game)));
        }
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
        let end = move || {
            let ended = carrier.end();
            drop(place);
            ended
        };
        let ending = std::thread::Builder::new().name("ending".to_owned());
        // Without a thread it is killed here and now.
        self.ending.extend(ending.spawn(end).ok());
    }
}
