//! A player that has dialled, as the hub holds it: what it is sent, its seat, and its lines on their way to its match.

use games::match_::LINES_MAX;
use games::{Frame, Seat};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Texts that may wait to be sent to a player; a player with more is disconnected. More than a turn of
/// refused lines has: all of them may come at once.
const UNREAD_MAX: usize = 2 * LINES_MAX;
/// The same in bytes, whatever the size of the text that comes then: the landscape of the largest world.
const UNREAD_BYTES_MAX: usize = 8 << 20;

/// The sending side of a player's connection.
#[derive(Clone, Debug)]
pub(super) struct Outbox {
    texts: mpsc::Sender<String>,
    /// How many bytes of them are not sent yet.
    unread: Arc<AtomicUsize>,
    end: CancellationToken,
}

impl Outbox {
    /// Sends a text with its line ends in one write. A player that does not read is disconnected.
    pub(super) fn say(&self, text: String) {
        let unread = self.unread.fetch_add(text.len(), Ordering::Relaxed);
        if unread > UNREAD_BYTES_MAX || self.texts.try_send(text).is_err() {
            self.end.cancel();
        }
    }

    /// Sends a line, if there is one.
    pub(super) fn say_line(&self, line: Option<Frame>) {
        if let Some(line) = line {
            self.say(line + "\n");
        }
    }

    /// Ends the connection once everything queued is sent.
    pub(super) fn close(&self) {
        self.end.cancel();
    }

    /// Cancelled once the connection is to end.
    pub(super) fn end(&self) -> CancellationToken {
        self.end.clone()
    }

    /// A player's outbox, and the other end of it.
    pub(super) fn new() -> (Self, Inlet) {
        let (texts, unread) = mpsc::channel(UNREAD_MAX);
        let out = Self {
            texts,
            unread: Arc::default(),
            end: CancellationToken::new(),
        };
        let inlet = Inlet {
            texts: unread,
            bytes: Arc::clone(&out.unread),
            end: out.end.clone(),
        };
        (out, inlet)
    }
}

/// What a player is sent.
pub(super) struct Inlet {
    texts: mpsc::Receiver<String>,
    bytes: Arc<AtomicUsize>,
    end: CancellationToken,
}

impl Inlet {
    /// The next text; once the connection is to end, only what is already queued. `None` after the last one.
    pub(super) async fn next(&mut self) -> Option<String> {
        tokio::select! {
            biased;
            text = self.texts.recv() => text,
            () = self.end.cancelled() => self.texts.try_recv().ok(),
        }
    }

    /// Nothing can be sent any more.
    pub(super) fn cut(&self) {
        self.end.cancel();
    }

    /// This much of what was sent has arrived.
    pub(super) fn arrived(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// A player waiting for a match.
pub(super) struct Guest {
    pub(super) name: String,
    pub(super) peer: SocketAddr,
    pub(super) out: Outbox,
    /// Receives the player's seat.
    pub(super) seated: oneshot::Sender<Seated>,
}

/// A player's seat in a running match.
pub(super) struct Seated {
    pub(super) seat: Seat,
    pub(super) inbox: mpsc::Sender<PlayerLine>,
}

/// A message from a player.
#[derive(Debug)]
pub(super) struct PlayerLine {
    pub(super) seat: Seat,
    /// A line, or `None`: the player is gone.
    pub(super) line: Option<String>,
    /// When it was read.
    pub(super) at: Instant,
}
