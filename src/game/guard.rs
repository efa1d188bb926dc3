//! Bots are third-party code: a panic in one must not affect more than its own session.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The message of a panic.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bot panicked: {0}")]
pub struct Panicked(pub String);

/// Runs `work` and turns a panic into an error. Whatever `work` was changing must then be discarded.
///
/// # Errors
/// [`Panicked`] with the panic's message.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| Panicked(said(panic.as_ref())))
}

fn said(panic: &(dyn Any + Send)) -> String {
    if let Some(text) = panic.downcast_ref::<&str>() {
        return (*text).to_owned();
    }
    panic
        .downcast_ref::<String>()
        .cloned()
        .unwrap_or_else(|| "without a message".to_owned())
}
