//! [`Rules`]: what the writer needs to know of games. The store itself knows none.

use super::types::MatchResult;
use games::Kit;
use serde_json::Value;
use std::fmt::Debug;

/// What only a game's rules can say of the rows that a transaction writes. A game is named as in its rows, and may be one
/// that this version does not know.
pub trait Rules: Debug + Send + Sync {
    /// The game with this name, for those who read what is stored.
    fn kit(&self, game: &str) -> Option<&'static dyn Kit>;

    /// The built-in bots of this version.
    fn bots(&self) -> Vec<BotVersion>;

    /// How many places clockwise from a session's own the place lies that its wire calls `rival`.
    fn place(&self, game: &str, rival: &str) -> Option<u8>;

    /// Each seat's share of the win, 0 to 1, in a match that was started from `setup` ([`games::Table::setup`] as text;
    /// empty where it is not known); as many as there are scores.
    fn win_shares(&self, game: &str, setup: &str, result: &MatchResult) -> Vec<f64>;

    /// A model of an opponent with this evidence merged into it ([`games::Models::merge`]); `None` if the game learns
    /// nothing.
    fn merged(&self, game: &str, model: Option<&Value>, evidence: &Value) -> Option<Value>;
}

/// One version of a built-in bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotVersion {
    /// The game's name.
    pub game: &'static str,
    /// The bot's name.
    pub name: &'static str,
    /// Raised whenever its play changes.
    pub version: u32,
    /// Changes only when its play changes.
    pub signature: u64,
}
