//! `cargo run --release -p bench --bin tune -- GAME VERB …`: measures built-in bots in process.
//!
//! A block is one map and one seed, played in all rotations of a table's seats. Intervals are 95 %, from means over
//! blocks. A share of pairs is what part of the pairs with each other member of the table was won by points
//! at the end, draws half. Bots that draw no chance play the same games again once every map was played in
//! all rotations: more games say nothing then.

mod args;
mod field;
mod lighthouses;
mod planetwars;
mod play;
mod tally;
mod verbs;

use clap::Parser as _;
use std::process::ExitCode;

/// Measures built-in bots in process.
#[derive(Debug, clap::Parser)]
#[command(name = "tune", arg_required_else_help = true, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    game: Game,
}

/// The games.
#[derive(Debug, clap::Subcommand)]
enum Game {
    /// Bots of Lighthouses; `hunter` and `variant` are the triangle hunter and the champion with other numbers.
    #[command(subcommand)]
    Lighthouses(verbs::Verb<lighthouses::Keys>),
    /// Bots of Planet Wars; a member of a table is a team.
    #[command(subcommand)]
    Planetwars(verbs::Verb<planetwars::Keys, planetwars::Own>),
}

fn main() -> ExitCode {
    let done = match Cli::parse().game {
        Game::Lighthouses(verb) => verb.run(|own| match *own {}),
        Game::Planetwars(verb) => verb.run(planetwars::Own::run),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tune: {error:#}");
            ExitCode::FAILURE
        }
    }
}
