//! `drover map`: the maps of games that are played on maps.

use super::common::{game, read_text};
use super::game_arg::GameName;
use super::usage::UsageError;
use anyhow::Context as _;
use clap::{Arg, ArgMatches, Command, FromArgMatches, Subcommand, value_parser};
use games::{MapStyle, Maps};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The largest map file read, in bytes.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// The map verbs.
#[derive(Clone, Debug, Subcommand)]
pub(super) enum Verb {
    /// List the maps that come with a game.
    List {
        /// The game.
        #[arg(value_parser = GameName::SHIPS_MAPS)]
        game: String,
    },
    /// Print a map that comes with a game.
    Show {
        /// The game.
        #[arg(value_parser = GameName::SHIPS_MAPS)]
        game: String,
        /// The map's name.
        name: String,
    },
    /// Draw a map: the same seed always gives the same map.
    Generate {
        /// The game.
        #[arg(value_parser = GameName::WITH_MAPS)]
        game: String,
        /// The seed of the drawing.
        #[arg(long, value_name = "S", default_value_t = 1)]
        seed: u64,
        /// Make all sides alike, mirrored or rotated.
        #[arg(long)]
        symmetric: bool,
        #[command(flatten)]
        sizes: Sizes,
    },
    /// Check whether a file is a map of a game; if not, say what is wrong and where.
    Check {
        /// The game.
        #[arg(value_parser = GameName::WITH_MAPS)]
        game: String,
        /// The file.
        file: PathBuf,
    },
}

/// The numbers given for a drawing: one flag for each that some game uses ([`Maps::sizes`]).
#[derive(Clone, Debug)]
pub(super) struct Sizes(Vec<(String, usize)>);

/// Each number's name, and what it means in each game.
fn known_sizes() -> BTreeMap<&'static str, Vec<String>> {
    let mut known: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for kit in games::ALL {
        for size in kit.card().maps.map_or(&[][..], Maps::sizes) {
            let what = format!("{}: {}", kit.card().name, size.description);
            known.entry(size.name).or_default().push(what);
        }
    }
    known
}

impl clap::Args for Sizes {
    fn augment_args(command: Command) -> Command {
        let flag = |(name, what): (&'static str, Vec<String>)| {
            let flag = Arg::new(name).long(name).value_name("N");
            flag.value_parser(value_parser!(usize)).help(what.join(" "))
        };
        command.args(known_sizes().into_iter().map(flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Sizes {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |name: &'static str| Some((name.to_owned(), *matches.get_one(name)?));
        Ok(Self(known_sizes().into_keys().filter_map(given).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

pub(super) fn run(verb: &Verb) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match verb {
        Verb::List { game } => {
            for (name, _) in with_maps(game)? {
                writeln!(out, "{name}")?;
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
            write!(out, "{text}")?;
        }
        Verb::Generate {
            game,
            seed,
            symmetric,
            sizes,
        } => {
            let style = MapStyle {
                symmetric: *symmetric,
                sizes: sizes.0.clone(),
            };
            let drawn = drawn_maps(game)?.draw(*seed, &style);
            let drawn = drawn.map_err(|why| UsageError(why.to_string()))?;
            write!(out, "{drawn}")?;
        }
        Verb::Check { game, file } => {
            let maps = drawn_maps(game)?;
            let shown = file.display();
            let text = map_text(file)?;
            maps.check(&text).with_context(|| format!("{shown}"))?;
            writeln!(out, "{shown} is a map of {game}")?;
        }
    }
    Ok(())
}

/// The text of a map file.
///
/// # Errors
/// If it cannot be read, or is too long for a map.
pub(super) fn map_text(file: &Path) -> Result<String, UsageError> {
    read_text(file, "a map", FILE_BYTES_MAX)
}

/// The game's maps, if it has any.
fn drawn_maps(name: &str) -> Result<&'static dyn Maps, UsageError> {
    let maps = game(name)?.card().maps;
    maps.ok_or_else(|| UsageError(format!("{name} has no maps")))
}

/// The maps that come with the game.
fn with_maps(name: &str) -> Result<&'static [(&'static str, &'static str)], UsageError> {
    let shipped = game(name)?.card().maps.map_or(&[][..], Maps::shipped);
    if shipped.is_empty() {
        return Err(UsageError(format!("{name} comes without maps")));
    }
    Ok(shipped)
}
