//! `drover train GAME`: trains a game's data by self-play.

use super::common::game;
use super::common::notify;
use super::usage::refuse;
use anyhow::Context as _;
use games::Training;
use indicatif::ProgressBar;
use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The interval between plain lines.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Trains the data that a game's champion ships with, by self-play. The same number of games and the same
/// seed give the same data; the data's own header records both.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Args {
    /// The game.
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
    let bar = std::io::stderr()
        .is_terminal()
        .then(|| ProgressBar::new(args.games));
    let mut lined = Instant::now();
    let mut done = |games: u64| match &bar {
        Some(bar) => bar.set_position(games),
        None if lined.elapsed() >= LINE_EVERY => {
            lined = Instant::now();
            notify(&format!("{games} of {} games", args.games));
        }
        None => {}
    };
    let training = Training {
        games: args.games,
        seed: args.seed,
    };
    let Some(learner) = kit.training() else {
        return refuse(format!(
            "{} has nothing that is learnt by self-play",
            kit.game()
        ));
    };
    let learnt = learner.train(&training, &mut done);
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    match &args.out {
        Some(path) => std::fs::write(path, learnt)
            .with_context(|| format!("cannot write {}", path.display()))?,
        None => std::io::stdout().write_all(learnt.as_bytes())?,
    }
    Ok(())
}
