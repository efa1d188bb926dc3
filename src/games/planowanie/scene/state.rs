//! The state of a game in the form in which it is shown. Players are numbered by seat, cards are texts.

use crate::cards::CARDS_MAX;
use crate::rules::PLAYERS;
use drover_game::card::Curves;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// The suit that is trump.
    pub trump: char,
    /// The deal's number, from 1.
    pub deal: usize,
    /// How many deals the game has.
    pub deals: usize,
    /// Cards dealt to each player in this deal.
    pub cards: u8,
    /// The players.
    pub players: Vec<Player>,
    /// Whose view it is; null: everybody's.
    pub own: Option<u8>,
    /// Who leads, or led, the trick on the table.
    pub leader: u8,
    /// Who is to play a card.
    pub to_play: Option<u8>,
    /// The cards on the table, in the order in which they were played.
    pub trick: Vec<Played>,
    /// The last complete trick.
    pub last: Option<Taken>,
    /// What the deal before this one came to, by player.
    pub before: Option<Vec<Result>>,
    /// Who lost the game by a fault.
    pub loser: Option<u8>,
    /// Whether the game is over.
    pub over: bool,
}

/// One player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Player {
    /// Its cards; null: hidden.
    pub hand: Option<Vec<String>>,
    /// How many it holds.
    pub held: usize,
    /// How many tricks it has declared; null: not yet, or not revealed.
    pub declared: Option<u8>,
    /// How many it has taken.
    pub taken: u8,
    /// Its points of the deals that are over.
    pub points: i64,
}

/// A card played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Played {
    /// By whom.
    pub by: u8,
    /// The card.
    pub card: String,
}

/// A complete trick.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    /// Its cards, in order.
    pub cards: Vec<Played>,
    /// Who took it.
    pub by: u8,
}

/// One player's result of a deal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Result {
    /// Tricks declared.
    pub declared: Option<u8>,
    /// Tricks taken.
    pub taken: u8,
    /// Points.
    pub points: i64,
}

impl State {
    /// Reads a state that may come from anywhere.
    #[must_use]
    pub fn read(value: &Value) -> Option<Self> {
        let state = Self::deserialize(value).ok()?;
        let cards = state.trick.len();
        let last = state.last.as_ref().map_or(0, |last| last.cards.len());
        let sized = PLAYERS.contains(&state.players.len()) && cards.max(last) <= *PLAYERS.end();
        let hands = state.players.iter().filter_map(|held| held.hand.as_ref());
        let bounded = hands.map(Vec::len).all(|cards| cards <= CARDS_MAX);
        (sized && bounded).then_some(state)
    }
}

/// What is counted over a game.
pub const CURVES: Curves = Curves {
    turn: "trick",
    names: &["Points"],
    figures: |state, _| {
        let state = State::read(state)?;
        let points = state.players.iter().map(|player| Some(player.points));
        Some(vec![points.collect()])
    },
};
