//! Which benches there are.

use super::callbacks::{self, CallbacksArgs};
use super::crash::{self, CrashArgs};
use super::hubs::{self, HubsArgs};
use super::idle::{self, IdleArgs};
use super::matches::{self, MatchesArgs};
use super::soak::{self, SoakArgs};

/// The benches.
#[derive(Clone, Debug, clap::Subcommand)]
pub enum Verb {
    /// Durable callbacks a second against bare hyper and against the same route without the store.
    Callbacks(CallbacksArgs),
    /// Kill a daemon again and again while matches run: nothing acknowledged may be lost.
    Crash(CrashArgs),
    /// Games at once that a hub holds, and how long its turns take.
    Hubs(HubsArgs),
    /// Memory of idle sessions, and the time from start-up to the first durable reply.
    Idle(IdleArgs),
    /// Many matches at once over real HTTP: late, illegal and fallback answers, and where the time went.
    Matches(MatchesArgs),
    /// Keep lines to hubs that are killed, stalled, cut and fed garbage: every game has its end, nothing
    /// leaks.
    Soak(SoakArgs),
}

/// Runs one.
///
/// # Errors
/// What kept it from measuring, or which promise was broken.
pub async fn run(verb: Verb) -> anyhow::Result<()> {
    match verb {
        Verb::Callbacks(args) => callbacks::run(args).await,
        Verb::Crash(args) => crash::run(args).await,
        Verb::Hubs(args) => hubs::run(args).await,
        Verb::Idle(args) => idle::run(args).await,
        Verb::Matches(args) => matches::run(args).await,
        Verb::Soak(args) => soak::run(args).await,
    }
}
