//! The game as a player received it over the wire: folded as long as it agrees with the rules, and rebuilt
//! from what is certain if it does not.

use super::cards::{Card, CardSet};
use super::dialect::CommandError;
use super::rules::{Act, Ask, Game, GameError, Play, Round, View};
use drover_game::game::{Illegal, Seat, Seats};
use smallvec::SmallVec;
use std::sync::Arc;
use std::time::Duration;

/// The assumed cost of a command before anything is known.
const TOLL_AT_FIRST: Duration = Duration::from_micros(300);
/// However expensive commands are, this share of the time left remains for thinking.
const TOLLED_PART: u32 = 8;

/// A message that cannot be true.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unplayable {
    #[error("there is no card {0:?}")]
    NoCard(String),
    #[error("{0} stands twice")]
    Twice(String),
    #[error("no deal has {0} cards")]
    NoDeal(usize),
    #[error("no cards are dealt")]
    NotDealt,
    #[error("there is no player {0}")]
    NoPlayer(u8),
    #[error("that is not my card")]
    NotMine,
    #[error("that card is mine")]
    Mine,
    #[error("that card has been played before")]
    Gone,
    #[error("the game is not configured: set_deck, set_players and set_game come first")]
    NotConfigured,
    #[error("player {} of {players} cannot play", own.0)]
    NotSeated { own: Seat, players: usize },
    #[error(transparent)]
    Illegal(#[from] Illegal),
    #[error(transparent)]
    Game(#[from] GameError),
    #[error(transparent)]
    Command(#[from] CommandError),
}

/// The result of a message that the rules allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Received {
    /// It is folded.
    Folded,
    /// It was folded before: a repeat.
    Repeated,
    /// It shows, as the sentence says, that other messages were lost.
    Gap(String),
}

/// A trick of which cards may be missing.
#[derive(Clone, Debug, Default)]
struct Loose {
    /// Cards that were received.
    plays: Vec<Play>,
    /// How many cards those are with the lost ones between them.
    count: usize,
}

impl Loose {
    /// A card of `seat` while `awaited` was to play: the cards of the players between them were lost.
    fn receive(&mut self, play: Play, awaited: Option<Seat>, players: usize) {
        let from = awaited.map_or(play.seat.index(), Seat::index);
        let missing = (play.seat.index() + players - from) % players.max(1);
        self.count += missing + 1;
        if self.count > players {
            // Another trick has begun, as far as this card shows.
            (self.plays, self.count) = (Vec::new(), 1);
        }
        self.plays.push(play);
    }

    /// Who plays next, unless the trick is complete.
    fn awaited(&self, players: usize) -> Option<Seat> {
        let last = self.plays.last().filter(|_| self.count < players)?;
        Some(Seat(((last.seat.index() + 1) % players) as u8))
    }
}

/// The game, once known completely.
pub(super) struct Table {
    pub(super) game: Arc<Game>,
    pub(super) seat: Seat,
    /// The current deal, from 0.
    pub(super) deal: usize,
    /// Whether the current deal has been dealt.
    pub(super) dealt: bool,
    pub(super) hand: CardSet,
    /// Hands as dealt, with their deals.
    hands: Vec<(usize, CardSet)>,
    pub(super) round: Round,
    pub(super) points: Seats<i64>,
    pub(super) left: Option<Duration>,
    pub(super) toll: Toll,
    /// The trick as far as received, once messages of the current deal were lost: the round then stands still
    /// until the next deal.
    loose: Option<Loose>,
}

/// What every command costs on the game's clock besides thinking: the round trip, and whatever the machine
/// does meanwhile. Learnt from the values of `time_left`.
pub(super) struct Toll {
    pub(super) each: Duration,
    /// Commands since the last `time_left`, including that one.
    pub(super) commands: u32,
    /// Time allotted to decisions since then.
    pub(super) granted: Duration,
}

impl Toll {
    pub(super) const fn new() -> Self {
        Self {
            each: TOLL_AT_FIRST,
            commands: 0,
            granted: Duration::ZERO,
        }
    }

    /// Takes in how much of the clock has gone since the last report. Rises at once, falls slowly. If there
    /// was something to think about, only the excess is known to be toll.
    pub(super) fn report(&mut self, taken: Duration) {
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

    /// What is left of a time once this many commands to come are paid for.
    pub(super) fn after(&self, left: Duration, commands: u32) -> Duration {
        let toll = self.each.saturating_mul(commands).saturating_mul(5) / 4;
        left.saturating_sub(toll).max(left / TOLLED_PART)
    }
}

impl Table {
    pub(super) fn new(game: Game, seat: Seat) -> Self {
        let players = game.players();
        Self {
            game: Arc::new(game),
            seat,
            deal: 0,
            dealt: false,
            hand: CardSet::EMPTY,
            hands: Vec::new(),
            round: Round::new(players, 0, Seat(0)),
            points: Seats::from_fn(players, |_| 0),
            left: None,
            toll: Toll::new(),
            loose: None,
        }
    }

    /// Whether no card of the game has been dealt yet.
    pub(super) fn is_untouched(&self) -> bool {
        !self.dealt && self.deal == 0
    }

    /// The cards on the table, as far as received.
    pub(super) fn on_table(&self) -> SmallVec<[Play; 4]> {
        match &self.loose {
            Some(loose) => loose.plays.iter().copied().collect(),
            None => self.round.on_table(),
        }
    }

    /// Commands still to come in the whole game.
    pub(super) fn to_come(&self, ask: Ask) -> u32 {
        let players = self.game.players() as u32;
        let a_card = players + 2;
        let later = self.game.deals().iter().skip(self.deal + 1);
        let later: u32 = later
            .map(|deal| 3 + players + u32::from(deal.cards) * a_card)
            .sum();
        let declarations = if ask == Ask::Declare { players } else { 0 };
        later + declarations + self.hand.len() as u32 * a_card
    }

    pub(super) fn view(&self) -> View {
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

    /// Takes in the cards of the next deal. Cards that are not due show that other messages were lost: the
    /// deal is then identified by their number.
    pub(super) fn take_up(&mut self, cards: &[String]) -> Result<Received, Unplayable> {
        let hand = self.read(cards)?;
        let of_size = |at: &usize| {
            let deals = self.game.deals();
            deals
                .get(*at)
                .is_some_and(|deal| usize::from(deal.cards) == cards.len())
        };
        let on_time = !self.dealt && of_size(&self.deal);
        let before = self.hands.iter().any(|(_, held)| *held == hand);
        if before && !on_time {
            return Ok(Received::Repeated);
        }
        let from = self.deal + usize::from(self.dealt);
        let later = (from..self.game.deals().len()).find(of_size);
        let deal = later.or_else(|| (0..self.deal).rev().find(of_size));
        let deal = deal.ok_or(Unplayable::NoDeal(cards.len()))?;
        let received = match (on_time, self.dealt) {
            (true, _) => Received::Folded,
            (false, true) => Received::Gap(format!("deal {} has not ended", self.deal + 1)),
            (false, false) => Received::Gap(format!("it is deal {}'s turn", self.deal + 1)),
        };
        self.begin(deal, hand);
        Ok(received)
    }

    fn read(&self, cards: &[String]) -> Result<CardSet, Unplayable> {
        let mut hand = CardSet::EMPTY;
        for text in cards {
            let card = self.card(text)?;
            if hand.has(card) {
                return Err(Unplayable::Twice(text.clone()));
            }
            hand = hand.with(card);
        }
        Ok(hand)
    }

    fn begin(&mut self, deal: usize, hand: CardSet) {
        let Some(planned) = self.game.deals().get(deal) else {
            return;
        };
        self.round = Round::new(self.game.players(), planned.cards, planned.leader);
        self.hands.retain(|(at, _)| *at != deal);
        self.hands.push((deal, hand));
        (self.deal, self.dealt, self.hand, self.loose) = (deal, true, hand, None);
    }

    pub(super) fn card(&self, text: &str) -> Result<Card, Unplayable> {
        let card = self.game.deck().read(text);
        card.ok_or_else(|| Unplayable::NoCard(text.to_owned()))
    }

    /// Records a declaration.
    pub(super) fn declare(&mut self, seat: Seat, tricks: u8) -> Result<Received, Unplayable> {
        if self.round.declared().get(seat) == Some(&Some(tricks)) {
            return Ok(Received::Repeated);
        }
        if !self.dealt {
            return Err(Unplayable::NotDealt);
        }
        self.round.declare(seat, tricks)?;
        Ok(Received::Folded)
    }

    /// Fills in declarations not received before the first card: our own as it was given, others' as their
    /// share of what is left. Returns whose they are.
    pub(super) fn assume(&mut self, given: Option<u8>) -> Vec<(Seat, u8)> {
        if !self.dealt || self.round.all_declared() || self.loose.is_some() {
            return Vec::new();
        }
        let cards = self.round.cards();
        let known = self.round.declared().values().iter().flatten();
        let left = cards.saturating_sub(known.copied().fold(0, u8::saturating_add));
        let open = self
            .round
            .declared()
            .iter()
            .filter(|(_, said)| said.is_none());
        let open: Vec<Seat> = open.map(|(seat, _)| seat).collect();
        let share = left / open.len().max(1) as u8;
        let mut assumed = Vec::new();
        for seat in open {
            let own = given.filter(|tricks| seat == self.seat && *tricks <= cards);
            let tricks = own.unwrap_or(share);
            if self.round.declare(seat, tricks).is_ok() {
                assumed.push((seat, tricks));
            }
        }
        assumed
    }

    /// Plays a card. One that comes out of turn shows that others were lost: from then on the trick is kept
    /// as it is received.
    pub(super) fn lay(&mut self, seat: Seat, card: Card) -> Result<Received, Unplayable> {
        if self.round.played().contains(&Play { seat, card }) {
            return Ok(Received::Repeated);
        }
        if !self.dealt {
            return Err(Unplayable::NotDealt);
        }
        if seat.index() >= self.game.players() {
            return Err(Unplayable::NoPlayer(seat.0));
        }
        if seat == self.seat && !self.hand.has(card) {
            return Err(Unplayable::NotMine);
        }
        if seat != self.seat && self.hand.has(card) {
            return Err(Unplayable::Mine);
        }
        if self.round.gone().has(card) {
            return Err(Unplayable::Gone);
        }
        let players = self.game.players();
        let play = Play { seat, card };
        if let Some(loose) = &mut self.loose {
            let awaited = loose.awaited(players);
            if awaited.is_none() {
                *loose = Loose::default();
            }
            loose.receive(play, awaited, players);
            self.hand = self.hand.without(card);
            return Ok(Received::Folded);
        }
        if self.round.to_play() != Some(seat) {
            let why = match self.round.to_play() {
                Some(awaited) => format!("player {} was to play", awaited.0),
                None => "nobody was to play".to_owned(),
            };
            let plays = self.round.on_table().to_vec();
            let mut loose = Loose {
                count: plays.len(),
                plays,
            };
            loose.receive(play, self.round.to_play(), players);
            self.loose = Some(loose);
            self.hand = self.hand.without(card);
            return Ok(Received::Gap(why));
        }
        self.round.play(self.game.deck(), seat, card)?;
        self.hand = self.hand.without(card);
        Ok(Received::Folded)
    }

    /// Whether a decision is due, judging by all messages.
    pub(super) fn is_asked(&self, ask: Ask) -> bool {
        self.dealt
            && self.loose.is_none()
            && match ask {
                Ask::Declare => self.round.declared().get(self.seat) == Some(&None),
                Ask::Play => self.round.to_play() == Some(self.seat),
            }
    }

    /// An answer that needs no thinking, whatever was received: as legal as can be known.
    pub(super) fn ready(&self, ask: Ask) -> Act {
        if ask == Ask::Declare {
            let planned = self
                .game
                .deals()
                .get(self.deal)
                .map_or(0, |deal| deal.cards);
            let share = usize::from(planned) / self.game.players().max(1);
            return Act::Declare(share as u8);
        }
        let deck = self.game.deck();
        let led = match &self.loose {
            None => self.round.led(deck),
            Some(loose) => {
                let first = loose.plays.first();
                let open = loose.awaited(self.game.players()).is_some();
                first.filter(|_| open).map(|play| deck.suit_of(play.card))
            }
        };
        let card = deck
            .playable(self.hand, led)
            .first()
            .or_else(|| self.hand.first());
        let unknown = || deck.all().iter().find(|card| !self.round.gone().has(*card));
        Act::Play(card.or_else(unknown).unwrap_or(Card(0)))
    }

    /// Whether the last deal is over as far as can be known, though not all of it was received.
    pub(super) fn is_played_out(&self) -> bool {
        let last = self.deal + 1 == self.game.deals().len();
        last && self.dealt && self.loose.is_some() && self.hand.is_empty()
    }

    /// Counts a finished deal.
    pub(super) fn close(&mut self) {
        for (seat, points) in self.round.points().iter() {
            self.points[seat] += points;
        }
        self.deal += 1;
        self.dealt = false;
    }

    pub(super) fn is_over(&self) -> bool {
        self.deal >= self.game.deals().len()
    }
}
