//! `cargo run --release -p drover-bench -- …`: measures Drover's promises on this machine.

mod arbiter;
mod bare;
mod callbacks;
mod echo;
mod fill;
mod get;
mod hubs;
mod idle;
mod kits;
mod lists;
mod load;
mod messages;
mod pipes;
mod process;
mod shim;
mod site;
mod stats;
mod turns;

use anyhow::Context as _;
use clap::Parser as _;
use drover::link::program::VERB;
use std::ffi::OsString;
use std::process::ExitCode;

/// The allocator of the measured program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures Drover's promises on this machine.
///
/// Daemons, hubs and shims are started as processes of this executable, which is Drover if its first argument is
/// `drover`. So what is measured is always what was built with it.
#[derive(Debug, clap::Parser)]
#[command(name = "bench", arg_required_else_help = true, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

/// The benches.
#[derive(Clone, Debug, clap::Subcommand)]
enum Verb {
    /// What a game over pipes costs our arbiter, compared with another one.
    Arbiter(arbiter::ArbiterArgs),
    /// Durable callbacks a second, compared with bare hyper and with the same route without the store.
    Callbacks(callbacks::CallbacksArgs),
    /// Say yes to every line: the player that others are compared with.
    #[command(hide = true)]
    Echo,
    /// Fill a database with short matches.
    Fill(fill::FillArgs),
    /// How many games at once a hub holds, and how long its turns take.
    Hubs(hubs::HubsArgs),
    /// Memory of idle sessions, and the time from start-up to the first durable reply.
    Idle(idle::IdleArgs),
    /// How long pages of long lists take, over REST.
    Lists(lists::ListsArgs),
    /// What a shim adds to each reply, and how soon it gives its first.
    Shim(shim::ShimArgs),
    /// Rounds of Lighthouses or Planet Wars a second over pipes, compared with the same lines without an engine.
    Turns(turns::TurnsArgs),
}

fn main() -> ExitCode {
    let mut words: Vec<OsString> = std::env::args_os().collect();
    if words.get(1).is_some_and(|word| word == process::DROVER) {
        words.remove(0);
        return drover::cli::run(words);
    }
    // This Drover starts programs by it.
    if words.get(1).is_some_and(|word| word == VERB) {
        return drover::cli::run(words);
    }
    match perform(Cli::parse().verb) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            drover::cli::notify(&format!("bench: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn perform(verb: Verb) -> anyhow::Result<()> {
    drover::cli::raise_open_files();
    // As bare as it can be: without a runtime.
    if let Verb::Echo = verb {
        return echo::run();
    }
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("the async runtime does not start")?
        .block_on(run(verb))
}

async fn run(verb: Verb) -> anyhow::Result<()> {
    match verb {
        Verb::Arbiter(args) => arbiter::run(&args).await,
        Verb::Callbacks(args) => callbacks::run(args).await,
        Verb::Echo => echo::run(),
        Verb::Fill(args) => fill::run(args).await,
        Verb::Hubs(args) => hubs::run(args).await,
        Verb::Idle(args) => idle::run(args).await,
        Verb::Lists(args) => lists::run(args).await,
        Verb::Shim(args) => shim::run(args).await,
        Verb::Turns(args) => turns::run(&args).await,
    }
}
