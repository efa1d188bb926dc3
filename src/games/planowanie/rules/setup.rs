//! What a game starts from: the deck, the players, the deals and every hand.

use super::deal::deal;
use crate::cards::{Card, CardSet, Deck, DeckError};
use drover_game::game::Seat;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Allowed numbers of players.
pub const PLAYERS: RangeInclusive<usize> = 2..=4;
/// The most deals in one game.
pub const DEALS_MAX: usize = 1_000;

/// A deal as `set_game` announces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedDeal {
    /// Cards that each player gets, from 1.
    pub cards: u8,
    /// Who leads the first trick.
    pub leader: Seat,
}

/// Why a game cannot be played. Deals are numbered from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GameError {
    /// Its deck.
    #[error(transparent)]
    Deck(#[from] DeckError),
    /// The number of players.
    #[error("{0} cannot play; a game has 2 to 4 players")]
    Players(usize),
    /// The number of deals.
    #[error("a game has 1 to {DEALS_MAX} deals, not {0}")]
    Deals(usize),
    /// A deal without cards.
    #[error("deal {0} has no cards")]
    NoCards(usize),
    /// A deal, its cards for each player, the players, and the cards of the deck, which are too few.
    #[error("deal {0} needs {all} cards for {2} players with {1} each, but the deck has {3}", all = .1 * .2)]
    TooManyCards(usize, usize, usize, usize),
    /// A deal, the seat that leads it, and the last seat there is.
    #[error("deal {0} is led by player {1}, but players are numbered 0 to {2}")]
    Leader(usize, u8, usize),
    /// Deals that have hands, and deals of the game.
    #[error("there are hands for {0} deals of {1}")]
    DealsWithHands(usize, usize),
    /// A deal, its hands, and the players.
    #[error("deal {0} has {1} hands for {2} players")]
    Hands(usize, usize, usize),
    /// A deal, a player, the cards of its hand, and those that it should have.
    #[error("deal {0}: player {1} has {2} cards instead of {3}")]
    Hand(usize, usize, usize, u8),
    /// A deal, and a player with a card of nobody's or somebody else's.
    #[error("deal {0}: a card of player {1} is not in the deck or dealt twice")]
    Dealt(usize, usize),
    /// A deal, and a text in it that is no card.
    #[error("deal {0}: there is no card {1:?}")]
    NoCard(usize, String),
}

impl From<(u8, u8)> for PlannedDeal {
    fn from((cards, leader): (u8, u8)) -> Self {
        let leader = Seat(leader);
        Self { cards, leader }
    }
}

/// What all players know from the start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Game {
    deck: Deck,
    players: usize,
    deals: Vec<PlannedDeal>,
}

impl Game {
    /// A game of these deals.
    ///
    /// # Errors
    /// [`GameError`] names the deal that cannot be dealt, or what else does not fit.
    pub fn new(deck: Deck, players: usize, deals: Vec<PlannedDeal>) -> Result<Self, GameError> {
        if !PLAYERS.contains(&players) {
            return Err(GameError::Players(players));
        }
        if deals.is_empty() || deals.len() > DEALS_MAX {
            return Err(GameError::Deals(deals.len()));
        }
        for (deal, planned) in (1..).zip(&deals) {
            let cards = usize::from(planned.cards);
            if cards == 0 {
                return Err(GameError::NoCards(deal));
            }
            if cards * players > deck.len() {
                let deck = deck.len();
                return Err(GameError::TooManyCards(deal, cards, players, deck));
            }
            if planned.leader.index() >= players {
                let (leader, last) = (planned.leader.0, players - 1);
                return Err(GameError::Leader(deal, leader, last));
            }
        }
        Ok(Self {
            deck,
            players,
            deals,
        })
    }

    /// The game of the tournament: thirteen deals of one to thirteen cards, four players.
    #[must_use]
    pub fn contest() -> Self {
        Self {
            deck: Deck::contest(),
            players: 4,
            deals: Self::rising(13, 4),
        }
    }

    /// A game with a deck of these values and suits, and deals of n cards led by these seats.
    ///
    /// # Errors
    /// As [`Deck::new`] and [`Game::new`].
    pub fn with_deals(
        values: &str,
        suits: &str,
        players: usize,
        deals: &[(u8, u8)],
    ) -> Result<Self, GameError> {
        let deck = Deck::new(values, suits)?;
        Self::new(
            deck,
            players,
            deals.iter().copied().map(PlannedDeal::from).collect(),
        )
    }

    /// Deals of one to `most` cards, the leader advancing by one.
    #[must_use]
    pub fn rising(most: u8, players: usize) -> Vec<PlannedDeal> {
        (1..=most)
            .map(|cards| PlannedDeal {
                cards,
                leader: Seat(((usize::from(cards) - 1) % players.max(1)) as u8),
            })
            .collect()
    }

    /// The cards.
    #[must_use]
    pub fn deck(&self) -> &Deck {
        &self.deck
    }

    /// The number of players.
    #[must_use]
    pub fn players(&self) -> usize {
        self.players
    }

    /// The deals, in order.
    #[must_use]
    pub fn deals(&self) -> &[PlannedDeal] {
        &self.deals
    }
}

/// A deal with its hands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dealt {
    /// As announced.
    pub planned: PlannedDeal,
    /// Each seat's cards, in the order of `set_cards`.
    pub hands: Vec<Vec<Card>>,
}

/// Everything that a game follows from, together with its players' acts. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Setup {
    game: Arc<Game>,
    hands: Arc<[Vec<Vec<Card>>]>,
}

impl Setup {
    /// A game whose cards the frozen generator deals from a seed.
    #[must_use]
    pub fn seeded(game: Game, seed: u64) -> Self {
        let hands = (1u64..)
            .zip(&game.deals)
            .map(|(number, planned)| {
                deal(
                    &game.deck,
                    game.players,
                    usize::from(planned.cards),
                    seed,
                    number,
                )
            })
            .collect();
        Self {
            game: Arc::new(game),
            hands,
        }
    }

    /// A game with these hands, by deal and seat.
    ///
    /// # Errors
    /// [`GameError`] names the first hand that does not fit the game.
    pub fn from_hands(game: Game, hands: Vec<Vec<Vec<Card>>>) -> Result<Self, GameError> {
        let (given, deals, players) = (hands.len(), game.deals.len(), game.players);
        if given != deals {
            return Err(GameError::DealsWithHands(given, deals));
        }
        for ((deal, planned), dealt) in (1..).zip(&game.deals).zip(&hands) {
            let (hands, cards) = (dealt.len(), planned.cards);
            if hands != players {
                return Err(GameError::Hands(deal, hands, players));
            }
            let mut seen = CardSet::EMPTY;
            for (seat, hand) in dealt.iter().enumerate() {
                let given = hand.len();
                if given != usize::from(cards) {
                    return Err(GameError::Hand(deal, seat, given, cards));
                }
                for card in hand {
                    if !game.deck.all().has(*card) || seen.has(*card) {
                        return Err(GameError::Dealt(deal, seat));
                    }
                    seen = seen.with(*card);
                }
            }
        }
        Ok(Self {
            game: Arc::new(game),
            hands: hands.into(),
        })
    }

    /// What all players know.
    #[must_use]
    pub fn game(&self) -> &Arc<Game> {
        &self.game
    }

    /// A deal with its hands; `at` counts from 0.
    #[must_use]
    pub fn deal(&self, at: usize) -> Option<Dealt> {
        Some(Dealt {
            planned: *self.game.deals.get(at)?,
            hands: self.hands.get(at)?.clone(),
        })
    }
}

/// A setup's form in JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    values: String,
    suits: String,
    players: usize,
    deals: Vec<WrittenDeal>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenDeal {
    cards: u8,
    leader: Seat,
    hands: Vec<Vec<String>>,
}

impl From<Setup> for Written {
    fn from(setup: Setup) -> Self {
        let Setup { game, hands } = setup;
        let write = |hand: &Vec<Card>| hand.iter().map(|card| game.deck.text(*card)).collect();
        Self {
            values: game.deck.values(),
            suits: game.deck.suits(),
            players: game.players,
            deals: game
                .deals
                .iter()
                .zip(&*hands)
                .map(|(planned, hands)| WrittenDeal {
                    cards: planned.cards,
                    leader: planned.leader,
                    hands: hands.iter().map(write).collect(),
                })
                .collect(),
        }
    }
}

impl TryFrom<Written> for Setup {
    type Error = GameError;

    fn try_from(written: Written) -> Result<Self, GameError> {
        let deck = Deck::new(&written.values, &written.suits)?;
        let mut deals = Vec::new();
        let mut hands = Vec::new();
        for (number, deal) in (1..).zip(written.deals) {
            deals.push(PlannedDeal {
                cards: deal.cards,
                leader: deal.leader,
            });
            let read = |card: &String| {
                let card_read = deck.read(card);
                card_read.ok_or_else(|| GameError::NoCard(number, card.clone()))
            };
            let dealt: Result<Vec<Vec<Card>>, _> = deal
                .hands
                .iter()
                .map(|hand| hand.iter().map(read).collect())
                .collect();
            hands.push(dealt?);
        }
        Self::from_hands(Game::new(deck, written.players, deals)?, hands)
    }
}
