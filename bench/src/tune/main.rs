//! `cargo run --release -p bench --bin tune -- GAME VERB …`: measures built-in bots in process.
//!
//! A block is one map and one seed, played in all rotations of a table's seats. Intervals are 95 %, from means over
//! blocks by Student's distribution. A share of pairs is what part of the pairs with each other member of the table was
//! won by points at the end, draws half. Bots that draw no chance play the same games again once every map was played in
//! all rotations: more games say nothing then.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod args;
mod field;
mod koehandel;
mod lighthouses;
mod planetwars;
mod planowanie;
mod play;
mod smartdog;
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
    /// Bots of Koehandel, and others: `denier`, `all-in`, `hoarder`, `wild`, `softy` and `bluffer`, that nobody trained
    /// against, `guide-cash`, `guide-minraise` and `tuned-cash`, searchers such as `searcher-base-200`; `champion-whole`
    /// is the champion with playouts to the end of the match.
    #[command(subcommand)]
    Koehandel(verbs::Verb<koehandel::Keys, koehandel::Own>),
    /// Bots of Lighthouses, and strangers after other authors' programs: `harasser`, `early`; `hunter` and `variant` are the
    /// triangle hunter and the champion with other numbers.
    #[command(subcommand)]
    Lighthouses(verbs::Verb<lighthouses::Keys>),
    /// Bots of Planet Wars, and strangers after other authors' programs: `rusher`, `roller` (and `-team`), `tree`, `futures`,
    /// and the samples of 2015 `booster`, `sabbatical`, `threshold`; a member of a table is a team.
    #[command(subcommand)]
    Planetwars(verbs::Verb<planetwars::Keys, planetwars::Own>),
    /// Bots of Planowanie; `variant` and `other` are the champion with other numbers and tables.
    #[command(subcommand)]
    Planowanie(verbs::Verb<planowanie::Keys, planowanie::Own>),
    /// Bots of smart-dog, and strangers after other authors' programs: `robber`, `herder-robber`, `guard`;
    /// `variant` is the champion with other numbers.
    #[command(subcommand)]
    Smartdog(verbs::Verb<smartdog::Keys>),
}

fn main() -> ExitCode {
    match measure(Cli::parse().game) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            drover::cli::tell(&format!("tune: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn measure(game: Game) -> anyhow::Result<()> {
    match game {
        Game::Koehandel(verb) => verb.run(koehandel::Own::run),
        Game::Lighthouses(verb) => verb.run(|own| match *own {}),
        Game::Planetwars(verb) => verb.run(planetwars::Own::run),
        Game::Planowanie(verb) => verb.run(planowanie::Own::run),
        Game::Smartdog(verb) => verb.run(|own| match *own {}),
    }
}

#[cfg(test)]
mod tests {
    use super::{Cli, measure};
    use clap::{CommandFactory as _, Parser as _};

    #[test]
    fn arguments_are_sound_and_unknown_ones_are_refused() {
        Cli::command().debug_assert();
        let parse = |words: &str| Cli::try_parse_from(words.split(' '));
        assert!(parse("tune lighthouses duel --rival ring").is_ok());
        assert!(parse("tune lighthouses duel --rival ring --rules 5").is_err());
        assert!(parse("tune smartdog ring").is_err());
        let why = parse("tune lighthouses self-play --players 17").unwrap_err();
        assert!(why.to_string().contains("1 to 16 players"), "{why}");
    }

    #[test]
    fn who_is_alone_is_measured_by_self_play_only() {
        let run = |verb: &str| {
            let words =
                format!("tune lighthouses {verb} --players 1 --rounds 3 --maps drawn:1:12x12:4");
            measure(Cli::try_parse_from(words.split(' ')).unwrap().game)
        };
        run("self-play --hero ring").unwrap();
        for verb in ["duel --rival ring", "ladder --games 1"] {
            let why = run(verb).unwrap_err();
            assert!(why.to_string().contains("two or more"), "{verb}: {why}");
        }
    }
}
