//! A program is started, greeted, and started again.

use super::{MATCH, Over, READY_WITHIN, Trial, shown};
use crate::link::program::LineFault;
use crate::programs::carrier::Carrier;
use crate::programs::check::findings::Weather;
use crate::programs::check::talk::{Silence, Talk};
use crate::programs::native::Steps;
use crate::programs::runner::Word;
use games::neutral::{self, Hello, LINE_MAX, LINES_MAX, Said, Start, VERSION, written};
use std::time::Instant;

impl Trial<'_> {
    /// Starts the program and greets it.
    pub(super) fn start(&mut self, again: bool) -> Result<Talk, Over> {
        let begun = Instant::now();
        self.begun = begun;
        let game = self.script.kit.card().name;
        self.steps = Steps::for_launch(self.launch, game);
        let line_max = self.steps.as_ref().map_or(LINE_MAX, Steps::line_max);
        let options = self.launch.options(line_max, self.guard);
        let mut program = match Carrier::start(self.launch, options, MATCH) {
            Ok(carrier) => Talk::new(carrier),
            Err(why) => {
                self.finding.fix(format!("it does not start: {}", why.why));
                return Err(Over);
            }
        };
        if self.steps.is_some() {
            return Ok(program);
        }
        let start = Start::new(self.script.limits, MATCH, again);
        let greeting = [Word::Hello(Hello::new(game)), Word::Match(Box::new(start))];
        for word in greeting {
            if self.send(&mut program, &written(&word)).is_err() {
                self.gone(program);
                return Err(Over);
            }
        }
        match program.carrier.is_ready_at_once() {
            true => Ok(program),
            false => self.greeted(program, begun),
        }
    }

    /// Waits until it has understood `hello`.
    fn greeted(&mut self, mut program: Talk, begun: Instant) -> Result<Talk, Over> {
        let within = begun + READY_WITHIN;
        for _ in 0..LINES_MAX {
            match program.line(within) {
                Ok(line) => match neutral::read(&line) {
                    Ok(Said::Ready { protocol: VERSION }) => {
                        let ready = begun.elapsed().as_secs_f64() * 1e3;
                        self.finding.ready_ms.get_or_insert(ready);
                        return Ok(program);
                    }
                    Ok(Said::Note { .. }) => {}
                    Ok(Said::Models) => {
                        if self.models(&mut program).is_err() {
                            self.gone(program);
                            return Err(Over);
                        }
                    }
                    Ok(other) => {
                        self.finding.fix(format!(
                            "its first line must be {{\"type\":\"ready\",\"protocol\":{VERSION}}}, not {}",
                            shown(written(&other).as_bytes())
                        ));
                        drop(program.end());
                        return Err(Over);
                    }
                    Err(why) => self.finding.fix(format!(
                        "standard output is for lines of the protocol alone, not {}: {why}; what is for you goes to standard error",
                        shown(&line)
                    )),
                },
                Err(Silence::Program(LineFault::Late)) => {
                    self.finding.fix(format!(
                        "it says nothing within {} s of its start: does it answer `hello` with `ready`, and flush \
                         its output after every line?",
                        READY_WITHIN.as_secs()
                    ));
                    drop(program.end());
                    return Err(Over);
                }
                Err(fault) => {
                    self.faulty(&fault);
                    self.gone(program);
                    return Err(Over);
                }
            }
        }
        self.finding.fix("it talks before it is ready".to_owned());
        drop(program.end());
        Err(Over)
    }

    /// Ends the program in the middle of its match, and sends another one the match so far.
    pub(super) fn start_again(&mut self, mut program: Talk) -> Result<Talk, Over> {
        if self.finding.weather == Weather::DaemonRestarted {
            if let Carrier::Process(program) = &mut program.carrier {
                program.dismiss(None);
            }
            if program.end().is_some_and(|ended| !ended.by_itself) {
                let what = "it goes on when its standard input ends: it must end then, and is killed after a second";
                self.finding.fix(what.to_owned());
            }
        } else {
            // As if the system had: without a word.
            drop(program);
        }
        let mut program = self.start(true)?;
        let lines = std::mem::take(&mut self.lines);
        if self.send_lines(&mut program, &lines, None).is_err()
            || self.catch_up(&mut program).is_err()
        {
            self.gone(program);
            return Err(Over);
        }
        Ok(program)
    }
}
