//! One program, talked to line by line, or run through a whole game against built-in bots while a person watches.

use crate::link::program::{Ended, LineFault, Program, ProgramOptions, StartError, sweep};
use crate::referee::seat::budget::ThinkBudget;
use crate::referee::seat::seat_builtin::Builtin;
use games::{Call, Kit, Outcome, Reply, Seat, SetupError, TableSetup, bot_seed};
use serde_json::Value;
use std::time::{Duration, Instant};

/// How long a program may take for the first line of an untimed reply.
const FIRST_WITHIN: Duration = Duration::from_secs(30);
/// How long a reply may pause before it counts as complete.
const PAUSE: Duration = Duration::from_millis(150);
/// The maximum number of lines read of a free-form reply.
const LINES_MAX: usize = 1_000;

/// What is sent and received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spoken {
    /// To the program.
    To(String),
    /// By the program, with the time since the last message to it.
    By(String, Duration),
    /// Something that happened, as a sentence.
    Note(String),
}

/// A game to run the program through.
#[derive(Clone, Debug)]
pub struct InteractiveGame {
    /// The program's seat.
    pub seat: Seat,
    /// The built-in bots on the other seats, in order.
    pub rivals: Vec<String>,
    /// Seeds all randomness.
    pub seed: u64,
    /// Rule options.
    pub options: Value,
    /// A bot's time budget per decision.
    pub budget: ThinkBudget,
}

/// A running program.
pub struct InteractiveProgram {
    kit: &'static dyn Kit,
    program: Program,
}

impl InteractiveProgram {
    /// Starts the program.
    ///
    /// # Errors
    /// [`StartError`].
    pub fn start(kit: &'static dyn Kit, options: &ProgramOptions) -> Result<Self, StartError> {
        Ok(Self {
            kit,
            program: Program::start(options)?,
        })
    }

    /// Sends a line and reports the reply. Returns whether the program is still there.
    pub fn send(&mut self, text: &str, hear: &mut dyn FnMut(Spoken)) -> bool {
        hear(Spoken::To(text.to_owned()));
        // The rest of an earlier reply.
        self.program.discard();
        let begun = Instant::now();
        if self.program.say(text, begun + FIRST_WITHIN).is_err() {
            hear(Spoken::Note("the program has gone".to_owned()));
            return false;
        }
        let (mut within, mut spoke) = (FIRST_WITHIN, false);
        for _ in 0..LINES_MAX {
            match self.program.line(Instant::now() + within) {
                Ok(line) => {
                    let line = String::from_utf8_lossy(&line).into_owned();
                    let blank = line.trim().is_empty();
                    hear(Spoken::By(line, begun.elapsed()));
                    if blank && spoke {
                        return true;
                    }
                    spoke |= !blank;
                    within = PAUSE;
                }
                Err(LineFault::Late) if within == PAUSE => return true,
                Err(LineFault::Late) => {
                    hear(Spoken::Note(format!("no reply within {FIRST_WITHIN:?}")));
                    return true;
                }
                Err(LineFault::TooLong(beginning)) => {
                    let bytes = beginning.len();
                    hear(Spoken::Note(format!("a line of {bytes} bytes has no end")));
                    return true;
                }
                Err(LineFault::Gone) => {
                    hear(Spoken::Note("the program has gone".to_owned()));
                    return false;
                }
            }
        }
        true
    }

    /// Plays a whole game. Returns the outcome, and whether the program is still there.
    ///
    /// # Errors
    /// [`SetupError`] for unknown bots or options or a wrong number of seats.
    pub fn game(
        &mut self,
        game: &InteractiveGame,
        hear: &mut dyn FnMut(Spoken),
    ) -> Result<(Option<Outcome>, bool), SetupError> {
        self.program.discard();
        let seats = game.rivals.len() + 1;
        let mut table = self.kit.table(&TableSetup::numbered(
            game.seed,
            game.options.clone(),
            seats,
        ))?;
        let mut bots = Vec::with_capacity(seats);
        for (place, name) in game.rivals.iter().enumerate() {
            let place = place + usize::from(place >= game.seat.index());
            let seed = bot_seed(game.seed, Seat(place as u8));
            bots.push(Builtin::new(self.kit, name, seed, game.budget, false)?);
        }
        let mut calls = Vec::new();
        let mut there = true;
        while table.outcome().is_none() {
            table.calls(&mut calls);
            if calls.is_empty() {
                return Ok((None, there));
            }
            for Call {
                seat,
                text,
                answer_within,
                ..
            } in calls.drain(..)
            {
                if seat != game.seat {
                    let place = seat.index() - usize::from(seat > game.seat);
                    let answer = bots.get_mut(place).and_then(|bot| bot.answer(&text));
                    match answer {
                        _ if answer_within.is_none() => {}
                        Some(answer) => table.answer(seat, Reply::Text(answer.as_bytes())),
                        None => table.answer(seat, Reply::Failed),
                    }
                    continue;
                }
                hear(Spoken::To(text.clone()));
                let within = answer_within.unwrap_or_default();
                let mut begun = Instant::now();
                let mut said = self.program.say(&text, begun + within.max(PAUSE));
                if answer_within.is_none() {
                    there &= said.is_ok();
                    continue;
                }
                begun = Instant::now();
                let mut charged = Duration::ZERO;
                while said.is_ok() && table.waits(seat) {
                    let line = match self.program.line(begun + within) {
                        Ok(line) => line,
                        Err(fault) => {
                            said = Err(fault);
                            break;
                        }
                    };
                    let took = begun.elapsed();
                    hear(Spoken::By(
                        String::from_utf8_lossy(&line).into_owned(),
                        took,
                    ));
                    table.spent(seat, took.saturating_sub(charged));
                    charged = took;
                    table.answer(seat, Reply::Text(&line));
                }
                match said {
                    Ok(()) => {}
                    Err(LineFault::Late) => table.answer(seat, Reply::Late),
                    Err(LineFault::TooLong(line)) => table.answer(seat, Reply::Text(&line)),
                    Err(LineFault::Gone) => {
                        there = false;
                        table.answer(seat, Reply::Failed);
                    }
                }
            }
        }
        for blame in table.blames() {
            hear(Spoken::Note(format!(
                "seat {}: {}",
                blame.seat.0, blame.detail
            )));
        }
        Ok((table.outcome(), there))
    }

    /// Ends the program and everything that it started.
    pub fn end(mut self, hear: &mut dyn FnMut(Spoken)) -> Ended {
        if let Some(word) = self.kit.stdio().and_then(|wire| wire.farewell) {
            let _there = self.send(word, hear);
        }
        self.program.dismiss(None);
        let ended = self.program.end();
        sweep(ended.marker.as_slice());
        ended
    }
}
