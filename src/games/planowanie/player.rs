//! A bot's side of the wire: an arbiter's commands in, replies out.

use super::cards::{Card, CardSet, Deck};
use super::clock;
use super::dialect::{self, Command, YES};
use super::facts::Facts;
use super::rules::{Act, Ask, Event, Game, PLAYERS, PlannedDeal, Planowanie, Round, View};
use crate::game::{Bot, Budget, Cause, Progress, Seat, Seats};
use crate::wire::{Dialogue, Ending, Fact, Frame, Lesson, Next, WireError};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// How long a decision may take where the arbiter tells no time.
const UNTOLD_WITHIN: Duration = Duration::from_secs(1);

/// What a command is taken to cost before anything is known.
const TOLL_AT_FIRST: Duration = Duration::from_micros(300);
/// However dear commands are, this part of the time left is there to think.
const TOLLED_PART: u32 = 8;

/// One seat's side of one game, played by any bot.
pub struct Player {
    bot: Box<dyn Bot<Planowanie>>,
    deck: Option<Deck>,
    players: Option<(usize, Seat)>,
    deals: Option<Vec<PlannedDeal>>,
    table: Option<Table>,
    /// The decision that is wanted, and the number to be echoed.
    asked: Option<(Arc<View>, Ask)>,
    id: Option<String>,
    facts: Facts,
}

/// The game once it is known whole.
struct Table {
    game: Arc<Game>,
    seat: Seat,
    /// The deal in play, from 0.
    deal: usize,
    /// Whether the deal in play was dealt.
    dealt: bool,
    hand: CardSet,
    round: Round,
    points: Seats<i64>,
    left: Option<Duration>,
    toll: Toll,
}

/// What every command costs on the game's clock beside thinking: the way here and back, and whatever the
/// machine does meanwhile. Learnt from what `time_left` tells.
struct Toll {
    each: Duration,
    /// Commands since the last `time_left`, itself included.
    commands: u32,
    /// Time that decisions since then were worth.
    granted: Duration,
}

impl Toll {
    const fn new() -> Self {
        Self {
            each: TOLL_AT_FIRST,
            commands: 0,
            granted: Duration::ZERO,
        }
    }

    /// So much of the clock has gone since the last time it was told. Rises at once, falls slowly. Where
    /// there was something to think about, only what is beyond that is known to be toll.
    fn told(&mut self, taken: Duration) {
        if self.commands > 0 {
            let each = taken.saturating_sub(self.granted) / self.commands;
            let known = self.granted.is_zero() || each > self.each;
            if known {
                self.each = each.max((self.each * 7 + each) / 8);
            }
        }
        self.commands = 0;
        self.granted = Duration::ZERO;
    }

    /// What is left of a time once so many commands to come are paid for.
    fn after(&self, left: Duration, commands: u32) -> Duration {
        let toll = self.each.saturating_mul(commands).saturating_mul(5) / 4;
        left.saturating_sub(toll).max(left / TOLLED_PART)
    }
}

impl Table {
    fn new(game: Game, seat: Seat) -> Self {
        let players = game.players();
        Self {
            game: Arc::new(game),
            seat,
            deal: 0,
            dealt: false,
            hand: CardSet::EMPTY,
            round: Round::new(players, 0, Seat(0)),
            points: Seats::from_fn(players, |_| 0),
            left: None,
            toll: Toll::new(),
        }
    }

    /// Commands that are still to come in the whole game.
    fn to_come(&self, ask: Ask) -> u32 {
        let players = self.game.players() as u32;
        let a_card = players + 2;
        let later = self.game.deals().iter().skip(self.deal + 1);
        let later: u32 = later
            .map(|deal| 3 + players + u32::from(deal.cards) * a_card)
            .sum();
        let declarations = if ask == Ask::Declare { players } else { 0 };
        later + declarations + self.hand.len() as u32 * a_card
    }

    fn view(&self) -> View {
        View {
            game: Arc::clone(&self.game),
            seat: self.seat,
            deal: self.deal,
            hand: self.hand,
            round: self.round.clone(),
            points: self.points.clone(),
            left: self.left,
        }
    }

    fn playable(&self) -> CardSet {
        let deck = self.game.deck();
        deck.playable(self.hand, self.round.led(deck))
    }

    /// Takes up the cards of the next deal.
    fn take_up(&mut self, cards: &[String]) -> Result<(), String> {
        if self.dealt {
            return Err("the deal before has not ended".to_owned());
        }
        let Some(planned) = self.game.deals().get(self.deal) else {
            return Err("all deals are over".to_owned());
        };
        if cards.len() != usize::from(planned.cards) {
            let (given, wanted) = (cards.len(), planned.cards);
            return Err(format!("{given} cards instead of {wanted}"));
        }
        let mut hand = CardSet::EMPTY;
        for text in cards {
            let card = self.card(text)?;
            if hand.has(card) {
                return Err(format!("{text} stands twice"));
            }
            hand = hand.with(card);
        }
        self.round = Round::new(self.game.players(), planned.cards, planned.leader);
        self.hand = hand;
        self.dealt = true;
        Ok(())
    }

    fn card(&self, text: &str) -> Result<Card, String> {
        let card = self.game.deck().read(text);
        card.ok_or_else(|| format!("there is no card {text:?}"))
    }

    /// Lays a card; whether that ended the game.
    fn lay(&mut self, seat: Seat, card: Card) -> Result<(), String> {
        if seat == self.seat && !self.hand.has(card) {
            return Err("that is not my card".to_owned());
        }
        if seat != self.seat && self.hand.has(card) {
            return Err("that card is mine".to_owned());
        }
        let laid = self.round.play(self.game.deck(), seat, card);
        laid.map_err(|why| why.to_string())?;
        self.hand = self.hand.without(card);
        Ok(())
    }

    /// Counts a deal that is over.
    fn close(&mut self) {
        for (seat, points) in self.round.points().iter() {
            self.points[seat] += points;
        }
        self.deal += 1;
        self.dealt = false;
    }

    fn is_over(&self) -> bool {
        self.deal >= self.game.deals().len()
    }
}

impl Player {
    /// A player before the first command.
    #[must_use]
    pub fn new(bot: Box<dyn Bot<Planowanie>>) -> Self {
        Self {
            bot,
            deck: None,
            players: None,
            deals: None,
            table: None,
            asked: None,
            id: None,
            facts: Facts::default(),
        }
    }

    /// Once deck, players and deals are known, the game begins.
    fn configured(&mut self) -> Result<(), String> {
        let (Some(deck), Some((players, seat)), Some(deals)) =
            (&self.deck, self.players, &self.deals)
        else {
            return Ok(());
        };
        let game =
            Game::new(deck.clone(), players, deals.clone()).map_err(|why| why.to_string())?;
        let table = Table::new(game, seat);
        let begins = Event::Begins(Arc::clone(&table.game), seat);
        self.bot.observe(&begins);
        self.facts.begins(&table.game, seat);
        self.table = Some(table);
        Ok(())
    }

    fn table(&mut self) -> Result<&mut Table, String> {
        let missing = "the game is not configured: set_deck, set_players and set_game come first";
        self.table.as_mut().ok_or_else(|| missing.to_owned())
    }

    fn ask(&mut self, ask: Ask) -> Result<Next, String> {
        let table = self.table()?;
        if !table.dealt {
            return Err("no cards are dealt".to_owned());
        }
        let view = Arc::new(table.view());
        let fallback = match ask {
            Ask::Declare => {
                let share = usize::from(view.round.cards()) / view.round.players().max(1);
                share.to_string()
            }
            Ask::Play => {
                let card = table.playable().first();
                let card = card.ok_or_else(|| "no card is left".to_owned())?;
                table.game.deck().text(card)
            }
        };
        let (within, worth) = match view.left {
            Some(left) => {
                let free = table.toll.after(left, table.to_come(ask));
                (left, clock::allot(free, &view, ask))
            }
            None => (UNTOLD_WITHIN, UNTOLD_WITHIN),
        };
        table.toll.granted += worth;
        self.asked = Some((view, ask));
        Ok(Next::Think {
            within,
            worth: Some(worth),
            fallback: self.yes(&fallback),
        })
    }

    /// A reply that agrees.
    fn yes(&self, payload: &str) -> Frame {
        let id = self.id.as_deref().unwrap_or_default();
        if payload.is_empty() {
            format!("={id}\n")
        } else {
            format!("={id} {payload}\n")
        }
    }

    fn no(&self, why: &str) -> Frame {
        format!("?{} {why}\n", self.id.as_deref().unwrap_or_default())
    }

    fn obey(&mut self, command: Command) -> Result<Next, String> {
        match command {
            Command::Blank => return Ok(Next::Wait),
            Command::SetDeck(deck) => {
                self.table = None;
                self.players = None;
                self.deals = None;
                self.deck = Some(deck);
            }
            Command::SetPlayers { players, own } => {
                if !PLAYERS.contains(&players) || own.index() >= players {
                    return Err(format!("player {} of {players} cannot play", own.0));
                }
                self.players = Some((players, own));
                self.configured()?;
            }
            Command::SetGame(deals) => {
                self.deals = Some(deals);
                self.configured()?;
            }
            Command::SetCards(cards) => {
                let table = self.table()?;
                table.take_up(&cards)?;
                let hand = table.hand;
                self.bot.observe(&Event::Dealt(hand));
            }
            Command::TimeLeft(ms) => {
                let ms = u64::try_from(ms).unwrap_or_default();
                let table = self.table()?;
                let left = Duration::from_millis(ms);
                if let Some(before) = table.left {
                    table.toll.told(before.saturating_sub(left));
                }
                table.left = Some(left);
            }
            Command::GenDeclare => return self.ask(Ask::Declare),
            Command::GenMove => return self.ask(Ask::Play),
            Command::Declare(seat, tricks) => {
                let table = self.table()?;
                let declared = table.round.declare(seat, tricks);
                declared.map_err(|why| why.to_string())?;
                self.bot.observe(&Event::Declared(seat, tricks));
            }
            Command::Play(seat, card) => return self.played(seat, &card),
            Command::Quit => return Ok(self.quits()),
            Command::Unknown(word) => return Err(format!("unknown command {word:?}")),
        }
        Ok(Next::Send(self.yes("")))
    }

    fn played(&mut self, seat: Seat, card: &str) -> Result<Next, String> {
        let table = self.table()?;
        let card = table.card(card)?;
        table.lay(seat, card)?;
        let over = table.round.is_over();
        self.bot.observe(&Event::Played(seat, card));
        let Some(table) = self.table.as_mut().filter(|_| over) else {
            return Ok(Next::Send(self.yes("")));
        };
        self.facts.deal(table.deal, &table.round);
        table.close();
        if !table.is_over() {
            return Ok(Next::Send(self.yes("")));
        }
        self.facts.result(&table.points);
        let players = table.points.len();
        let own = table.seat.index();
        let from_own = |step: usize| table.points[Seat(((own + step) % players) as u8)];
        Ok(Next::Over(Ending {
            cause: Cause::Normal,
            detail: String::new(),
            scores: (0..players).map(from_own).collect(),
            wins: Vec::new(),
            last_word: self.yes(""),
        }))
    }

    fn quits(&self) -> Next {
        Next::Over(Ending {
            cause: Cause::Cancelled,
            detail: "the arbiter said quit before the end of the game".to_owned(),
            scores: Vec::new(),
            wins: Vec::new(),
            last_word: self.yes(""),
        })
    }
}

impl Dialogue for Player {
    fn open(&mut self) -> Option<Frame> {
        None
    }

    /// Whatever cannot be done is said so in the reply, as the protocol has it.
    fn receive(&mut self, frame: &[u8]) -> Result<Next, WireError> {
        let line = dialect::read(frame);
        self.id = line.id;
        self.asked = None;
        if let Some(table) = &mut self.table {
            table.toll.commands = table.toll.commands.saturating_add(1);
        }
        let obeyed = line.command.map_err(|why| why.to_string());
        let next = obeyed.and_then(|command| self.obey(command));
        Ok(next.unwrap_or_else(|why| Next::Send(self.no(&why))))
    }

    fn think(&mut self, slice: Budget<'_>, best: &mut Frame) -> Progress {
        let Some((view, ask)) = self.asked.clone() else {
            return Progress::Done;
        };
        let (act, progress) = self.bot.ponder(&view, &ask, slice);
        *best = match act {
            Act::Declare(tricks) => self.yes(&tricks.to_string()),
            Act::Play(card) => self.yes(&view.game.deck().text(card)),
        };
        progress
    }

    /// What counts is what the arbiter tells everybody afterwards.
    fn said(&mut self, _: &str) {
        self.asked = None;
    }

    fn facts(&mut self) -> Vec<Fact> {
        self.facts.take()
    }

    fn lessons(&self) -> Vec<Lesson> {
        self.facts.lessons()
    }

    fn view(&self) -> Value {
        let Some(table) = &self.table else {
            return Value::Null;
        };
        let deck = table.game.deck();
        let texts = |cards: CardSet| cards.iter().map(|card| deck.text(card)).collect::<Vec<_>>();
        let trick = table.round.trick().iter().map(|card| deck.text(*card));
        serde_json::json!({
            "seat": table.seat,
            "deal": table.deal + 1,
            "deals": table.game.deals().len(),
            "cards": table.round.cards(),
            "hand": texts(table.hand),
            "declared": table.round.declared(),
            "taken": table.round.taken(),
            "leader": table.round.leader(),
            "trick": trick.collect::<Vec<_>>(),
            "points": table.points,
            "left_ms": table.left.map(|left| left.as_millis()),
        })
    }
}

/// The reply when nothing better is known.
#[must_use]
pub fn default_reply(frame: &str) -> &'static str {
    match dialect::read(frame.as_bytes()).command {
        Ok(Command::Blank) => "",
        Ok(Command::GenDeclare) => "= 0\n",
        Ok(Command::GenMove) => "? no game is known\n",
        _ => YES,
    }
}
