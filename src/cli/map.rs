//! `drover map`: the maps of games that are played on maps.

use super::play_args::game;
use super::usage::UsageError;
use anyhow::Context as _;
use clap::Subcommand;
use games::{MapStyle, Maps};
use std::path::PathBuf;
use std::process::ExitCode;

/// Bytes of a map file that are read at most.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// What can be done with maps.
#[derive(Clone, Debug, Subcommand)]
pub(super) enum Verb {
    /// Names the maps that come with a game.
    List {
        /// The game.
        game: String,
    },
    /// Prints a map that comes with a game.
    Show {
        /// The game.
        game: String,
        /// The map's name.
        name: String,
    },
    /// Draws a map: the same seed gives the same map for ever.
    Generate {
        /// The game.
        game: String,
        /// Seeds the drawing.
        #[arg(long, value_name = "S", default_value_t = 1)]
        seed: u64,
        /// All sides are alike: the left half mirrors the right one, or a turn changes nothing (planetwars: in
        /// the style of 2010).
        #[arg(long)]
        symmetric: bool,
        /// Cells of a row, or the highest coordinate (planetwars); by seed unless it is given.
        #[arg(long, value_name = "N")]
        width: Option<usize>,
        /// Rows; by seed unless it is given.
        #[arg(long, value_name = "N")]
        height: Option<usize>,
        /// Lighthouses, in games that have them; by seed and size unless it is given.
        #[arg(long, value_name = "N")]
        lighthouses: Option<usize>,
        /// Planets, homes included, in games that have them; by players unless it is given. With
        /// --symmetric as many below it as give everybody the same.
        #[arg(long, value_name = "N")]
        planets: Option<usize>,
        /// Players that can start on it, in games whose maps say.
        #[arg(long, value_name = "N")]
        players: Option<usize>,
    },
    /// Says whether a file is a map of a game, and if not, what is wrong where.
    Check {
        /// The game.
        game: String,
        /// The file.
        file: PathBuf,
    },
}

pub(super) fn run(verb: &Verb) -> anyhow::Result<ExitCode> {
    match verb {
        Verb::List { game } => {
            for (name, _) in with_maps(game)? {
                println!("{name}");
            }
        }
        Verb::Show { game, name } => {
            let maps = with_maps(game)?;
            let found = maps.iter().find(|(known, _)| known == name);
            let (_, text) = found.ok_or_else(|| {
                let known: Vec<&str> = maps.iter().map(|(name, _)| *name).collect();
                let known = known.join(", ");
                UsageError(format!("{game} has no map {name:?}; there are: {known}"))
            })?;
            print!("{text}");
        }
        Verb::Generate {
            game,
            seed,
            symmetric,
            width,
            height,
            lighthouses,
            planets,
            players,
        } => {
            let sizes = [
                ("width", *width),
                ("height", *height),
                ("lighthouses", *lighthouses),
                ("planets", *planets),
                ("players", *players),
            ];
            let given = |(name, size): (&str, Option<usize>)| Some((name.to_owned(), size?));
            let style = MapStyle {
                symmetric: *symmetric,
                sizes: sizes.into_iter().filter_map(given).collect(),
            };
            let drawn = drawn_maps(game)?.draw(*seed, &style);
            print!("{}", drawn.map_err(|why| UsageError(why.to_string()))?);
        }
        Verb::Check { game, file } => {
            let maps = drawn_maps(game)?;
            let shown = file.display();
            let unreadable = || format!("{shown} cannot be read");
            let bytes = std::fs::metadata(file).with_context(unreadable)?.len();
            anyhow::ensure!(
                bytes <= FILE_BYTES_MAX,
                "{shown} has {bytes} bytes; a map has at most {FILE_BYTES_MAX}"
            );
            let text = std::fs::read_to_string(file).with_context(unreadable)?;
            maps.check(&text).with_context(|| format!("{shown}"))?;
            println!("{shown} is a map of {game}");
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The game's maps, if it is played on such.
fn drawn_maps(name: &str) -> Result<&'static dyn Maps, UsageError> {
    let maps = game(name)?.maps();
    maps.ok_or_else(|| UsageError(format!("{name} has no maps")))
}

/// The maps that come with the game.
fn with_maps(name: &str) -> Result<&'static [(&'static str, &'static str)], UsageError> {
    let shipped = game(name)?.maps().map_or(&[][..], Maps::shipped);
    if shipped.is_empty() {
        return Err(UsageError(format!("{name} comes without maps")));
    }
    Ok(shipped)
}
