//! A match on its way: why it may fail to start, and how to wait for its beginning and end.

use super::match_info::HostedMatch;
use crate::referee::record::RecordError;
use crate::referee::seat::seat_spec::SeatSpecError;
use crate::secrets::NoRandomness;
use games::SetupError;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Why a match does not start, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// Too many are already running.
    #[error(
        "{0} matches are running, which is the most this referee runs at once; try again when one has ended"
    )]
    Full(usize),
    /// The referee is stopping.
    #[error("this referee is stopping and starts no more matches")]
    Stopping,
    /// A seat that cannot be used.
    #[error(transparent)]
    Seat(#[from] SeatSpecError),
    /// Options or a number of seats that the game does not have.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// No source of randomness to draw numbers from.
    #[error(transparent)]
    Randomness(#[from] NoRandomness),
    /// All numbers that were drawn are in use.
    #[error("no free number for the match and its players was found; try again")]
    NoNumbers,
    /// It could not be stored.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// A match that has been set up. Its first callback goes out when [`Started::begin`] is called or
/// this is dropped.
#[must_use = "the match begins when this is dropped"]
pub struct Started {
    /// The match.
    pub hosted: Arc<HostedMatch>,
    pub(in crate::referee) begin: oneshot::Sender<()>,
    pub(in crate::referee) ended: oneshot::Receiver<()>,
}

impl Started {
    /// Lets the match begin.
    pub fn begin(self) -> Ending {
        // The match waits for this; it can only be gone if the host was stopped.
        let _ = self.begin.send(());
        Ending {
            hosted: self.hosted,
            ended: self.ended,
        }
    }
}

/// Waits for a match's end.
pub struct Ending {
    hosted: Arc<HostedMatch>,
    ended: oneshot::Receiver<()>,
}

impl Ending {
    /// The match once it has ended, or was left to the next start because the host stopped.
    pub async fn wait(self) -> Arc<HostedMatch> {
        // An error means that the match's task is gone: it has ended as well.
        let _ = self.ended.await;
        self.hosted
    }
}
