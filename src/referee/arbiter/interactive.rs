//! One program, talked to line by line, or run through a whole game while a person watches.

use super::play::{Pipes, watched};
use super::players::PlayError;
use super::watch::{Spoken, Watch};
use crate::link::program::{Ended, LineFault, Program, ProgramOptions, StartError, sweep};
use crate::referee::{MatchSpec, Refereed};
use games::neutral::{Hello, ToProgram, written};
use games::{Kit, Seat, TableSetup};
use serde_json::Value;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// How long a program may take for the first line of an untimed reply.
const FIRST_WITHIN: Duration = Duration::from_secs(30);
/// How long a reply may pause before it counts as complete.
const PAUSE: Duration = Duration::from_millis(150);
/// The maximum number of lines read of a free-form reply.
const LINES_MAX: usize = 1_000;
/// Characters shown of output that nobody asked for.
const EXTRA_SHOWN: usize = 200;

/// A running program.
pub struct InteractiveProgram {
    kit: &'static dyn Kit,
    program: Program,
    /// Whether output that nobody asked for is a fault.
    lock_step: bool,
    /// Whether it speaks the neutral protocol, not its game's wire.
    neutral: bool,
}

impl InteractiveProgram {
    /// Starts the program.
    ///
    /// # Errors
    /// [`StartError`].
    pub fn start(kit: &'static dyn Kit, options: &ProgramOptions) -> Result<Self, StartError> {
        let seats = *kit.card().seats.start();
        let table = kit.table(&TableSetup::numbered(0, Value::Null, seats));
        Ok(Self {
            kit,
            lock_step: table.is_ok_and(|table| table.lock_step()),
            neutral: false,
            program: Program::start(options)?,
        })
    }

    /// Starts a user's program, which speaks the neutral protocol, and greets it.
    ///
    /// # Errors
    /// [`StartError`].
    pub fn start_bot(
        kit: &'static dyn Kit,
        options: &ProgramOptions,
        show: &mut dyn FnMut(Spoken),
    ) -> Result<Self, StartError> {
        let mut started = Self {
            kit,
            lock_step: false,
            neutral: true,
            program: Program::start(options)?,
        };
        let hello = ToProgram::<Value, Value, Value, Value>::Hello(Hello::new(kit.card().name));
        // That it has gone shows at the next line.
        let _there = started.send(&written(&hello), show);
        Ok(started)
    }

    /// Whether this line ends a message to it.
    #[must_use]
    pub fn completes(&self, line: &str) -> bool {
        self.neutral || self.kit.card().dialect.completes(line.as_bytes())
    }

    /// Sends a line and reports the reply, with a warning of what an arbiter would not take for one. Returns
    /// whether the program is still there.
    pub fn send(&mut self, text: &str, show: &mut dyn FnMut(Spoken)) -> bool {
        self.warn_of_extra("before it was asked", show);
        show(Spoken::To(text.to_owned()));
        let begun = Instant::now();
        if self.program.say(text, begun + FIRST_WITHIN).is_err() {
            show(Spoken::Note("the program has gone".to_owned()));
            return false;
        }
        let waits_little = self.neutral && !is_answered(text);
        let mut within = if waits_little { PAUSE } else { FIRST_WITHIN };
        let mut spoke = false;
        for _ in 0..LINES_MAX {
            match self.program.line(Instant::now() + within) {
                Ok(line) => {
                    let line = String::from_utf8_lossy(&line).into_owned();
                    let blank = line.trim().is_empty();
                    show(Spoken::By(line, begun.elapsed()));
                    if blank && spoke {
                        self.warn_of_extra("after its reply", show);
                        return true;
                    }
                    spoke |= !blank;
                    within = PAUSE;
                }
                Err(LineFault::Late) if within == PAUSE => {
                    if self.lock_step {
                        let why =
                            "warning: no blank line came after the reply; an arbiter waits for it";
                        show(Spoken::Note(why.to_owned()));
                    }
                    return true;
                }
                Err(LineFault::Late) => {
                    show(Spoken::Note(format!("no reply within {FIRST_WITHIN:?}")));
                    return true;
                }
                Err(LineFault::TooLong(beginning)) => {
                    let bytes = beginning.len();
                    show(Spoken::Note(format!("a line of {bytes} bytes has no end")));
                    return true;
                }
                Err(LineFault::Gone | LineFault::Deaf) => {
                    show(Spoken::Note("the program has gone".to_owned()));
                    return false;
                }
            }
        }
        true
    }

    /// Discards what nobody asked for.
    fn warn_of_extra(&mut self, when: &str, show: &mut dyn FnMut(Spoken)) {
        self.program.read();
        let extra = String::from_utf8_lossy(self.program.unended().trim_ascii()).into_owned();
        if self.lock_step && !extra.is_empty() {
            let extra: String = extra.chars().take(EXTRA_SHOWN).collect();
            let why =
                format!("warning: it said {extra:?} {when}; an arbiter takes that for a fault");
            show(Spoken::Note(why));
        }
        self.program.discard();
    }

    /// Ends the program and everything that it started.
    pub fn end(mut self, show: &mut dyn FnMut(Spoken)) -> Ended {
        let farewell = self.kit.card().stdio.farewell;
        if let Some(word) = farewell.filter(|_| !self.neutral) {
            let _there = self.send(word, show);
        }
        self.program.dismiss(None);
        let ended = self.program.end();
        sweep(ended.marker.as_slice());
        ended
    }
}

/// Whether a bot answers this line of the neutral protocol.
fn is_answered(text: &str) -> bool {
    let line: Value = serde_json::from_str(text).unwrap_or_default();
    line["type"] == "hello" || line["type"] == "ask" && line["past"] != true
}

/// Plays a whole game and reports what the player on `seat` receives and says, what that means, and who is at
/// fault for the game's end.
///
/// # Errors
/// As [`super::play`].
pub async fn watch_game(
    spec: MatchSpec,
    pipes: Pipes,
    seat: Seat,
    show: &mut (dyn FnMut(Spoken) + Send),
) -> Result<Option<Refereed>, PlayError> {
    let watch = Watch::new(spec.kit, seat, &mut *show);
    let ended = watched(spec, pipes, &CancellationToken::new(), Some(watch)).await?;
    for blame in ended.iter().flat_map(|ended| &ended.blames) {
        let (seat, cause) = (blame.seat.index() + 1, blame.cause.word());
        let why = format!("seat {seat}: {cause}: {}", blame.detail);
        show(Spoken::Note(why));
    }
    Ok(ended)
}
