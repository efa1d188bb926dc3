//! `drover train GAME`: trains a game's data by self-play.

use super::common::game;
use super::game_arg::GameName;
use super::progress::Meter;
use super::usage::refuse;
use anyhow::Context as _;
use games::Training;
use std::io::Write as _;
use std::path::PathBuf;

/// Trains the data that a game's champion ships with, by self-play. The same number of games and the same
/// seed give the same data; the data's own header records both.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Args {
    /// The game.
    #[arg(value_parser = GameName::TRAINED)]
    game: String,
    /// How many games to play.
    #[arg(long, value_name = "N")]
    games: u64,
    /// The seed of all randomness.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Where to write the data; standard output by default.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let kit = game(&args.game)?;
    let mut meter = Meter::new(args.games, "game");
    let training = Training {
        games: args.games,
        seed: args.seed,
    };
    let Some(learner) = kit.card().training else {
        return refuse(format!(
            "{} has nothing that is learnt by self-play",
            kit.card().name
        ));
    };
    let learnt = learner.train(&training, &mut |games| meter.show(games));
    meter.finish();
    match &args.out {
        Some(path) => std::fs::write(path, learnt)
            .with_context(|| format!("cannot write {}", path.display()))?,
        None => std::io::stdout().write_all(learnt.as_bytes())?,
    }
    Ok(())
}
