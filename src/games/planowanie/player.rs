//! A bot's side of the wire: an arbiter's commands in, replies out.

use super::cards::{Card, CardSet, Deck};
use super::clock;
use super::dialect::{self, Command, YES};
use super::facts::{Facts, WHY_MAX};
use super::rules::{Act, Ask, Event, Game, PLAYERS, PlannedDeal, Planowanie, View};
use super::scene::{self, Position, Watch};
use super::table::{Received, Table, Unplayable};
use drover_game::explain::{Explanation, explain};
use drover_game::game::{Bot, Budget, Cause, Progress, Seat, Seats};
use drover_game::reasons::Belief;
use drover_game::scene::Scene;
use drover_game::wire::{Dialogue, Ending, Fact, Frame, Lesson, Next, WireError};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// How long a decision may take where the arbiter gives no time.
const WITHIN_WITHOUT_CLOCK: Duration = Duration::from_secs(1);

/// What an arbiter has said of a game since the last one was known whole.
#[derive(Default)]
struct Config {
    deck: Option<Deck>,
    players: Option<(usize, Seat)>,
    deals: Option<Vec<PlannedDeal>>,
}

/// An answer that was given, and to what.
struct Given {
    /// Deal, cards played in it, and the decision.
    occasion: (usize, usize, Ask),
    /// Without sign and number.
    payload: String,
}

/// One seat's side of one game, played by any bot.
pub struct Player {
    bot: Box<dyn Bot<Planowanie>>,
    config: Config,
    table: Option<Table>,
    /// The decision that is wanted, and the number to be echoed.
    asked: Option<(Arc<View>, Ask)>,
    id: Option<String>,
    /// The answers given last: a declaration and a card.
    given: [Option<Given>; 2],
    facts: Facts,
    watch: Watch,
}

impl Player {
    /// A player before the first command.
    #[must_use]
    pub fn new(bot: Box<dyn Bot<Planowanie>>) -> Self {
        Self {
            bot,
            config: Config::default(),
            table: None,
            asked: None,
            id: None,
            given: [None, None],
            facts: Facts::default(),
            watch: Watch::default(),
        }
    }

    /// Once deck, players and deals are known, the game begins. While cards are out, another one begins
    /// only when all three were sent again: one of them alone is an old message that comes again.
    fn configured(&mut self) -> Result<(), Unplayable> {
        let fresh = self.table.as_ref().filter(|table| table.is_untouched());
        let deck = self.config.deck.clone();
        let deck = deck.or_else(|| fresh.map(|table| table.game.deck().clone()));
        let players = self.config.players;
        let players = players.or_else(|| fresh.map(|table| (table.game.players(), table.seat)));
        let deals = self.config.deals.clone();
        let deals = deals.or_else(|| fresh.map(|table| table.game.deals().to_vec()));
        let (Some(deck), Some((players, seat)), Some(deals)) = (deck, players, deals) else {
            return Ok(());
        };
        let game = Game::new(deck, players, deals)?;
        self.config = Config::default();
        if fresh.is_some_and(|table| *table.game == game && table.seat == seat) {
            return Ok(());
        }
        let table = Table::new(game, seat);
        let begins = Event::Begins(Arc::clone(&table.game), seat);
        self.bot.observe(&begins);
        self.facts.begins(&table.game, seat);
        self.watch.begins();
        self.table = Some(table);
        self.given = [None, None];
        Ok(())
    }

    fn table(&mut self) -> Result<&mut Table, Unplayable> {
        self.table.as_mut().ok_or(Unplayable::NotConfigured)
    }

    /// An ask is always answered: with the first answer where it comes again, without thinking where what
    /// was received does not agree with it.
    fn ask(&mut self, ask: Ask) -> Next {
        if ask == Ask::Play {
            self.assume();
        }
        let Some(table) = self.table.as_mut() else {
            let any = Deck::contest().all().first().unwrap_or(Card(0));
            return Next::Send(self.yes(&match ask {
                Ask::Declare => "0".to_owned(),
                Ask::Play => Deck::contest().text(any),
            }));
        };
        let occasion = (table.deal, table.round.played().len(), ask);
        let mut first = self.given.iter().flatten();
        if let Some(given) = first.find(|given| given.occasion == occasion) {
            return Next::Send(self.yes(&given.payload));
        }
        let ready = payload(table.game.deck(), table.ready(ask));
        if !table.is_asked(ask) {
            return Next::Send(self.yes(&ready));
        }
        let view = Arc::new(table.view());
        let (limit, target) = match view.left {
            Some(left) => {
                let free = table.toll.after(left, table.to_come(ask));
                (left, clock::allot(free, &view, ask))
            }
            None => (WITHIN_WITHOUT_CLOCK, WITHIN_WITHOUT_CLOCK),
        };
        table.toll.granted += target;
        self.asked = Some((view, ask));
        Next::Think {
            limit,
            target: Some(target),
            fallback: self.yes(&ready),
        }
    }

    /// Where cards are played before all declarations were received, those were lost.
    fn assume(&mut self) {
        let Some(table) = &mut self.table else { return };
        let given = self.given[0]
            .as_ref()
            .filter(|given| given.occasion.0 == table.deal);
        let own = given.and_then(|given| dialect::tricks(&given.payload, false));
        for (seat, tricks) in table.assume(own) {
            self.facts.unsound(
                "declare",
                &format!("player {}'s was not heard; {tricks} is assumed", seat.0),
            );
            self.bot.observe(&Event::Declared(seat, tricks));
        }
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
        // It may quote a command, which may be of any length.
        let why: String = why.chars().take(WHY_MAX).collect();
        format!("?{} {why}\n", self.id.as_deref().unwrap_or_default())
    }

    fn obey(&mut self, command: Command) -> Result<Next, Unplayable> {
        match command {
            Command::Blank => return Ok(Next::Wait),
            Command::SetDeck(deck) => {
                self.config.deck = Some(deck);
                self.configured()?;
            }
            Command::SetPlayers { players, own } => {
                if !PLAYERS.contains(&players) || own.index() >= players {
                    return Err(Unplayable::NotSeated { own, players });
                }
                self.config.players = Some((players, own));
                self.configured()?;
            }
            Command::SetGame(deals) => {
                self.config.deals = Some(deals);
                self.configured()?;
            }
            Command::SetCards(cards) => {
                let table = self.table()?;
                let received = table.take_up(&cards)?;
                let hand = table.hand;
                if self.goes_on("set_cards", received) {
                    self.watch.dealt();
                    self.bot.observe(&Event::Dealt(hand));
                }
            }
            Command::TimeLeft(ms) => {
                let ms = u64::try_from(ms).unwrap_or_default();
                let table = self.table()?;
                let left = Duration::from_millis(ms);
                if let Some(before) = table.left {
                    table.toll.report(before.saturating_sub(left));
                }
                table.left = Some(left);
            }
            Command::GenDeclare => return Ok(self.ask(Ask::Declare)),
            Command::GenMove => return Ok(self.ask(Ask::Play)),
            Command::Declare(seat, tricks) => {
                let received = self.table()?.declare(seat, tricks)?;
                if self.goes_on("declare", received) {
                    self.watch.declared(seat, tricks);
                    self.bot.observe(&Event::Declared(seat, tricks));
                }
            }
            Command::Play(seat, card) => return self.played(seat, &card),
            Command::Quit => return Ok(self.quits()),
            Command::Unknown(word) => {
                return Ok(Next::Send(self.no(&format!("unknown command {word:?}"))));
            }
        }
        Ok(Next::Send(self.yes("")))
    }

    /// Whether a message says anything new; what it shows to be lost is noted.
    fn goes_on(&mut self, what: &str, received: Received) -> bool {
        match received {
            Received::Folded => true,
            Received::Repeated => false,
            Received::Gap(why) => {
                self.facts.unsound(what, &why);
                true
            }
        }
    }

    /// Our own card that was given and does not appear, if the next card shows that it was played.
    fn catch_up(&mut self) {
        let Some(table) = &mut self.table else { return };
        let Some(given) = self.given[1].as_ref() else {
            return;
        };
        let due = (table.deal, table.round.played().len(), Ask::Play);
        let own = table.seat;
        if given.occasion != due || !table.is_asked(Ask::Play) {
            return;
        }
        if let Ok(card) = table.card(&given.payload)
            && table.lay(own, card).is_ok()
        {
            self.bot.observe(&Event::Played(own, card));
            self.facts.unsound("play", "our own card was not heard of");
        }
    }

    fn played(&mut self, seat: Seat, text: &str) -> Result<Next, Unplayable> {
        let table = self.table()?;
        let card = table.card(text)?;
        let (own, count) = (table.seat, table.game.players());
        let fresh = !table.round.gone().has(card) && !table.hand.has(card);
        if seat == table.round.leader() && fresh {
            self.assume();
        }
        if fresh && seat.index() == (own.index() + 1) % count {
            self.catch_up();
        }
        let table = self.table()?;
        let before = table.round.played().len();
        let received = table.lay(seat, card)?;
        let over = table.round.is_over() && table.round.played().len() > before;
        if !self.goes_on("play", received) {
            return Ok(Next::Send(self.yes("")));
        }
        self.bot.observe(&Event::Played(seat, card));
        if let Some(table) = &self.table {
            self.watch.played(seat, card, &table.round);
        }
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
        let played_out = self.table.as_ref().is_some_and(Table::is_played_out);
        let (cause, detail) = if played_out {
            (Cause::Normal, "the last deal was not heard whole")
        } else {
            let early = "the arbiter said quit before the end of the game";
            (Cause::Cancelled, early)
        };
        Next::Over(Ending {
            cause,
            detail: detail.to_owned(),
            scores: Vec::new(),
            wins: Vec::new(),
            last_word: self.yes(""),
        })
    }
}

impl Dialogue for Player {
    /// Whatever cannot be done is said so in the reply, as the protocol has it.
    fn receive(&mut self, frame: &[u8]) -> Result<Next, WireError> {
        let line = dialect::read(frame);
        self.id = line.id;
        self.asked = None;
        if let Some(table) = &mut self.table {
            table.toll.commands = table.toll.commands.saturating_add(1);
        }
        let command = line.command.map_err(Unplayable::from);
        let next = command.and_then(|command| self.obey(command));
        Ok(next.unwrap_or_else(|why| {
            let text = dialect::clean(frame);
            let word = text
                .split_whitespace()
                .find(|word| word.starts_with(char::is_alphabetic));
            let why = why.to_string();
            self.facts.unsound(word.unwrap_or_default(), &why);
            Next::Send(self.no(&why))
        }))
    }

    fn think(&mut self, slice: Budget<'_>, best: &mut Frame) -> Progress {
        let Some((view, ask)) = self.asked.clone() else {
            return Progress::Done;
        };
        let (act, progress) = self.bot.ponder(&view, &ask, slice);
        *best = self.yes(&payload(view.game.deck(), act));
        progress
    }

    fn explain(&self, budget: Budget<'_>) -> Option<Explanation> {
        let (view, ask) = self.asked.as_ref()?;
        let write = |act: &Act| Some(self.yes(&payload(view.game.deck(), *act)));
        let reasons = self.bot.clone().reasons(view, ask, budget);
        Some(explain(reasons, write, Frame::new(), known(view)))
    }

    /// What counts is what the arbiter sends everybody afterwards; this is what is said again to the same
    /// ask.
    fn said(&mut self, frame: &str) {
        let Some((view, ask)) = self.asked.take() else {
            return;
        };
        let said = dialect::receive(frame.lines().next().unwrap_or_default());
        let Some(said) = said.filter(|said| said.yes) else {
            self.bot.answered(&view, &ask, None);
            return;
        };
        let id = self.id.as_deref().unwrap_or_default();
        let payload = said.payload.strip_prefix(id).unwrap_or(&said.payload);
        let act = match ask {
            Ask::Declare => dialect::tricks(payload, false).map(Act::Declare),
            Ask::Play => dialect::card(view.game.deck(), payload, false).map(Act::Play),
        };
        self.bot.answered(&view, &ask, act.as_ref());
        let given = Given {
            occasion: (view.deal, view.round.played().len(), ask),
            payload: payload.trim().to_owned(),
        };
        self.given[usize::from(ask == Ask::Play)] = Some(given);
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

    fn scene(&self) -> Option<Scene> {
        let table = self.table.as_ref()?;
        // A deal that is over is shown until the next one is dealt.
        let ended = usize::from(!table.dealt);
        let hand = |seat: Seat| (seat == table.seat).then_some(table.hand);
        Some(self.watch.scene(&Position {
            game: &table.game,
            deal: table.deal.saturating_sub(ended),
            round: &table.round,
            trick: &table.on_table(),
            hands: Seats::from_fn(table.game.players(), hand),
            declared: table.round.declared().clone(),
            points: &table.points,
            own: Some(table.seat),
            over: table.is_over(),
        }))
    }
}

/// What all players know of each other: what was declared, and who did not follow suit.
fn known(view: &View) -> Vec<Belief> {
    let (deck, round) = (view.game.deck(), &view.round);
    let suits: Vec<char> = deck.suits().chars().collect();
    let mut known = Vec::new();
    let others = round.declared().iter();
    for (seat, declared) in others.filter(|(seat, _)| *seat != view.seat) {
        if let Some(tricks) = declared.map(f64::from) {
            let declared = Belief::amount(seat.0, "declared", tricks, "tricks");
            known.push(declared.within(tricks, tricks));
        }
        let mut voids = Vec::new();
        for (_, led) in round.strays(deck).filter(|(by, _)| *by == seat) {
            if !voids.contains(&led) {
                voids.push(led);
            }
        }
        let letters = voids
            .iter()
            .filter_map(|suit| suits.get(usize::from(*suit)));
        known.extend(letters.map(|letter| {
            let void = Belief::likely(
                seat.0,
                format!("void in {} (shown)", scene::suit(*letter)),
                1.0,
            );
            void.within(1.0, 1.0)
        }));
    }
    known
}

/// An act as a reply has it.
fn payload(deck: &Deck, act: Act) -> String {
    match act {
        Act::Declare(tricks) => tricks.to_string(),
        Act::Play(card) => deck.text(card),
    }
}

/// The reply when nothing better is known.
#[must_use]
pub fn default_reply(frame: &str) -> &'static str {
    match dialect::read(frame.as_bytes()).command {
        Ok(Command::Blank) => "",
        Ok(Command::GenDeclare) => "= 0\n",
        Ok(Command::GenMove) => "= 2C\n",
        _ => YES,
    }
}
