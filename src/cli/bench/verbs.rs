//! Which benches there are.

use super::callbacks::{self, CallbacksArgs};
use super::crash::{self, CrashArgs};
use super::echo;
use super::hubs::{self, HubsArgs};
use super::idle::{self, IdleArgs};
use super::matches::{self, MatchesArgs};
use super::soak::{self, SoakArgs};
use super::stdio::arbiter::{self, ArbiterArgs};
use super::stdio::rounds::{self, RoundsArgs};
use super::stdio::shim::{self, ShimArgs};
use super::stdio::shim_crash::{self, ShimCrashArgs};
use super::stdio::shim_games::{self, ShimGamesArgs};
use super::stdio::turns::{self, TurnsArgs};

/// The benches.
#[derive(Clone, Debug, clap::Subcommand)]
pub enum Verb {
    /// What a game over pipes costs our arbiter, beside another one.
    Arbiter(ArbiterArgs),
    /// Durable callbacks a second against bare hyper and against the same route without the store.
    Callbacks(CallbacksArgs),
    /// Kill a daemon again and again while matches run: nothing acknowledged may be lost.
    Crash(CrashArgs),
    /// Agree to every line: the player that others are compared with.
    #[command(hide = true)]
    Echo,
    /// Games at once that a hub holds, and how long its turns take.
    Hubs(HubsArgs),
    /// Memory of idle sessions, and the time from start-up to the first durable reply.
    Idle(IdleArgs),
    /// Many matches at once over real HTTP: late, illegal and fallback answers, and where the time went.
    Matches(MatchesArgs),
    /// Rounds of Lighthouses a second over pipes, beside the same lines without an engine.
    Rounds(RoundsArgs),
    /// What a shim adds to each reply, and how soon it gives its first.
    Shim(ShimArgs),
    /// Kill the daemon again and again while games run over shims: none may be lost.
    ShimCrash(ShimCrashArgs),
    /// Many games of Lighthouses at once over shims: how long turns take, and how many are late.
    ShimGames(ShimGamesArgs),
    /// Keep lines to hubs that are killed, stalled, cut and fed garbage: every game has its end, nothing
    /// leaks.
    Soak(SoakArgs),
    /// Turns of Planet Wars a second, over pipes and in process, beside another judge.
    Turns(TurnsArgs),
}

/// Runs one.
///
/// # Errors
/// What kept it from measuring, or which promise was broken.
pub async fn run(verb: Verb) -> anyhow::Result<()> {
    match verb {
        Verb::Arbiter(args) => arbiter::run(args).await,
        Verb::Callbacks(args) => callbacks::run(args).await,
        Verb::Crash(args) => crash::run(args).await,
        Verb::Echo => echo(),
        Verb::Hubs(args) => hubs::run(args).await,
        Verb::Idle(args) => idle::run(args).await,
        Verb::Matches(args) => matches::run(args).await,
        Verb::Rounds(args) => rounds::run(args).await,
        Verb::Shim(args) => shim::run(args).await,
        Verb::ShimCrash(args) => shim_crash::run(args).await,
        Verb::ShimGames(args) => shim_games::run(args).await,
        Verb::Soak(args) => soak::run(args).await,
        Verb::Turns(args) => turns::run(args).await,
    }
}
