//! The hub's side of one match: the rules sent as lines, players' lines read one by one.

use super::dialect::{Line, error, escaped, finish, gone, receive, start, state, warning};
use super::options::Key;
use super::rules::{Command, Direction, DogId, Refusal, Setup, SmartDog};
use super::scene::State;
use drover_game::game::{Cause, Game as _, Outcome, Seat, Seats};
use drover_game::scene::{Scene, Who};
use drover_game::wire::{Call, Noted, Reply, Table};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;

/// How a match goes on when a player is gone or out of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFault {
    /// It forfeits with -10 points and the others play on.
    #[default]
    Forfeit,
    /// The match is given up for all, as at the official server.
    Abort,
}

/// Everything that a match is refereed from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefereeSetup {
    /// The position.
    pub position: Setup,
    /// What a fault leads to.
    #[serde(default)]
    pub on_fault: OnFault,
    /// The first dog's number on the wire; the others follow.
    pub first_dog: u64,
}

/// One match, refereed.
pub struct Referee {
    setup: RefereeSetup,
    game: SmartDog,
    calls: Vec<Call>,
    /// The first fault, if there was one.
    fault: Option<Cause>,
    aborted: bool,
    /// Lines that got a warning or an error, by seat.
    refused: Seats<u32>,
}

impl Referee {
    /// A match from its start.
    #[must_use]
    pub fn new(setup: RefereeSetup) -> Self {
        let game = SmartDog::begin(&setup.position);
        let header = setup.position.map.header();
        let calls = (0..game.ground().tiles().len())
            .map(|seat| Seat(seat as u8))
            .map(|seat| Call::send(seat, start(game.ground(), seat, header)))
            .collect();
        let mut referee = Self {
            refused: Seats::from_fn(game.ground().tiles().len(), |_| 0),
            setup,
            game,
            calls,
            fault: None,
            aborted: false,
        };
        referee.send_turn();
        referee
    }

    fn say(&mut self, seat: Seat, text: String) {
        self.calls.push(Call::send(seat, text));
    }

    /// Refuses a line for this reason.
    fn refuse(&mut self, seat: Seat, why: String) {
        self.refused[seat] += 1;
        self.say(seat, why);
    }

    fn send_turn(&mut self) {
        let within = self.game.ground().options().get(Key::WaitForTurn);
        let within = Duration::from_millis(u64::from(within));
        let first = self.setup.first_dog;
        for (seat, waits) in self.game.to_move().iter() {
            if *waits {
                let number = |dog: DogId| first + u64::from(dog.0);
                let text = state(&self.game.seen_by(seat), number);
                self.calls.push(Call::ask(seat, text, within));
            }
        }
    }

    /// After a change that may have ended a turn.
    fn report(&mut self, turn_before: u32) {
        if self.game.is_over() {
            let winner = self.game.winner();
            for seat in self.players() {
                self.say(seat, finish(seat, winner));
            }
        } else if self.game.turn() > turn_before {
            self.send_turn();
        }
    }

    /// Those who have not forfeited.
    fn players(&self) -> Vec<Seat> {
        let all = (0..self.game.ground().tiles().len()).map(|seat| Seat(seat as u8));
        all.filter(|seat| self.game.has_forfeited(*seat) == Some(false))
            .collect()
    }

    fn receive(&mut self, seat: Seat, line: &str) {
        match receive(line) {
            Line::End => self.end(seat),
            Line::Move {
                dog,
                direction: None,
                word,
            } => {
                let words = Direction::WORDS;
                let why = format!(
                    "Unexpected direction '{word}', one of the following expected: {words}"
                );
                self.refuse(
                    seat,
                    format!("warning {}", escaped(&format!("{dog} {why}"))),
                );
            }
            Line::Move {
                dog,
                direction: Some(direction),
                ..
            } => self.play(seat, dog, |id| Command::Move(id, direction)),
            Line::Bark { dog } => self.play(seat, dog, Command::Bark),
            Line::Do { what } => {
                let why =
                    format!("Unknown command - {what}, only the following are allowed: move,bark");
                self.refuse(seat, format!("warning {}", escaped(&why)));
            }
            Line::Join { .. } => self.refuse(seat, error("You are playing already")),
            Line::Other { word, argument } => {
                self.refuse(seat, error(&format!("Unknown command: {word}({argument})")));
            }
        }
    }

    /// A second end of one turn is not counted for anybody else.
    fn end(&mut self, seat: Seat) {
        let turn = self.game.turn();
        if self.game.end(seat).is_ok() {
            self.report(turn);
        }
    }

    fn play(&mut self, seat: Seat, dog: &str, command: impl Fn(DogId) -> Command) {
        let number: Option<u64> = dog.parse().ok();
        let id = number
            .and_then(|number| number.checked_sub(self.setup.first_dog))
            .and_then(|at| u16::try_from(at).ok());
        let played = match id {
            Some(id) => self.game.play(seat, command(DogId(id))),
            None => Err(Refusal::Unknown),
        };
        if let Err(why) = played {
            self.refuse(seat, warning(dog, &why));
        }
    }

    fn fault(&mut self, seat: Seat, cause: Cause) {
        if self.is_over() || self.game.has_forfeited(seat) != Some(false) {
            return;
        }
        self.fault.get_or_insert(cause);
        match self.setup.on_fault {
            OnFault::Forfeit => {
                let turn = self.game.turn();
                self.say(seat, gone());
                self.game.forfeit(seat);
                self.report(turn);
            }
            OnFault::Abort => {
                self.aborted = true;
                for seat in self.players() {
                    self.say(seat, gone());
                }
            }
        }
    }

    fn is_over(&self) -> bool {
        self.aborted || self.game.is_over()
    }
}

impl Table for Referee {
    fn calls(&mut self, out: &mut Vec<Call>) {
        out.append(&mut self.calls);
    }

    /// Takes lines in any number: a turn ends with `end`, not with the answer.
    fn answer(&mut self, seat: Seat, reply: Reply<'_>) {
        match reply {
            Reply::Text(bytes) => {
                let text = String::from_utf8_lossy(bytes);
                let empty = text.is_empty().then_some("");
                for line in text.lines().chain(empty) {
                    if self.is_over() || self.game.has_forfeited(seat) != Some(false) {
                        return;
                    }
                    self.receive(seat, line);
                }
            }
            Reply::Late => self.fault(seat, Cause::TimeForfeit),
            Reply::Failed | Reply::Early(_) => self.fault(seat, Cause::Disconnect),
        }
    }

    fn waits(&self, seat: Seat) -> bool {
        !self.aborted && self.game.waits_for(seat) == Some(true)
    }

    fn noted(&self, seat: Seat) -> Noted {
        Noted {
            refused: self.refused.get(seat).copied().unwrap_or_default(),
            ..Noted::default()
        }
    }

    /// Points in hundredths; none if the match was given up. A match with a fault in it has the first
    /// fault's cause.
    fn outcome(&self) -> Option<Outcome> {
        if !self.is_over() {
            return None;
        }
        Some(Outcome {
            cause: self.fault.unwrap_or(Cause::Normal),
            scores: if self.aborted {
                Seats::default()
            } else {
                self.game.hundredths()
            },
        })
    }

    fn scene(&self) -> Option<Scene> {
        let over = match (self.aborted, self.game.winner()) {
            (true, _) => "the match was given up".to_owned(),
            (false, Some(winner)) => format!("{} has won", Who(winner.index())),
            (false, None) => "nobody has won".to_owned(),
        };
        let over = self.is_over().then_some(over.as_str());
        Some(State::whole(&self.game, self.setup.first_dog).scene(over))
    }

    fn setup(&self) -> Value {
        // A setup of text, numbers and words always serialises.
        serde_json::to_value(&self.setup).unwrap_or_default()
    }
}
