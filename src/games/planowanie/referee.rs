//! The arbiter's side of one game (README.md, section 3): commands in lock step, one player at a time,
//! a clock for the whole game, and an early end by a player's fault.

use super::dialect::{self, Said, cut};
use super::options::Conduct;
use super::rules::{Planowanie, Setup};
use super::scene::{Position, Watch};
use drover_game::dialect::ReplyLine;
use drover_game::game::{Cause, Game as _, Illegal, Outcome, Seat, Seats};
use drover_game::scene::Scene;
use drover_game::wire::{Blame, Call, Reply, Table};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// Lines of other output that a lenient arbiter skips before a reply.
const JUNK_MAX: u32 = 10;
/// Blank lines before a reply, and lines of it after its first, that are passed over.
const LINES_MAX: u32 = 1_000;
/// How long a player has to take note of the game's last cards (B4.11).
const LAST_WITHIN: Duration = Duration::from_secs(1);

/// Everything that a game is refereed from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefereeSetup {
    /// The game with all its hands.
    pub position: Setup,
    /// The clock and how strictly replies are read.
    #[serde(default)]
    pub conduct: Conduct,
}

/// What a player is sent or asked next.
enum Step {
    Send(String),
    TimeLeft,
    Declare,
    Play,
}

/// The command that is out.
struct Open {
    seat: Seat,
    step: Step,
    /// The reply's first line.
    said: Option<Said>,
    /// Lines passed over so far.
    skipped: u32,
    /// Time that the reply has taken so far.
    took: Duration,
}

/// One game, refereed.
pub struct Referee {
    setup: RefereeSetup,
    game: Planowanie,
    steps: VecDeque<(Seat, Step)>,
    open: Option<Open>,
    left: Seats<Duration>,
    /// Whether a player has ever replied.
    spoke: Seats<bool>,
    /// Declarations of the deal that nobody was sent yet.
    declared: Vec<u8>,
    blame: Option<Blame>,
    watch: Watch,
}

impl Referee {
    /// A game from its start.
    #[must_use]
    pub fn new(setup: RefereeSetup) -> Self {
        let game = Planowanie::begin(&setup.position);
        let players = game.game().players();
        let time = Duration::from_millis(setup.conduct.time_ms);
        let mut referee = Self {
            left: Seats::from_fn(players, |_| time),
            spoke: Seats::from_fn(players, |_| false),
            steps: VecDeque::new(),
            open: None,
            declared: Vec::new(),
            blame: None,
            watch: Watch::default(),
            game,
            setup,
        };
        referee.configure();
        referee.deal();
        referee
    }

    /// The game as it stands.
    #[must_use]
    pub const fn game(&self) -> &Planowanie {
        &self.game
    }

    fn seats(&self) -> impl Iterator<Item = Seat> + use<> {
        (0..self.left.len() as u8).map(Seat)
    }

    fn send(&mut self, seat: Seat, text: String) {
        self.steps.push_back((seat, Step::Send(text)));
    }

    fn configure(&mut self) {
        let game = Arc::clone(self.game.game());
        for seat in self.seats() {
            self.send(seat, dialect::set_deck(game.deck()));
            self.send(seat, dialect::set_players(game.players(), seat));
            self.send(seat, dialect::set_game(&game));
        }
    }

    /// Deals out and asks for all declarations.
    fn deal(&mut self) {
        let deck = self.game.game().deck().clone();
        let Some(dealt) = self.setup.position.deal(self.game.deal()) else {
            return;
        };
        for (seat, hand) in self.seats().zip(&dealt.hands) {
            self.send(seat, dialect::set_cards(&deck, hand));
        }
        self.declared.clear();
        if self.game.deal() == 0 {
            self.watch.dealt();
        }
        for seat in self.seats() {
            self.steps.push_back((seat, Step::TimeLeft));
            self.steps.push_back((seat, Step::Declare));
        }
    }

    fn ask_card(&mut self) {
        if let Some(seat) = self.game.round().to_play() {
            self.steps.push_back((seat, Step::TimeLeft));
            self.steps.push_back((seat, Step::Play));
        }
    }

    /// All have declared: everybody receives everything.
    fn reveal(&mut self) {
        let declared = std::mem::take(&mut self.declared);
        for (seat, tricks) in self.seats().zip(&declared) {
            // Checked when it was received.
            let _ = self.game.declare(seat, *tricks);
        }
        for listener in self.seats() {
            for (seat, tricks) in self.seats().zip(&declared) {
                self.send(listener, dialect::declare(seat, *tricks));
            }
        }
        self.ask_card();
    }

    fn take_declaration(&mut self, seat: Seat, said: &Said) -> Result<(), Illegal> {
        let tricks = dialect::tricks(&said.payload, self.setup.conduct.lenient)
            .filter(|tricks| said.yes && *tricks <= self.game.round().cards());
        let Some(tricks) = tricks else {
            return Err(Illegal(format!(
                "gen_declare was answered {:?}, which is no number from 0 to {}",
                shown(said),
                self.game.round().cards()
            )));
        };
        self.declared.push(tricks);
        self.watch.declared(seat, tricks);
        debug_assert_eq!(self.declared.len(), seat.index() + 1);
        if self.declared.len() == self.left.len() {
            self.reveal();
        }
        Ok(())
    }

    fn take_card(&mut self, seat: Seat, said: &Said) -> Result<(), Illegal> {
        let deck = self.game.game().deck().clone();
        let card = dialect::card(&deck, &said.payload, self.setup.conduct.lenient);
        let Some(card) = card.filter(|_| said.yes) else {
            return Err(Illegal(format!(
                "gen_move was answered {:?}, which is no card of the deck",
                shown(said)
            )));
        };
        let deal = self.game.deal();
        let mut round = self.game.round().clone();
        self.game.play(seat, card)?;
        // The game's own may be the next deal's by now.
        let _ = round.play(&deck, seat, card);
        self.watch.played(seat, card, &round);
        for listener in self.seats() {
            self.send(listener, dialect::play(&deck, seat, card));
        }
        if self.game.deal() == deal {
            self.ask_card();
        } else {
            self.deal();
        }
        Ok(())
    }

    /// A whole reply has come.
    fn replied(&mut self, open: Open, said: &Said) {
        let read = match open.step {
            Step::Declare => self.take_declaration(open.seat, said),
            Step::Play => self.take_card(open.seat, said),
            // A refusal of anything else is the player's own affair (B4.5).
            Step::Send(_) | Step::TimeLeft => Ok(()),
        };
        if let Err(Illegal(why)) = read {
            self.fault(open.seat, Cause::IllegalMove, why);
        }
    }

    /// A line of a reply. Gives the reply back once it is whole.
    fn line(&mut self, line: &[u8]) -> Result<Option<Open>, (Seat, String)> {
        let Some(open) = &mut self.open else {
            return Ok(None);
        };
        let refused = |seat: Seat, why: String| Err((seat, why));
        if line.len() > dialect::REPLY_LINE_MAX {
            let why = format!(
                "a line of its reply is longer than {} bytes",
                dialect::REPLY_LINE_MAX
            );
            return refused(open.seat, why);
        }
        let text = dialect::clean(line);
        match dialect::reply_line(open.said.is_some(), &text) {
            Some(ReplyLine::Last) => return Ok(self.open.take()),
            Some(ReplyLine::More) if open.said.is_none() => {
                open.said = dialect::receive(&text);
                return Ok(None);
            }
            Some(ReplyLine::Blank | ReplyLine::More) => {}
            None if self.setup.conduct.lenient && open.skipped < JUNK_MAX => {}
            None => return refused(open.seat, dialect::neither(&text)),
        }
        open.skipped += 1;
        if open.skipped > LINES_MAX {
            return refused(open.seat, "its reply has no end".to_owned());
        }
        Ok(None)
    }

    /// How much of the next reply's time is not charged.
    fn free(&self, seat: Seat) -> Duration {
        let Conduct {
            grace_ms, start_ms, ..
        } = self.setup.conduct;
        let start_ms = if self.spoke[seat] { 0 } else { start_ms };
        Duration::from_millis(grace_ms.saturating_add(start_ms))
    }

    /// Charges a whole reply; whether time is left.
    fn charge(&mut self, open: &Open) -> bool {
        let charged = open.took.saturating_sub(self.free(open.seat));
        self.left[open.seat] = self.left[open.seat].saturating_sub(charged);
        self.spoke[open.seat] = true;
        self.left[open.seat].as_millis() > 0 || self.game.is_over()
    }

    fn fault(&mut self, seat: Seat, cause: Cause, detail: String) {
        // The score already stands after the last card.
        if self.game.is_over() {
            self.steps.retain(|(listener, _)| *listener != seat);
            return;
        }
        self.game.forfeit(seat, cause);
        self.watch.lost(seat);
        self.blame = Some(Blame {
            seat,
            cause,
            detail,
        });
        self.steps.clear();
    }

    /// How the command that is out reads, for a fault's detail.
    fn doing(step: &Step) -> &str {
        match step {
            Step::Send(text) => text.split(' ').next().unwrap_or_default(),
            Step::TimeLeft => "time_left",
            Step::Declare => "gen_declare",
            Step::Play => "gen_move",
        }
    }
}

fn shown(said: &Said) -> String {
    let sign = if said.yes { '=' } else { '?' };
    cut(&format!("{sign} {}", said.payload))
}

impl Table for Referee {
    fn calls(&mut self, out: &mut Vec<Call>) {
        if self.open.is_some() {
            return;
        }
        let Some((seat, step)) = self.steps.pop_front() else {
            return;
        };
        let left = self.left.get(seat).copied().unwrap_or_default();
        let text = match &step {
            Step::Send(text) => text.clone(),
            Step::TimeLeft => format!("time_left {}", left.as_millis()),
            Step::Declare => "gen_declare".to_owned(),
            Step::Play => "gen_move".to_owned(),
        };
        let within = if self.game.is_over() {
            LAST_WITHIN
        } else {
            left + self.free(seat)
        };
        out.push(Call {
            decides: matches!(step, Step::Declare | Step::Play),
            ..Call::ask(seat, text, within)
        });
        self.open = Some(Open {
            seat,
            step,
            said: None,
            skipped: 0,
            took: Duration::ZERO,
        });
    }

    fn spent(&mut self, seat: Seat, time: Duration) {
        if let Some(open) = self.open.as_mut().filter(|open| open.seat == seat) {
            open.took += time;
        }
    }

    fn answer(&mut self, seat: Seat, reply: Reply<'_>) {
        if self.open.as_ref().is_none_or(|open| open.seat != seat) {
            return;
        }
        let line = match reply {
            Reply::Text(line) => line,
            fault => {
                let Some(open) = self.open.take() else { return };
                let doing = Self::doing(&open.step).to_owned();
                let (cause, detail) = match (fault, &open.said) {
                    (Reply::Early(text), _) => {
                        let text = cut(&dialect::clean(text));
                        let why = format!("{doing}: it said {text:?} before it was asked");
                        (Cause::ProtocolError, why)
                    }
                    (Reply::Late, Some(said)) => {
                        let said = shown(said);
                        let why = format!("{doing}: no blank line came after its reply {said:?}");
                        (Cause::TimeForfeit, why)
                    }
                    (Reply::Late, None) => {
                        (Cause::TimeForfeit, format!("{doing}: its time was over"))
                    }
                    _ if self.spoke[seat] => (Cause::Crash, format!("{doing}: it is gone")),
                    _ => (Cause::InitFailure, "it never replied".to_owned()),
                };
                self.fault(seat, cause, detail);
                return;
            }
        };
        // A reply may come as one text or line by line.
        for line in line.split(|byte| *byte == b'\n') {
            match self.line(line) {
                Ok(None) => {}
                Ok(Some(open)) => {
                    if !self.charge(&open) {
                        let detail = format!("{}: its time was over", Self::doing(&open.step));
                        self.fault(seat, Cause::TimeForfeit, detail);
                    } else if let Some(said) = open.said.clone() {
                        self.replied(open, &said);
                    }
                    return;
                }
                Err((seat, why)) => {
                    self.open = None;
                    self.fault(seat, Cause::ProtocolError, why);
                    return;
                }
            }
        }
    }

    fn waits(&self, seat: Seat) -> bool {
        self.open.as_ref().is_some_and(|open| open.seat == seat)
    }

    fn outcome(&self) -> Option<Outcome> {
        if self.open.is_some() || !self.steps.is_empty() {
            return None;
        }
        self.game.outcome()
    }

    fn lock_step(&self) -> bool {
        !self.setup.conduct.lenient
    }

    fn blames(&self) -> Vec<Blame> {
        self.blame.iter().cloned().collect()
    }

    fn scene(&self) -> Option<Scene> {
        let (game, round) = (self.game.game(), self.game.round());
        let secret = |seat: Seat| self.declared.get(seat.index()).copied();
        let revealed = round.declared().iter();
        Some(
            self.watch.scene(&Position {
                game,
                deal: self.game.deal().min(game.deals().len().saturating_sub(1)),
                round,
                trick: &round.on_table(),
                hands: self
                    .seats()
                    .map(|seat| Some(self.game.hand(seat)))
                    .collect(),
                declared: revealed
                    .map(|(seat, shown)| shown.or(secret(seat)))
                    .collect(),
                points: self.game.points(),
                own: None,
                over: self.game.is_over(),
            }),
        )
    }

    fn setup(&self) -> Value {
        serde_json::to_value(&self.setup).unwrap_or_default()
    }
}
