//! The arbiter's messages in this game and their answers: the shim's own copy of the transcript.

use crate::link::relay::{Hello, NumberedMessage};
use parking_lot::{Mutex, MutexGuard};

/// One game.
#[derive(Debug)]
pub(super) struct ShimTranscript {
    /// The session of these messages.
    pub(super) hello: Hello,
    told: Mutex<Told>,
}

/// The messages of a game, in order, each with its answer.
#[derive(Debug, Default)]
struct Told {
    exchanges: Vec<NumberedMessage>,
    /// How many of them the daemon is known to have.
    delivered: usize,
}

impl ShimTranscript {
    pub(super) fn new(hello: Hello) -> Self {
        Self {
            hello,
            told: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Told> {
        self.told.lock()
    }

    /// The number of the next message.
    pub(super) fn next(&self) -> u64 {
        self.lock().exchanges.len() as u64 + 1
    }

    /// Adds a message that was answered.
    pub(super) fn add(&self, heard: NumberedMessage, delivered: bool) {
        let mut told = self.lock();
        told.exchanges.push(heard);
        if delivered {
            told.delivered = told.exchanges.len();
        }
    }

    /// The first message that the daemon is not known to have.
    pub(super) fn undelivered(&self) -> Option<NumberedMessage> {
        let told = self.lock();
        told.exchanges.get(told.delivered).cloned()
    }

    /// All messages that the daemon is not known to have, oldest first.
    pub(super) fn missing(&self) -> Vec<NumberedMessage> {
        let told = self.lock();
        told.exchanges
            .get(told.delivered..)
            .unwrap_or_default()
            .to_vec()
    }

    /// How many messages the daemon is not known to have.
    pub(super) fn behind(&self) -> u64 {
        let told = self.lock();
        (told.exchanges.len() - told.delivered) as u64
    }

    /// The daemon has all messages up to this number.
    pub(super) fn has(&self, number: u64) {
        let mut told = self.lock();
        told.delivered = usize::try_from(number)
            .unwrap_or(usize::MAX)
            .min(told.exchanges.len());
    }
}
