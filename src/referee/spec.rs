//! A match to play, whatever its wire.

use super::feed::Feed;
use super::seat::SeatSpec;
use crate::store::types::Slot;
use games::{Kit, Learnt};
use serde_json::Value;

/// A match to play; lists are by seat, and may be shorter but for the seats.
#[derive(Clone)]
pub struct MatchSpec {
    /// The game.
    pub kit: &'static dyn Kit,
    /// The players.
    pub seats: Vec<SeatSpec>,
    /// Their names.
    pub names: Vec<Option<String>>,
    /// What built-in bots have learnt of their rivals.
    pub learnt: Vec<Learnt>,
    /// After how many failures a player that is called is a filler; `None`: after as many as the rules say.
    pub tries: Vec<Option<u16>>,
    /// Its number among many, from 0.
    pub number: u64,
    /// The number of its deck: of a hub's maps, this one is played.
    pub deck: u64,
    /// Seeds all randomness.
    pub seed: u64,
    /// Seeds the numbers on the wire.
    pub numbers: u64,
    /// Rule options, over those of a host or hub.
    pub options: Value,
    /// Whether its transcript is recorded.
    pub record: bool,
    /// Its place in a tournament.
    pub slot: Option<Slot>,
    /// Where it is passed on while it is played, if somebody watches; a hub stores its matches itself.
    pub feed: Option<Feed>,
}

impl MatchSpec {
    /// A match of which no more is given.
    #[must_use]
    pub fn new(kit: &'static dyn Kit, seats: Vec<SeatSpec>, seed: u64, options: Value) -> Self {
        Self {
            kit,
            seats,
            names: Vec::new(),
            learnt: Vec::new(),
            tries: Vec::new(),
            number: 0,
            deck: 0,
            seed,
            numbers: seed,
            options,
            record: false,
            slot: None,
            feed: None,
        }
    }
}
