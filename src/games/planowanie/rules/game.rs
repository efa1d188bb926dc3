//! A whole game as the referee plays it.

use super::round::Round;
use super::setup::{Game, Setup};
use crate::cards::{Card, CardSet};
use drover_game::game::{Cause, Illegal, Listener, Outcome, Seat, Seats};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// The score of the player whose fault ended a game early.
pub const LOSER: i64 = -1;

/// What a player is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ask {
    /// How many tricks it will take.
    Declare,
    /// A card.
    Play,
}

/// What a player answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// This many tricks, 0 to the number of cards.
    Declare(u8),
    /// This card.
    Play(Card),
}

/// What a player receives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// The game begins.
    Begins(Arc<Game>, Seat),
    /// The next deal; own cards.
    Dealt(CardSet),
    /// A declaration is revealed, including the player's own.
    Declared(Seat, u8),
    /// A card is played, including the player's own.
    Played(Seat, Card),
}

/// What a player knows when it decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct View {
    /// What all players knew from the start.
    pub game: Arc<Game>,
    /// The player's own seat.
    pub seat: Seat,
    /// The deal's index in the game, from 0.
    pub deal: usize,
    /// The player's cards.
    pub hand: CardSet,
    /// The deal as all players see it.
    pub round: Round,
    /// Points of the deals before this one.
    pub points: Seats<i64>,
    /// Time that the player has left for the whole game, if known.
    #[serde(rename = "left_ms", with = "drover_game::neutral::millis")]
    #[schemars(with = "Option<u64>")]
    pub left: Option<Duration>,
}

impl View {
    /// The legal acts.
    #[must_use]
    pub fn acts(&self, ask: Ask) -> Vec<Act> {
        match ask {
            Ask::Declare => (0..=self.round.cards()).map(Act::Declare).collect(),
            Ask::Play => {
                let deck = self.game.deck();
                let playable = deck.playable(self.hand, self.round.led(deck));
                playable.iter().map(Act::Play).collect()
            }
        }
    }
}

/// One game.
#[derive(Clone, Debug)]
pub struct Planowanie {
    setup: Setup,
    deal: usize,
    hands: Seats<CardSet>,
    round: Round,
    /// Points from the deals that are over.
    points: Seats<i64>,
    /// The player whose fault ended the game early.
    loser: Option<(Seat, Cause)>,
}

impl Planowanie {
    /// The game before the first deal's declarations.
    #[must_use]
    pub fn begin(setup: &Setup) -> Self {
        let players = setup.game().players();
        let mut begun = Self {
            setup: setup.clone(),
            deal: 0,
            hands: Seats::from_fn(players, |_| CardSet::EMPTY),
            round: Round::new(players, 0, Seat(0)),
            points: Seats::from_fn(players, |_| 0),
            loser: None,
        };
        begun.deal_out();
        begun
    }

    fn deal_out(&mut self) {
        if let Some(dealt) = self.setup.deal(self.deal) {
            let hand = |hand: &Vec<Card>| hand.iter().copied().collect();
            self.hands = dealt.hands.iter().map(hand).collect();
            let planned = dealt.planned;
            self.round = Round::new(self.game().players(), planned.cards, planned.leader);
        }
    }

    /// What all players knew from the start.
    #[must_use]
    pub fn game(&self) -> &Arc<Game> {
        self.setup.game()
    }

    /// The deal's index in the game, from 0; the number of deals once all are over.
    #[must_use]
    pub fn deal(&self) -> usize {
        self.deal
    }

    /// The deal in play, or the last one.
    #[must_use]
    pub fn round(&self) -> &Round {
        &self.round
    }

    /// A player's cards.
    #[must_use]
    pub fn hand(&self, seat: Seat) -> CardSet {
        self.hands.get(seat).copied().unwrap_or_default()
    }

    /// Points from the deals that are over.
    #[must_use]
    pub fn points(&self) -> &Seats<i64> {
        &self.points
    }

    /// Whether no player has to act any more.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.loser.is_some() || self.deal >= self.game().deals().len()
    }

    /// Ends the game by a player's fault: that player loses, the others win (B3).
    pub fn forfeit(&mut self, seat: Seat, cause: Cause) {
        if !self.is_over() {
            self.loser = Some((seat, cause));
        }
    }

    /// Takes the declaration of one player.
    ///
    /// # Errors
    /// [`Illegal`] says why not; the game is then unchanged.
    pub fn declare(&mut self, seat: Seat, tricks: u8) -> Result<(), Illegal> {
        if self.is_over() {
            return Err(Illegal("the game is over".to_owned()));
        }
        self.round.declare(seat, tricks)
    }

    /// Plays a card.
    ///
    /// # Errors
    /// [`Illegal`] says why not; the game is then unchanged.
    pub fn play(&mut self, seat: Seat, card: Card) -> Result<(), Illegal> {
        self.may_play(seat, card)?;
        self.round.play(self.setup.game().deck(), seat, card)?;
        self.hands[seat] = self.hands[seat].without(card);
        if self.round.is_over() {
            for (seat, points) in self.round.points().iter() {
                self.points[seat] += points;
            }
            self.deal += 1;
            self.deal_out();
        }
        Ok(())
    }

    fn may_play(&self, seat: Seat, card: Card) -> Result<(), Illegal> {
        if self.is_over() || self.round.to_play() != Some(seat) {
            return Err(Illegal(format!("player {} is not to play", seat.0)));
        }
        let deck = self.game().deck();
        let hand = self.hand(seat);
        if !hand.has(card) {
            return Err(Illegal(format!(
                "player {} does not hold {}",
                seat.0,
                deck.text(card)
            )));
        }
        if !deck.playable(hand, self.round.led(deck)).has(card) {
            return Err(Illegal(format!(
                "player {} must follow suit and cannot play {}",
                seat.0,
                deck.text(card)
            )));
        }
        Ok(())
    }
}

impl drover_game::game::Game for Planowanie {
    type Setup = Setup;
    type Ask = Ask;
    type Act = Act;
    type View = View;
    type Event = Event;

    fn open(setup: &Setup, listener: &mut impl Listener<Event>) -> Self {
        let game = Self::begin(setup);
        for (seat, hand) in game.hands.iter() {
            listener.receive(seat, || Event::Begins(Arc::clone(game.game()), seat));
            listener.receive(seat, || Event::Dealt(*hand));
        }
        game
    }

    fn to_move(&self) -> Seats<bool> {
        Seats::from_fn(self.game().players(), |seat| self.ask(seat).is_some())
    }

    fn ask(&self, seat: Seat) -> Option<Ask> {
        if self.is_over() {
            return None;
        }
        match self.round.to_play() {
            Some(to_play) => (to_play == seat).then_some(Ask::Play),
            None => self
                .round
                .declared()
                .get(seat)?
                .is_none()
                .then_some(Ask::Declare),
        }
    }

    fn view(&self, seat: Seat) -> View {
        View {
            game: Arc::clone(self.game()),
            seat,
            deal: self.deal,
            hand: self.hand(seat),
            round: self.round.clone(),
            points: self.points.clone(),
            left: None,
        }
    }

    fn acts(&self, seat: Seat, out: &mut Vec<Act>) {
        match self.ask(seat) {
            Some(Ask::Declare) => out.extend((0..=self.round.cards()).map(Act::Declare)),
            Some(Ask::Play) => {
                let deck = self.game().deck();
                let playable = deck.playable(self.hand(seat), self.round.led(deck));
                out.extend(playable.iter().map(Act::Play));
            }
            None => {}
        }
    }

    fn check(&self, seat: Seat, act: &Act) -> Result<(), Illegal> {
        match (self.ask(seat), act) {
            (Some(Ask::Declare), Act::Declare(tricks)) if *tricks <= self.round.cards() => Ok(()),
            (Some(Ask::Declare), Act::Declare(tricks)) => Err(Illegal(format!(
                "{tricks} is not a number from 0 to {}",
                self.round.cards()
            ))),
            (Some(Ask::Play), Act::Play(card)) => self.may_play(seat, *card),
            _ => Err(Illegal(format!("player {} is not asked for that", seat.0))),
        }
    }

    /// Declarations of one step are revealed together, in seat order. A seat without a legal act
    /// loses the game; of several, the first in seat order.
    fn step(&mut self, acts: &[(Seat, Option<Act>)], listener: &mut impl Listener<Event>) {
        let players = self.game().players() as u8;
        let seats = || (0..players).map(Seat);
        let mut acts: Vec<_> = acts.to_vec();
        acts.sort_by_key(|(seat, _)| *seat);
        for (seat, act) in acts {
            let legal = act.filter(|act| self.check(seat, act).is_ok());
            if legal.is_none() && act.is_some() {
                listener.refuse(seat);
            }
            let deal = self.deal;
            match legal {
                Some(Act::Declare(tricks)) if self.declare(seat, tricks).is_ok() => {
                    seats().for_each(|to| listener.receive(to, || Event::Declared(seat, tricks)));
                }
                Some(Act::Play(card)) if self.play(seat, card).is_ok() => {
                    seats().for_each(|to| listener.receive(to, || Event::Played(seat, card)));
                    if self.deal != deal && !self.is_over() {
                        for (to, hand) in self.hands.iter() {
                            listener.receive(to, || Event::Dealt(*hand));
                        }
                    }
                }
                _ => {
                    self.forfeit(seat, Cause::IllegalMove);
                    return;
                }
            }
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        if !self.is_over() {
            return None;
        }
        let Some((loser, cause)) = self.loser else {
            return Some(Outcome {
                cause: Cause::Normal,
                scores: self.points.clone(),
            });
        };
        let mut scores = self.points.clone();
        scores[loser] = LOSER;
        Some(Outcome { cause, scores })
    }
}
