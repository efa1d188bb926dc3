//! The arbiter's messages in this game and their answers: the shim's own copy of the transcript.

use crate::link::relay::{Hello, NumberedMessage};
use parking_lot::{Mutex, MutexGuard};

/// One game.
#[derive(Debug)]
pub(super) struct ShimTranscript {
    /// The session of these messages.
    pub(super) hello: Hello,
    state: Mutex<Exchanges>,
}

/// The messages of a game, in order, each with its answer.
#[derive(Debug, Default)]
struct Exchanges {
    exchanges: Vec<NumberedMessage>,
    /// How many of them the daemon is known to have.
    delivered: usize,
}

impl ShimTranscript {
    pub(super) fn new(hello: Hello) -> Self {
        Self {
            hello,
            state: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Exchanges> {
        self.state.lock()
    }

    /// The number of the next message.
    pub(super) fn next(&self) -> u64 {
        self.lock().exchanges.len() as u64 + 1
    }

    /// Adds a message that was answered.
    pub(super) fn add(&self, message: NumberedMessage, delivered: bool) {
        let mut state = self.lock();
        state.exchanges.push(message);
        if delivered {
            state.delivered = state.exchanges.len();
        }
    }

    /// The first message that the daemon is not known to have.
    pub(super) fn undelivered(&self) -> Option<NumberedMessage> {
        let state = self.lock();
        state.exchanges.get(state.delivered).cloned()
    }

    /// All messages that the daemon is not known to have, oldest first.
    pub(super) fn missing(&self) -> Vec<NumberedMessage> {
        let state = self.lock();
        state
            .exchanges
            .get(state.delivered..)
            .unwrap_or_default()
            .to_vec()
    }

    /// How many messages the daemon is not known to have.
    pub(super) fn behind(&self) -> u64 {
        let state = self.lock();
        (state.exchanges.len() - state.delivered) as u64
    }

    /// The daemon has all messages up to this number.
    pub(super) fn has(&self, number: u64) {
        let mut state = self.lock();
        state.delivered = usize::try_from(number)
            .unwrap_or(usize::MAX)
            .min(state.exchanges.len());
    }
}
