//! One deal as all players at the table see it: declarations, tricks, points. It contains no hands, so that a
//! player can keep one as well as the referee.

use crate::cards::{Card, CardSet, Deck};
use drover_game::game::{Illegal, Seat, Seats};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// A card played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Play {
    /// Who played it.
    pub seat: Seat,
    /// Which card.
    pub card: Card,
}

/// A deal in play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Round {
    cards: u8,
    declared: Seats<Option<u8>>,
    taken: Seats<u8>,
    /// Who leads, or led, the trick on the table.
    leader: Seat,
    trick: SmallVec<[Card; 4]>,
    played: Vec<Play>,
    gone: CardSet,
}

impl Round {
    /// A deal of this many cards before the declarations.
    #[must_use]
    pub fn new(players: usize, cards: u8, leader: Seat) -> Self {
        Self {
            cards,
            declared: Seats::from_fn(players, |_| None),
            taken: Seats::from_fn(players, |_| 0),
            leader,
            trick: SmallVec::new(),
            played: Vec::with_capacity(players * usize::from(cards)),
            gone: CardSet::EMPTY,
        }
    }

    /// Cards dealt to each player.
    #[must_use]
    pub fn cards(&self) -> u8 {
        self.cards
    }

    /// The number of players.
    #[must_use]
    pub fn players(&self) -> usize {
        self.taken.len()
    }

    /// Each player's declaration, as far as revealed.
    #[must_use]
    pub fn declared(&self) -> &Seats<Option<u8>> {
        &self.declared
    }

    /// Whether all have declared.
    #[must_use]
    pub fn all_declared(&self) -> bool {
        self.declared.values().iter().all(Option::is_some)
    }

    /// Tricks taken by each player.
    #[must_use]
    pub fn taken(&self) -> &Seats<u8> {
        &self.taken
    }

    /// Who leads, or led, the trick on the table.
    #[must_use]
    pub fn leader(&self) -> Seat {
        self.leader
    }

    /// The cards on the table, in the order they were played.
    #[must_use]
    pub fn trick(&self) -> &[Card] {
        &self.trick
    }

    /// The same with who played them.
    #[must_use]
    pub fn on_table(&self) -> SmallVec<[Play; 4]> {
        let first = self.played.len().saturating_sub(self.trick.len());
        self.played.iter().skip(first).copied().collect()
    }

    /// Every card played in this deal, in order.
    #[must_use]
    pub fn played(&self) -> &[Play] {
        &self.played
    }

    /// Who did not follow which suit, card by card in the order of play.
    pub fn strays(&self, deck: &Deck) -> impl Iterator<Item = (Seat, u8)> {
        let tricks = self.played.chunks(self.players().max(1));
        tricks.flat_map(move |trick| {
            let led = trick.first().map_or(0, |play| deck.suit_of(play.card));
            let strays = trick
                .iter()
                .filter(move |play| deck.suit_of(play.card) != led);
            strays.map(move |play| (play.seat, led))
        })
    }

    /// Every card played in this deal.
    #[must_use]
    pub fn gone(&self) -> CardSet {
        self.gone
    }

    /// The number of complete tricks.
    #[must_use]
    pub fn tricks_done(&self) -> usize {
        self.played.len() / self.players().max(1)
    }

    /// Whether every card has been played.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.tricks_done() == usize::from(self.cards)
    }

    /// The player who must play a card now.
    #[must_use]
    pub fn to_play(&self) -> Option<Seat> {
        if !self.all_declared() || self.is_over() {
            return None;
        }
        let seat = (self.leader.index() + self.trick.len()) % self.players();
        Some(Seat(seat as u8))
    }

    /// The suit that was led to the trick on the table.
    #[must_use]
    pub fn led(&self, deck: &Deck) -> Option<u8> {
        self.trick.first().map(|card| deck.suit_of(*card))
    }

    /// What each player scores for the deal if it ended now: its tricks, plus as many points as there were
    /// cards if it took exactly what it declared.
    #[must_use]
    pub fn points(&self) -> Seats<i64> {
        let points = |seat| {
            let taken = self.taken[seat];
            let bonus = if self.declared[seat] == Some(taken) {
                self.cards
            } else {
                0
            };
            i64::from(taken) + i64::from(bonus)
        };
        Seats::from_fn(self.players(), points)
    }

    /// Records a declaration.
    ///
    /// # Errors
    /// [`Illegal`] says why not; the deal is then unchanged.
    pub fn declare(&mut self, seat: Seat, tricks: u8) -> Result<(), Illegal> {
        let Some(before) = self.declared.get(seat) else {
            return Err(Illegal(format!("there is no player {}", seat.0)));
        };
        if before.is_some() || tricks > self.cards {
            return Err(Illegal(format!(
                "player {} cannot declare {tricks} now, with {} cards each",
                seat.0, self.cards
            )));
        }
        self.declared[seat] = Some(tricks);
        Ok(())
    }

    /// Plays a card for the player to move. Returns the taker of the trick if it is complete.
    ///
    /// # Errors
    /// [`Illegal`] says why not; the deal is then unchanged.
    pub fn play(&mut self, deck: &Deck, seat: Seat, card: Card) -> Result<Option<Seat>, Illegal> {
        if self.taken.get(seat).is_none() {
            return Err(Illegal(format!("there is no player {}", seat.0)));
        }
        if self.to_play() != Some(seat) {
            return Err(Illegal(format!("player {} is not to play now", seat.0)));
        }
        if self.gone.has(card) {
            return Err(Illegal("that card has been played before".to_owned()));
        }
        self.gone = self.gone.with(card);
        self.played.push(Play { seat, card });
        self.trick.push(card);
        if self.trick.len() < self.players() {
            return Ok(None);
        }
        let best = deck.winner(&self.trick).unwrap_or_default();
        let taker = Seat(((self.leader.index() + best) % self.players()) as u8);
        self.taken[taker] += 1;
        self.leader = taker;
        self.trick.clear();
        Ok(Some(taker))
    }
}
