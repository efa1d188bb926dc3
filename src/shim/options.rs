//! What a shim is started with.

use super::local::Thinking;
use super::port::Port;
use games::Kit;
use std::sync::Arc;

/// What a shim plays, and with which daemon.
#[derive(Clone)]
pub struct ShimOptions {
    /// The game.
    pub kit: &'static dyn Kit,
    /// The built-in bot.
    pub bot: String,
    /// The name under which the arbiter is stored.
    pub referee: String,
    /// The daemon; `None`: the bot plays in this process.
    pub daemon: Option<Arc<dyn Port>>,
    /// The bot's budget where it plays in this process.
    pub thinking: Thinking,
    /// Called with a sentence that an operator should know.
    pub note: fn(&str),
}
