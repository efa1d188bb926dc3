//! How the writer answers.

use crate::store::error::StoreError;
use tokio::sync::oneshot;

pub(in crate::store) type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// A caller that has gone does not need the answer.
pub(super) fn answer<T>(reply: Reply<T>, result: Result<T, StoreError>) {
    drop(reply.send(result));
}
