//! The engine's side of one game (README.md, section 4): greetings, then everybody's turn in order, each
//! with a state, a command and its result.

use super::dialect::engine::{self, Broken};
use super::options::{OnSilence, RefereeSetup};
use super::rules::{Act, Lighthouses, Refusal};
use super::scene::{State, deed};
use drover_game::game::{Cause, Game as _, Outcome, Seat, Seats, SetupError};
use drover_game::scene::{Scene, Who};
use drover_game::wire::{Blame, Call, Noted, Reply, Table};
use serde_json::Value;
use std::time::Duration;

/// Turns in a row that may pass for want of a command before the bot is dropped all the same.
const SILENCES_MAX: u32 = 20;

/// What is known of a player's bot.
#[derive(Clone, Debug, Default)]
struct Bot {
    /// Why it is not spoken to any more.
    dropped: Option<Blame>,
    /// Turns that passed in a row for want of a command.
    silences: u32,
    /// Lines that are owed for turns that have passed.
    owed: u32,
    /// Commands that came after the soft limit, and turns that passed without one.
    late: u32,
    /// Commands that did not succeed.
    refused: u32,
    /// Whether it was sent a result since its last state.
    was_sent_result: bool,
}

/// One game, refereed.
pub struct Referee {
    setup: RefereeSetup,
    game: Lighthouses,
    bots: Seats<Bot>,
    /// Whose answer is waited for, and what it has taken so far.
    open: Option<(Seat, Duration)>,
    /// The next one to greet; all have once it is nobody's seat.
    greeting: Seat,
    calls: Vec<Call>,
    /// What happened last, in a sentence.
    last: String,
}

impl Referee {
    /// A game from its start.
    ///
    /// # Errors
    /// [`SetupError`] says which part does not fit.
    pub fn new(setup: RefereeSetup) -> Result<Self, SetupError> {
        setup.conduct.check()?;
        setup.position.check()?;
        let game = Lighthouses::begin(&setup.position);
        let mut referee = Self {
            bots: Seats::from_fn(game.players().len(), |_| Bot::default()),
            open: None,
            greeting: Seat(0),
            calls: Vec::new(),
            last: "The players greet".to_owned(),
            game,
            setup,
        };
        referee.go_on();
        Ok(referee)
    }

    /// The game as it stands.
    #[must_use]
    pub const fn game(&self) -> &Lighthouses {
        &self.game
    }

    /// Asks the next one, if anybody is left to be asked.
    fn go_on(&mut self) {
        if self.open.is_some() {
            return;
        }
        if let Some(player) = self.game.players().get(self.greeting.index()) {
            let seat = self.greeting;
            let players = self.game.players().len();
            let text = engine::begin(self.game.chart(), seat, players, player.position);
            self.ask(
                seat,
                text,
                Duration::from_millis(self.setup.conduct.start_ms),
                Duration::ZERO,
            );
            return;
        }
        while let Some(seat) = self.game.turn() {
            let bot = &mut self.bots[seat];
            if bot.dropped.is_some() {
                // Its player stands.
                let _ = self.game.play(Act::Pass);
                continue;
            }
            let pause = if std::mem::take(&mut bot.was_sent_result) {
                Duration::from_micros(self.setup.conduct.pause_us)
            } else {
                Duration::ZERO
            };
            let text = engine::state(&self.game, seat, self.setup.conduct.neutral);
            self.ask(
                seat,
                text,
                Duration::from_millis(self.setup.conduct.hard_ms),
                pause,
            );
            return;
        }
    }

    fn ask(&mut self, seat: Seat, text: String, within: Duration, pause: Duration) {
        self.open = Some((seat, Duration::ZERO));
        self.calls.push(Call {
            pause,
            decides: self.greeting != seat,
            ..Call::ask(seat, text, within)
        });
    }

    fn drop_bot(&mut self, seat: Seat, cause: Cause, detail: String) {
        self.open = None;
        self.last = format!("{} is dropped", Who(seat.index()));
        self.bots[seat].dropped = Some(Blame {
            seat,
            cause,
            detail,
        });
        if self.greeting == seat {
            self.greeting.0 += 1;
        }
        // Its open turn passes.
        self.go_on();
    }

    fn greeted(&mut self, seat: Seat, line: &[u8]) {
        match engine::greeting(line) {
            Ok(_) => {
                self.greeting.0 += 1;
                self.open = None;
                self.last = format!("{} greets", Who(seat.index()));
                self.go_on();
            }
            Err(Broken(why)) => self.drop_bot(seat, Cause::ProtocolError, why),
        }
    }

    fn commanded(&mut self, seat: Seat, line: &[u8], took: Duration) {
        let command = match engine::command(self.game.chart(), line) {
            Ok(command) => command,
            Err(Broken(why)) => return self.drop_bot(seat, Cause::ProtocolError, why),
        };
        let refused = match command {
            Ok(act) => self.play(seat, act).err().map(|why| why.to_string()),
            Err(why) => {
                let who = Who(seat.index());
                self.last = format!("{who} gives no command of the game");
                // A failed command is a passed turn.
                let _ = self.game.play(Act::Pass);
                Some(why.to_string())
            }
        };
        let bot = &mut self.bots[seat];
        bot.silences = 0;
        bot.was_sent_result = true;
        bot.late += u32::from(took > Duration::from_millis(self.setup.conduct.soft_ms));
        bot.refused += u32::from(refused.is_some());
        self.open = None;
        self.calls
            .push(Call::send(seat, engine::result(refused.as_deref())));
        self.go_on();
    }

    fn play(&mut self, seat: Seat, act: Act) -> Result<(), Refusal> {
        let player = self.game.players().get(seat.index());
        let (from, energy) =
            player.map_or_else(Default::default, |player| (player.position, player.energy));
        let done = self.game.legal(act);
        self.last = deed(self.game.chart(), seat, from, energy, act, done);
        self.game.play(act)
    }

    fn silent(&mut self, seat: Seat) {
        let limit = self.setup.conduct.hard_ms;
        let bot = &mut self.bots[seat];
        if self.greeting == seat {
            let limit = self.setup.conduct.start_ms;
            let why = format!("it did not greet within {limit} ms");
            return self.drop_bot(seat, Cause::InitFailure, why);
        }
        bot.silences += 1;
        if self.setup.conduct.on_silence == OnSilence::Drop || bot.silences > SILENCES_MAX {
            let round = self.game.round() + 1;
            let why = format!("it gave no command within {limit} ms in round {round}");
            return self.drop_bot(seat, Cause::TimeForfeit, why);
        }
        bot.late += 1;
        bot.owed += 1;
        bot.was_sent_result = true;
        self.open = None;
        self.last = format!("{} gives no command in time", Who(seat.index()));
        let _ = self.game.play(Act::Pass);
        // Bots read a result after every command, however late they give it.
        let result = engine::result(Some("Command timed out"));
        self.calls.push(Call::send(seat, result));
        self.go_on();
    }

    /// The open turn of a seat, with the time it has taken, once it has been asked.
    fn asked(&self, seat: Seat) -> Option<Duration> {
        let (open, took) = self.open.filter(|_| self.calls.is_empty())?;
        (open == seat).then_some(took)
    }

    fn take(&mut self, seat: Seat, reply: Reply<'_>) {
        let Some(took) = self.asked(seat) else {
            return;
        };
        let greets = self.greeting == seat;
        match reply {
            // Counted when it did not come.
            Reply::Text(_) if self.bots[seat].owed > 0 => self.bots[seat].owed -= 1,
            Reply::Text(line) if greets => self.greeted(seat, line),
            Reply::Text(line) => self.commanded(seat, line, took),
            Reply::Late => self.silent(seat),
            Reply::Failed | Reply::Early(_) => {
                let (cause, when) = if greets {
                    (Cause::InitFailure, "before it greeted".to_owned())
                } else {
                    (Cause::Crash, format!("in round {}", self.game.round() + 1))
                };
                self.drop_bot(seat, cause, format!("its program was gone {when}"));
            }
        }
    }
}

impl Table for Referee {
    fn calls(&mut self, out: &mut Vec<Call>) {
        out.append(&mut self.calls);
    }

    fn answer(&mut self, seat: Seat, reply: Reply<'_>) {
        if let Reply::Text(lines) = reply {
            // One line at a time, or several where a transcript is played again.
            for line in lines.split(|byte| *byte == b'\n') {
                self.take(seat, Reply::Text(line));
            }
        } else {
            self.take(seat, reply);
        }
    }

    fn waits(&self, seat: Seat) -> bool {
        self.asked(seat).is_some()
    }

    fn spent(&mut self, seat: Seat, time: Duration) {
        if self.asked(seat).is_some()
            && let Some((_, took)) = &mut self.open
        {
            *took += time;
        }
    }

    fn blames(&self) -> Vec<Blame> {
        let dropped = self.bots.iter().filter_map(|(_, bot)| bot.dropped.clone());
        dropped.collect()
    }

    fn noted(&self, seat: Seat) -> Noted {
        let bot = self.bots.get(seat);
        bot.map_or_else(Noted::default, |bot| Noted {
            refused: bot.refused,
            late: bot.late,
        })
    }

    fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }

    fn scene(&self) -> Option<Scene> {
        let dropped = |seat| self.bots.get(seat).is_some_and(|bot| bot.dropped.is_some());
        let state = State::whole(&self.game, self.setup.position.rounds, dropped);
        let over = if self.game.is_over() {
            "; the game is over"
        } else {
            ""
        };
        Some(state.scene(format!("{}{over}", self.last)))
    }

    fn setup(&self) -> Value {
        serde_json::to_value(&self.setup).unwrap_or_default()
    }
}
