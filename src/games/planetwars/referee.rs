//! The judge's side of one game (README.md, sections 1 and 3): every round all players are sent the state
//! at once and asked for their orders, each with a clock of its own.

use super::dialect::google;
use super::dialect::judge::{self, Offence, REPLY_LINES_MAX};
use super::map;
use super::options::{Conduct, RefereeSetup, Wire};
use super::rules::{Act, PlanetWars};
use super::scene::State;
use drover_game::game::{Cause, Game as _, Outcome, Seat, Seats, SetupError};
use drover_game::scene::Scene;
use drover_game::wire::{Blame, Call, Reply, Table};
use serde_json::Value;

/// What is known of a player's program.
#[derive(Clone, Debug, Default)]
struct Program {
    /// Its reply as far as it has come, while it is asked.
    reply: Option<Act>,
    /// Its whole reply of this round.
    act: Option<Act>,
    lines: usize,
    /// Whether it has ever replied.
    replied: bool,
    /// Why it is not spoken to any more.
    dropped: Option<Blame>,
}

/// One game, refereed.
pub struct Referee {
    setup: RefereeSetup,
    game: PlanetWars,
    programs: Seats<Program>,
    calls: Vec<Call>,
    /// What ended the game before its time.
    ended_by: Option<Cause>,
}

impl Referee {
    /// A game from its start.
    ///
    /// # Errors
    /// [`SetupError`] says which part does not fit.
    pub fn new(setup: RefereeSetup) -> Result<Self, SetupError> {
        setup.conduct.check()?;
        let game = PlanetWars::begin(&setup.position)?;
        let players = setup.position.players.len();
        let mut referee = Self {
            programs: Seats::from_fn(players, |_| Program::default()),
            calls: Vec::new(),
            ended_by: None,
            game,
            setup,
        };
        referee.ask();
        Ok(referee)
    }

    /// Sends everybody the state and asks for orders.
    fn ask(&mut self) {
        if self.game.outcome().is_some() {
            return;
        }
        let planets = map::text(self.game.planets());
        let fleets = match self.setup.conduct.wire {
            Wire::Team => Vec::new(),
            Wire::Google2010 => self.game.fleets(),
        };
        let messages = self.game.ruleset().messages;
        for (seat, asked) in self.game.to_move().iter() {
            let program = &mut self.programs[seat];
            (program.act, program.lines) = (None, 0);
            program.reply = asked.then(Act::default);
            if !asked {
                continue;
            }
            let message = messages.then(|| self.game.word_for(seat));
            let you = self.game.player(seat).unwrap_or_default();
            let text = match self.setup.conduct.wire {
                Wire::Team => judge::state(&planets, message, you),
                Wire::Google2010 => google::state(self.game.planets(), &fleets, you),
            };
            let within = self.setup.conduct.within(program.replied);
            self.calls.push(Call::ask(seat, text, within));
        }
    }

    fn offend(&mut self, seat: Seat, offence: Offence) {
        let program = &mut self.programs[seat];
        program.reply = None;
        program.dropped = Some(Blame {
            seat,
            cause: offence.cause,
            detail: format!("{}, in round {}", offence.why, self.game.turn() + 1),
        });
    }

    fn receive(&mut self, seat: Seat, line: &[u8]) {
        let Conduct { wire, lines, .. } = self.setup.conduct;
        let read = match wire {
            Wire::Team => judge::line(line, lines),
            Wire::Google2010 => google::line(line, lines, self.game.planets()),
        };
        let program = &mut self.programs[seat];
        let Some(reply) = &mut program.reply else {
            return;
        };
        program.lines += 1;
        match read {
            Err(offence) => self.offend(seat, offence),
            Ok(_) if program.lines > REPLY_LINES_MAX => {
                let why = format!("a reply of more than {REPLY_LINES_MAX} lines");
                let cause = Cause::ProtocolError;
                self.offend(seat, Offence { cause, why });
            }
            Ok(line) => {
                if !line.put(reply) {
                    return;
                }
                program.replied = true;
                program.act = program.reply.take();
                let act = program.act.clone().unwrap_or_default();
                if let Err(illegal) = self.game.check(seat, &act) {
                    self.programs[seat].act = None;
                    let (cause, why) = (Cause::IllegalMove, illegal.0);
                    self.offend(seat, Offence { cause, why });
                }
            }
        }
    }

    fn fail(&mut self, seat: Seat, reply: Reply<'_>) {
        let replied = self.programs[seat].replied;
        let limit = self.setup.conduct.within(replied).as_millis();
        let (cause, why) = match reply {
            Reply::Late => (
                Cause::TimeForfeit,
                format!("no whole reply within {limit} ms"),
            ),
            _ => (Cause::Crash, "its program was gone".to_owned()),
        };
        let cause = if replied { cause } else { Cause::InitFailure };
        self.offend(seat, Offence { cause, why });
    }

    /// Plays the round once everybody has replied or failed.
    fn go_on(&mut self) {
        if !self.calls.is_empty() || self.game.outcome().is_some() {
            return;
        }
        if self
            .programs
            .iter()
            .any(|(_, program)| program.reply.is_some())
        {
            return;
        }
        let fresh = self
            .programs
            .iter()
            .filter(|(seat, program)| program.dropped.is_some() && !self.game.is_dropped(*seat));
        let fresh: Vec<Seat> = fresh.map(|(seat, _)| seat).collect();
        self.game.drop_players(&fresh);
        if self.game.outcome().is_some() {
            // The first of them speaks for all.
            let first = fresh.first().and_then(|seat| self.programs.get(*seat));
            let blame = first.and_then(|program| program.dropped.as_ref());
            self.ended_by = blame.map(|blame| blame.cause);
            return;
        }
        let mut acts = Vec::with_capacity(self.programs.len());
        for seat in (0..self.programs.len() as u8).map(Seat) {
            acts.push((seat, self.programs[seat].act.take()));
        }
        self.game.play(&acts);
        self.ask();
    }
}

impl Table for Referee {
    fn calls(&mut self, out: &mut Vec<Call>) {
        out.append(&mut self.calls);
    }

    fn answer(&mut self, seat: Seat, reply: Reply<'_>) {
        if !self.waits(seat) {
            return;
        }
        match reply {
            // One line at a time, or several where a transcript is played again.
            Reply::Text(lines) => {
                for line in lines.split(|byte| *byte == b'\n') {
                    self.receive(seat, line);
                }
            }
            reply => self.fail(seat, reply),
        }
        self.go_on();
    }

    fn waits(&self, seat: Seat) -> bool {
        let program = self.programs.get(seat);
        self.calls.is_empty() && program.is_some_and(|program| program.reply.is_some())
    }

    fn blames(&self) -> Vec<Blame> {
        let programs = self.programs.iter();
        programs
            .filter_map(|(_, program)| program.dropped.clone())
            .collect()
    }

    fn outcome(&self) -> Option<Outcome> {
        let outcome = self.game.outcome()?;
        Some(Outcome {
            cause: self.ended_by.unwrap_or(outcome.cause),
            ..outcome
        })
    }

    fn scene(&self) -> Option<Scene> {
        let position = &self.setup.position;
        let state = State::whole(&self.game, &position.teams, &position.players);
        Some(state.scene())
    }

    fn setup(&self) -> Value {
        serde_json::to_value(&self.setup).unwrap_or_default()
    }
}
