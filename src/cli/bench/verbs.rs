//! Which benches there are.

use super::callbacks::{self, CallbacksArgs};

/// The benches.
#[derive(Clone, Debug, clap::Subcommand)]
pub enum Verb {
    /// Durable callbacks a second against bare hyper and against the same route without the store.
    Callbacks(CallbacksArgs),
}

/// Runs one.
///
/// # Errors
/// What kept it from measuring, or which promise was broken.
pub async fn run(verb: Verb) -> anyhow::Result<()> {
    match verb {
        Verb::Callbacks(args) => callbacks::run(args).await,
    }
}
