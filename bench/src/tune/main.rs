//! `cargo run --release -p drover-bench --bin tune -- GAME duel|ladder …`: measures built-in bots in process.
//!
//! A block is one deal on one map, played in all rotations of a table's seats. Intervals are 95 %, from means over
//! blocks by Student's distribution. The share of pairs is the share of results against each other bot of the table
//! that were won, draws half. Bots that draw no chance play the same games again once every map was played: more
//! games add nothing then.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod bots;
mod duel;
mod field;
mod koehandel;
mod ladder;
mod lighthouses;
mod line;
mod maps;
mod planetwars;
mod planowanie;
mod smartdog;

use bots::Sheet;
use clap::Parser as _;
use games::koehandel::rules::Koehandel;
use games::lighthouses::rules::Lighthouses;
use games::planetwars::rules::PlanetWars;
use games::planowanie::rules::Planowanie;
use games::smartdog::rules::SmartDog;
use std::process::ExitCode;

/// Measures built-in bots in process.
#[derive(Debug, clap::Parser)]
#[command(name = "tune", arg_required_else_help = true, max_term_width = 100, after_help = AFTER_HELP)]
struct Cli {
    game: Game,
    #[command(subcommand)]
    verb: Verb,
}

const AFTER_HELP: &str = "\
Bots are named NAME[:KNOB=VALUE]…, such as champion:tours=0:wear=0. The bots of `drover bots` are there, those that have
knobs being the champion of lighthouses, planowanie and smartdog and the triangle of lighthouses, and these, which
nobody was tuned against:
  koehandel    denier, all-in, hoarder, wild, softy, bluffer; guide-cash, guide-minraise, tuned-cash; searchers such as
               searcher-base-200; champion-whole, the champion with playouts to the end of the match
  lighthouses  harasser, early
  planetwars   rusher, roller (and -team), tree, futures, booster, sabbatical, threshold
  smartdog     robber, herder-robber, guard";

/// The games.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Game {
    Koehandel,
    Lighthouses,
    Planetwars,
    Planowanie,
    Smartdog,
}

/// What is measured.
#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Heroes against rivals in all rotations of the seats, by map and by seat.
    Duel(duel::DuelArgs),
    /// Bots in tables with each other.
    Ladder(ladder::LadderArgs),
}

impl Verb {
    fn run<C: Sheet>(&self) -> anyhow::Result<()> {
        match self {
            Self::Duel(args) => args.run::<C>(),
            Self::Ladder(args) => args.run::<C>(),
        }
    }
}

impl Cli {
    fn run(&self) -> anyhow::Result<()> {
        match self.game {
            Game::Koehandel => self.verb.run::<Koehandel>(),
            Game::Lighthouses => self.verb.run::<Lighthouses>(),
            Game::Planetwars => self.verb.run::<PlanetWars>(),
            Game::Planowanie => self.verb.run::<Planowanie>(),
            Game::Smartdog => self.verb.run::<SmartDog>(),
        }
    }
}

fn main() -> ExitCode {
    let Err(error) = Cli::parse().run() else {
        return ExitCode::SUCCESS;
    };
    drover::cli::notify(&format!("tune: {error:#}"));
    ExitCode::FAILURE
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::{CommandFactory as _, Parser as _};

    fn run(words: &str) -> anyhow::Result<()> {
        let words = std::iter::once("tune").chain(words.split(' '));
        Cli::try_parse_from(words)?.run()
    }

    #[test]
    fn arguments_are_sound_and_unknown_ones_are_refused() {
        Cli::command().debug_assert();
        assert!(run("chess ladder").is_err() && run("smartdog ring").is_err());
        for case in [
            "lighthouses duel --rival nobody: there is no bot \"nobody\"",
            "lighthouses duel --rival ring:a: \"a\" is not KNOB=NUMBER",
            "lighthouses duel --rival ring:a=1: ring has no knob a",
            "lighthouses duel --rival early:a=1: early has no knob a",
            "planowanie duel --rival champion:a=1: champion has no knob a",
            "lighthouses duel --rival ring --maps nowhere: there is no map \"nowhere\"",
            "lighthouses duel --rival ring --option rules=5: no option \"rules\"",
            "lighthouses duel --rival ring,early: 2 rivals for 1 other seats",
            "lighthouses duel: 0 rivals for 1 other seats",
            "lighthouses ladder --players 1: two or more players",
            "koehandel duel --rival face --maps all: koehandel has no maps",
            "koehandel duel --rival face --node-us 4: koehandel has no clock",
        ] {
            let (words, why) = case.split_once(": ").unwrap();
            let refused = format!("{:#}", run(words).unwrap_err());
            assert!(refused.contains(why), "{words}: {refused}");
        }
    }

    #[test]
    fn every_game_is_measured_with_strangers_knobs_maps_and_options() {
        for words in [
            "koehandel duel --hero searcher-tuned-5 --rival bluffer,denier --option end_turns_max=9",
            "lighthouses duel --hero ring --players 1 --maps drawn:1:12x12:4 --option rounds=9",
            "lighthouses duel --hero champion:tours=0 --rival triangle:fade=1 --maps drawn --option rounds=9",
            "planetwars duel --hero rusher-team --rival tree --maps close,shrinking --option rounds=9",
            "planetwars duel --hero roller-team --rival futures --option teams=2 --option rounds=9",
            "planowanie duel --hero champion:reading=0 --rival rules --nodes 20 --option values=JQKA",
            "planowanie duel --rival rules --option time_ms=1 --node-us 4 --option values=JQKA",
            "smartdog duel --hero champion:depth=1 --rival guard --maps 1..3 --no-models --nodes 20",
            "smartdog ladder --bots stand,random,robber --maps 1..2 --games 1 --threads 2",
        ] {
            run(words).unwrap();
        }
    }
}
