//! The interface to those who follow a tournament as it is played.

use super::standings::PlayedGame;
use parking_lot::Mutex;
use ratings::schedule::Round;
use std::sync::Arc;

/// Follows a tournament as it is played.
pub trait Watch: Send {
    /// A round begins, with this number of matches left to play.
    fn round(&mut self, _round: &Round, _matches: usize) {}
    /// A match has ended.
    fn ended(&mut self, _game: &PlayedGame) {}
    /// Nothing goes on until something happens elsewhere: what, as a sentence.
    fn waits(&mut self, _why: &str) {}
}

/// Who follows it, from whatever thread.
pub type Watcher = Arc<Mutex<dyn Watch>>;
