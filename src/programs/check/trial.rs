//! A script played by a program in one weather.

mod greeting;
mod native;

use super::findings::{Finding, Weather};
use super::script::{Script, ScriptError};
use super::talk::{Silence, Talk};
use crate::link::program::{Guard, LineFault, Machine};
use crate::programs::Launch;
use crate::programs::carrier::Carrier;
use crate::programs::native::Steps;
use crate::programs::runner::Word;
use games::Cause;
use games::neutral::{self, End, Hello, LINES_MAX, Line, Said, Start, written};
use games::seat::{
    By, Due, Extent, OwnSeat, ProgramPart, ProgramReply, Question, Taken, Unanswered,
};
use serde_json::Value;
use std::time::{Duration, Instant};

/// How long a program may take to say that it is ready: contests give a match's begin a second or more.
pub(super) const READY_WITHIN: Duration = Duration::from_secs(10);
/// How long a program may take for a line that it must not take in at once.
const SAID_WITHIN: Duration = Duration::from_secs(5);
/// How long an answer is waited for, even where the contest gives more.
pub(super) const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// After this many answers that did not come, a weather is over: the rest would say the same.
pub(super) const MISSED_MAX: u32 = 2;
/// How long an answer of a URL is waited for where it is not wanted.
const HURRY: Duration = Duration::from_millis(2);
/// Between the pieces of a line.
const PAUSE: Duration = Duration::from_millis(15);
/// Lines that arrive in pieces at most: more only takes time.
const PIECES_MAX: u32 = 20;
/// From this share of the time on, an answer is too near to its deadline.
const NEAR: f64 = 0.5;
/// How much of the end of its standard error is shown, in bytes.
const STDERR_SHOWN: usize = 600;
/// The id of a check's match.
const MATCH: &str = "check";

/// A program in a weather.
pub(super) struct Trial<'a> {
    launch: &'a Launch,
    script: &'a Script<'a>,
    guard: Option<Guard>,
    machine: &'a Machine,
    pub(super) finding: Finding,
    /// How long its answers took, in milliseconds.
    times: Vec<f64>,
    /// The match as it was sent, to be sent again.
    lines: Vec<Line>,
    /// How many lines it was sent.
    sent: u32,
    /// Answers that did not come.
    pub(super) missed: u32,
    /// When the program was started.
    pub(super) begun: Instant,
    /// What it owes, if it speaks its game's own protocol.
    pub(super) steps: Option<Steps>,
}

/// The program is gone, or there is no use in going on; why is among what to fix.
pub(super) struct Over;

impl<'a> Trial<'a> {
    pub(super) fn run(
        launch: &'a Launch,
        script: &'a Script<'a>,
        guard: Option<Guard>,
        machine: &'a Machine,
        weather: Weather,
    ) -> Result<Finding, ScriptError> {
        let mut trial = Self {
            launch,
            script,
            guard,
            machine,
            finding: Finding::new(weather),
            times: Vec::new(),
            lines: Vec::new(),
            sent: 0,
            missed: 0,
            begun: Instant::now(),
            steps: None,
        };
        trial.play()?;
        // Exactly: there are few, and the slowest of them is reported next to these.
        trial.times.sort_by(f64::total_cmp);
        let many = trial.times.len() as f64;
        let place = |share: f64| (many * share).ceil() as usize;
        let ms = |share| trial.times.get(place(share).checked_sub(1)?).copied();
        let (p50_ms, p99_ms) = (ms(0.5), ms(0.99));
        Ok(Finding {
            p50_ms,
            p99_ms,
            ..trial.finding
        })
    }

    fn play(&mut self) -> Result<(), ScriptError> {
        let Ok(program) = self.start(false) else {
            return Ok(());
        };
        if let Some(program) = self.follow(program)? {
            self.finish(program);
        }
        Ok(())
    }

    /// Has it receive the script; `None` if it did not get to the end of that.
    fn follow(&mut self, mut program: Talk) -> Result<Option<Talk>, ScriptError> {
        let mut seat = self.script.seat()?;
        let calls = self.script.exchanges.len();
        for (at, exchange) in self.script.exchanges.iter().enumerate() {
            if at == calls / 2 && self.is_interrupted() {
                match self.start_again(program) {
                    Ok(again) => program = again,
                    Err(Over) => return Ok(None),
                }
            }
            let due = seat.receive(&exchange.call, "");
            let over = self.decided(&mut program, &mut seat, due)?;
            if self.missed >= MISSED_MAX {
                drop(program.end());
                return Ok(None);
            }
            // The script goes on as recorded. What panics is not there any more, and nothing more is asked.
            let _ = seat.said_elsewhere(exchange.reply.as_deref().unwrap_or_default());
            let lines = match seat.program() {
                Some(part) => part.lines()?,
                None => Vec::new(),
            };
            if over
                .and_then(|()| self.send_lines(&mut program, &lines, None))
                .is_err()
            {
                self.gone(program);
                return Ok(None);
            }
        }
        Ok(Some(program))
    }

    /// Asks it for the decision that is due, if one is, and counts what it answers.
    fn decided(
        &mut self,
        program: &mut Talk,
        seat: &mut OwnSeat,
        mut due: Due,
    ) -> Result<Result<(), Over>, ScriptError> {
        // Answers are waited for here: what the fallback could do in its time is not of interest.
        let no_time = Duration::ZERO;
        loop {
            due = match due {
                Due::Answer(reply) => {
                    if let By::Default(Unanswered::NotUnderstood(why)) = reply.by {
                        return Err(why.into());
                    }
                    self.finding.legal += u32::from(reply.taken == Some(Taken::Own));
                    return Ok(Ok(()));
                }
                Due::Think(Extent::Ready) => seat.think(&|| no_time),
                // Its answer was not legal.
                Due::Think(Extent::Search(_)) => {
                    let refusal = seat.program().and_then(ProgramPart::refusal);
                    return Ok(match refusal {
                        Some((number, why)) => self.illegal(program, number, why),
                        None => Ok(()),
                    });
                }
                Due::Ask(question) => match self.decide(program, seat, question) {
                    Ok(Some(act)) => seat.answered(ProgramReply::Act(act), no_time),
                    Ok(None) => return Ok(Ok(())),
                    Err(Over) => return Ok(Err(Over)),
                },
            };
        }
    }

    /// Whether this weather interrupts the match.
    fn is_interrupted(&self) -> bool {
        matches!(
            self.finding.weather,
            Weather::Killed | Weather::DaemonRestarted
        )
    }

    /// Sends it lines; a decision among them may take so long, or is over.
    fn send_lines(
        &mut self,
        program: &mut Talk,
        lines: &[Line],
        within: Option<Duration>,
    ) -> Result<(), Over> {
        self.read_on(program)?;
        for line in lines {
            self.lines.push(line.clone());
            match &mut self.steps {
                Some(steps) => {
                    if let Some(text) = steps.text_of(line) {
                        self.send(program, text)?;
                    }
                }
                None => self.send(program, &line.text(within))?,
            }
        }
        Ok(())
    }

    /// Asks for a decision: the answer, if that is waited for and comes in time.
    fn decide(
        &mut self,
        program: &mut Talk,
        seat: &mut OwnSeat,
        question: Question,
    ) -> Result<Option<Value>, Over> {
        let (number, within) = (question.number, question.until);
        let lines = seat.program().map(ProgramPart::lines);
        let Some(Ok(lines)) = lines else {
            return Err(Over);
        };
        if self.finding.weather == Weather::Strange {
            let strange = "{\"type\":\"of_a_later_version\",\"number\":0,\"ask\":{},\"view\":[]}";
            self.send(program, strange)?;
        }
        self.send_lines(program, &lines, Some(within))?;
        // In a game's own protocol the first answer takes the start in: it has the time that the contest gives for that.
        let starts = self.steps.is_some() && number == 1;
        if self.finding.weather == Weather::Hurried && number % 2 == 1 && !starts {
            return self.hurry(program).map(|()| None);
        }
        self.finding.asked += 1;
        if self.steps.is_some() {
            return self.decide_native(program, number, within);
        }
        self.answer(program, number, &lines, within)
    }

    /// The answer to a decision that was asked for, if it comes in time.
    fn answer(
        &mut self,
        program: &mut Talk,
        number: u64,
        lines: &[Line],
        within: Duration,
    ) -> Result<Option<Value>, Over> {
        program.asks();
        let asked = Instant::now();
        let mut waited = within.min(ANSWER_WITHIN);
        for _ in 0..LINES_MAX {
            match program.line(asked + waited) {
                Ok(line) => match neutral::read(&line) {
                    Ok(Said::Act { number: to, act }) if to == number => {
                        self.took(asked.elapsed(), within);
                        if let (Weather::Closed, Carrier::Url(posts)) =
                            (self.finding.weather, &mut program.carrier)
                        {
                            posts.hang_up();
                        }
                        return Ok(Some(act));
                    }
                    Ok(Said::Act { number: to, .. }) if to > number => {
                        self.not_asked(program, to, number)?;
                    }
                    Ok(Said::Models) => {
                        self.models(program)?;
                        self.ask_again(program, lines, asked + within)?;
                    }
                    // A late answer, a note.
                    Ok(_) => {}
                    Err(why) => {
                        self.finding.fix(format!(
                            "standard output is for lines of the protocol alone, not {}: {why}; what is for you goes to standard error",
                            shown(&line)
                        ));
                        self.refuse(program, None, why.to_string())?;
                    }
                },
                Err(Silence::Program(LineFault::Late))
                    if waited < ANSWER_WITHIN && self.is_disturbed(asked) =>
                {
                    waited = ANSWER_WITHIN;
                }
                Err(Silence::Program(LineFault::Late)) => {
                    self.missed(program, number, waited);
                    return Ok(None);
                }
                Err(fault) => {
                    self.faulty(&fault);
                    return Err(Over);
                }
            }
        }
        self.finding.fix(format!(
            "more than {LINES_MAX} lines for one decision: nobody reads them"
        ));
        Err(Over)
    }

    /// Refuses an answer to decision `to`, of which `last` was the last one.
    fn not_asked(&mut self, program: &mut Talk, to: u64, last: u64) -> Result<(), Over> {
        self.finding.fix(format!(
            "it answers decision {to}, which it was not asked; the last one is {last}"
        ));
        self.refuse(program, Some(to), "that is not asked".to_owned())
    }

    /// Notes that no answer came.
    fn missed(&mut self, program: &Talk, number: u64, waited: Duration) {
        self.missed += 1;
        let unended = shown(program.unended());
        self.finding.fix(match program.unended() {
            [] => format!(
                "no answer to decision {number} within {} ms",
                waited.as_millis()
            ),
            _ => {
                format!("its answer to decision {number} has no end of line: {unended}")
            }
        });
    }

    /// What is asked of a URL once more, after what it wanted to know first.
    fn ask_again(
        &mut self,
        program: &mut Talk,
        lines: &[Line],
        until: Instant,
    ) -> Result<(), Over> {
        if !program.carrier.asks_again() {
            return Ok(());
        }
        let left = until.saturating_duration_since(Instant::now());
        match lines.last() {
            Some(ask) => self.send(program, &ask.text(Some(left))),
            None => Ok(()),
        }
    }

    /// A decision is over too soon. A URL is sent its match once more then: nobody knows what it has received.
    fn hurry(&mut self, program: &mut Talk) -> Result<(), Over> {
        let Carrier::Url(posts) = &mut program.carrier else {
            return Ok(());
        };
        posts.asks();
        // Whatever it says, or that it says nothing.
        let _ = posts.wait(&mut program.unsaid, true, Instant::now() + HURRY);
        posts.begin_again();
        program.unsaid.clear();
        let start = Start::new(self.script.limits, MATCH, true);
        let game = self.script.kit.card().name;
        self.send(program, &written(&Word::Hello(Hello::new(game))))?;
        self.send(program, &written(&Word::Match(Box::new(start))))?;
        let lines = std::mem::take(&mut self.lines);
        self.send_lines(program, &lines, None)
    }

    /// Notifies the program, as in a match, of an answer that is not legal.
    fn illegal(&mut self, program: &mut Talk, number: u64, why: String) -> Result<(), Over> {
        self.finding.fix(format!(
            "its answer to decision {number} is not legal: {why}"
        ));
        self.refuse(program, Some(number), why)
    }

    fn refuse(&mut self, program: &mut Talk, number: Option<u64>, why: String) -> Result<(), Over> {
        if self.steps.is_some() {
            // The game's own protocol has no word for it.
            return Ok(());
        }
        self.send(program, &written(&Word::Refused { number, why }))
    }

    /// Answers its request for models: nothing is known of the rivals in a script.
    fn models(&mut self, program: &mut Talk) -> Result<(), Over> {
        let models = Vec::new();
        self.send(program, &written(&Word::Models { models }))
    }

    /// Whether the machine, and nothing that was started here, may have made it slow since then.
    pub(super) fn is_disturbed(&self, since: Instant) -> bool {
        let load = self.machine.between(since, Instant::now());
        load.excuse().is_some()
    }

    pub(super) fn took(&mut self, took: Duration, within: Duration) {
        self.finding.answers += 1;
        let (took, within) = (took.as_secs_f64() * 1e3, within.as_secs_f64() * 1e3);
        self.times.push(took);
        if self.finding.used().is_none_or(|used| took / within > used) {
            self.finding.slowest_ms = Some(took);
            self.finding.allowed_ms = Some(within);
        }
        if took / within <= NEAR {
            return;
        }
        let since = Instant::now().checked_sub(Duration::from_secs_f64(took / 1e3));
        if since.is_some_and(|since| self.is_disturbed(since)) {
            self.finding.disturbed += 1;
        } else {
            self.finding.fix(format!(
                "an answer took {took:.0} of {within:.0} ms: a busy machine would make it late"
            ));
        }
    }

    /// Sends it how the match ended, and sees it end.
    fn finish(&mut self, mut program: Talk) {
        let (said, farewell) = match &self.steps {
            Some(steps) => (Ok(()), steps.farewell()),
            None => (self.send(&mut program, &written(&the_end())), None),
        };
        match &mut program.carrier {
            Carrier::Process(program) => program.dismiss(farewell),
            Carrier::Url(_) => {
                if let Err(why) = program.posted_last(Instant::now() + SAID_WITHIN) {
                    let what =
                        "the POST of the match's end needs an answer as well, if an empty one";
                    self.finding.fix(format!("{what}: {why}"));
                }
                return;
            }
        }
        let Some(ended) = program.end() else { return };
        if said.is_err() || !ended.by_itself {
            let what = "it goes on when its standard input ends: it must end then, and is killed after a second";
            self.finding.fix(what.to_owned());
        } else if !ended.status.is_some_and(|status| status.success()) {
            let (how, stderr) = (ended.manner(), shown_end(&ended.stderr));
            self.finding
                .fix(format!("it ends badly after the match: {how}{stderr}"));
        }
    }

    pub(super) fn faulty(&mut self, fault: &Silence) {
        match fault {
            Silence::Program(LineFault::TooLong(line)) => self.finding.fix(format!(
                "it has sent more than {} bytes without an end of line: {}",
                line.len().saturating_sub(1),
                shown(line)
            )),
            Silence::Program(LineFault::Late) => {
                self.finding.fix("it does not read its input".to_owned());
            }
            Silence::Program(LineFault::Gone | LineFault::Deaf) => {}
            Silence::Url(why) => self.finding.fix(why.to_string()),
        }
    }

    /// Says how a program ended that should not have.
    fn gone(&mut self, program: Talk) {
        // What is wrong with a URL has been said.
        let Some(ended) = program.end() else { return };
        let (how, stderr) = (ended.manner(), shown_end(&ended.stderr));
        let reads_on = match ended.status.is_some_and(|status| status.success()) {
            true => "; it must read on until its standard input ends",
            false => "",
        };
        self.finding.fix(format!(
            "it stops in the middle of the match: {how}{reads_on}{stderr}"
        ));
    }

    /// Sends a line as the weather has it.
    fn send(&mut self, program: &mut Talk, line: &str) -> Result<(), Over> {
        self.sent += 1;
        let end = match self.finding.weather {
            Weather::CarriageReturns => "\r\n",
            _ => "\n",
        };
        let whole = format!("{line}{end}");
        let bytes = whole.as_bytes();
        let program = match &mut program.carrier {
            Carrier::Process(program) => program,
            Carrier::Url(_) => {
                program.unsaid.extend_from_slice(bytes);
                return Ok(());
            }
        };
        let pieces = match self.finding.weather {
            Weather::Pieces if self.sent <= PIECES_MAX => vec![1, bytes.len() / 2, bytes.len()],
            _ => vec![bytes.len()],
        };
        let (until, mut from) = (Instant::now() + SAID_WITHIN, 0);
        for to in pieces {
            if to < bytes.len() || from > 0 {
                std::thread::park_timeout(PAUSE);
            }
            let mut rest = bytes.get(from..to).unwrap_or_default().to_vec();
            from = to;
            while !rest.is_empty() {
                let pushed = program.push(&mut rest);
                if let Err(fault) = pushed {
                    self.faulty(&Silence::Program(fault));
                    return Err(Over);
                }
                // What it says meanwhile must not stop it.
                program.read();
                if !rest.is_empty() && Instant::now() >= until {
                    self.faulty(&Silence::Program(LineFault::Late));
                    return Err(Over);
                }
                if !rest.is_empty() {
                    std::thread::park_timeout(Duration::from_millis(1));
                }
            }
        }
        Ok(())
    }
}

/// How a match of a check ends.
const fn the_end() -> Word {
    Word::End(End {
        cause: Cause::Normal,
        detail: String::new(),
        scores: Vec::new(),
        wins: Vec::new(),
    })
}

/// The beginning of what it has said.
pub(super) fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let begin: String = text.trim().chars().take(120).collect();
    format!("{begin:?}")
}

/// The end of what it has said on standard error.
fn shown_end(stderr: &[u8]) -> String {
    let from = stderr.len().saturating_sub(STDERR_SHOWN);
    let text = String::from_utf8_lossy(stderr.get(from..).unwrap_or_default());
    match text.trim() {
        "" => String::new(),
        text => format!("; standard error ends with:\n{text}"),
    }
}
