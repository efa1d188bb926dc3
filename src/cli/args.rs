//! The command line as a whole, and how its verbs end.

use super::common::{Common, notify, on_all_cores};
use super::play_args::PlayArgs;
use super::referee_args::RefereeArgs;
use super::usage::{USAGE, UsageError};
use super::{
    bot, completions, configure, database, drain, health, manual, map, matches, open_files,
    openapi, play, practice, program_guard, rate, referee, serve, shim, systemd, token, tournament,
    train, worker, wrong_line,
};
use crate::config::ConfigError;
use crate::link::program::VERB;
use crate::logs;
use crate::programs::ShelfError;
use crate::store::StoreError;
use clap::{CommandFactory as _, Parser, Subcommand};
use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

/// Hosts many game bots behind one service, referees their games and keeps every match.
#[derive(Debug, Parser)]
#[command(
    name = "drover",
    version = env!("DROVER_VERSION"),
    arg_required_else_help = true,
    max_term_width = 100
)]
pub(super) struct Cli {
    #[command(flatten)]
    pub(super) common: Common,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Run the daemon: callbacks, REST interface, and our referees if configured.
    Serve(serve::Args),
    /// Play matches on this machine and summarise them.
    Play(Box<PlayArgs>),
    /// Play a bot of yours against the built-in bot that is a little stronger, and say how strong it is.
    Practice(practice::Args),
    /// Run a game's referee for players from elsewhere.
    Referee(Box<RefereeArgs>),
    /// Play for an arbiter that starts its players as programs.
    Shim(shim::Args),
    /// Check whether a running daemon is healthy: exit code 0 or 1.
    Health(health::Args),
    /// Ask a running daemon to stop once its matches have ended.
    Drain(drain::Args),
    /// Create, list and revoke the tokens of a running daemon's REST interface.
    Token(token::Args),
    /// Bring your own bots: write, check, add, list and remove them.
    #[command(subcommand)]
    Bot(bot::Verb),
    /// Check, show or write a configuration.
    #[command(subcommand)]
    Config(configure::Verb),
    /// Migrate the database to this version, back it up, verify it, salvage it.
    Db(database::Args),
    /// List, show, export, replay and verify stored matches.
    Match(matches::Args),
    /// Print the systemd units for this executable.
    Systemd(systemd::Args),
    /// Print the OpenAPI document of the REST interface.
    Openapi,
    /// Print shell completions.
    Completions(completions::Args),
    /// Write the manual pages.
    #[command(hide = true)]
    Manual(manual::Args),
    /// Train a game's data by self-play.
    Train(train::Args),
    /// Rate players by a file of results.
    Rate(rate::Args),
    /// List, show, draw and check maps.
    #[command(subcommand)]
    Map(map::Verb),
    /// Play tournaments, and show their results.
    #[command(subcommand)]
    Tournament(tournament::Verb),
    /// Play planned matches of the tournaments of a server's database (drover tournament run --workers).
    ///
    /// Any number of workers may share them. SIGTERM ends one, and gives back what it has not ended; the matches of one
    /// that dies are played by others some seconds later.
    Worker(worker::Args),
}

/// Runs a command line; its first word is the name under which the program was started.
///
/// Errors in the command line are printed and end the process with exit code 2.
#[must_use]
pub fn run(arguments: Vec<OsString>) -> ExitCode {
    // Programs wait for it: it is distinguished before the other verbs are known.
    let performed = match arguments.get(1) {
        Some(verb) if verb == VERB => program_guard::run(arguments),
        _ => match Cli::try_parse_from(shim::of_link(arguments)) {
            Ok(cli) => perform(cli),
            Err(error) => return wrong_line::report(error),
        },
    };
    let code = ended(performed);
    logs::flush();
    code
}

/// The exit code; an error is reported.
fn ended(performed: anyhow::Result<ExitCode>) -> ExitCode {
    match performed {
        Ok(code) => code,
        Err(error) if broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            notify(&without_numbers(format!("drover: {error:#}")));
            if is_usage(&error) {
                ExitCode::from(USAGE)
            } else {
                ExitCode::FAILURE
            }
        }
    }
}

/// The words of the system alone: without ` (os error 2)`.
fn without_numbers(mut text: String) -> String {
    const BEGIN: &str = " (os error ";
    while let Some(at) = text.find(BEGIN) {
        let end = text.get(at..).and_then(|rest| rest.find(')'));
        text.replace_range(at..end.map_or(text.len(), |end| at + end + 1), "");
    }
    text
}

/// Whether the command line is wrong, or a file that it names: a configuration, a bot's manifest, a database that is not there.
fn is_usage(error: &anyhow::Error) -> bool {
    let shelf = error.downcast_ref::<ShelfError>();
    let store = error.downcast_ref::<StoreError>();
    error.is::<ConfigError>()
        || error.is::<UsageError>()
        || matches!(shelf, Some(ShelfError::Manifest(_)))
        || matches!(store, Some(StoreError::Missing { .. }))
}

fn perform(cli: Cli) -> anyhow::Result<ExitCode> {
    let common = cli.common;
    open_files::raise();
    match cli.verb {
        Verb::Health(args) => return health::run(&common, &args),
        Verb::Db(args) => return on_all_cores(database::run(&common, &args)),
        Verb::Match(args) => return on_all_cores(matches::run(&common, &args)),
        Verb::Serve(args) => serve::run(&common, &args)?,
        Verb::Play(args) => return on_all_cores(play::run(&common, *args)),
        Verb::Practice(args) => return on_all_cores(practice::run(&common, args)),
        Verb::Referee(args) => referee::run(&common, *args)?,
        Verb::Shim(args) => shim::run(args)?,
        Verb::Drain(args) => drain::run(&common, &args)?,
        Verb::Token(args) => token::run(&common, &args)?,
        Verb::Bot(verb) => return bot::run(&common, &verb),
        Verb::Config(verb) => configure::run(&common, &verb)?,
        Verb::Systemd(args) => systemd::run(&args)?,
        Verb::Train(args) => train::run(&args)?,
        Verb::Rate(args) => rate::run(&args)?,
        Verb::Map(verb) => map::run(&verb)?,
        Verb::Tournament(verb) => return tournament::run(&common, verb),
        Verb::Worker(args) => worker::run(&common, args)?,
        Verb::Openapi => openapi::run()?,
        Verb::Manual(args) => manual::run(&args, Cli::command())?,
        Verb::Completions(args) => completions::run(&args, &mut Cli::command())?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether the reader of our output has gone away, which is not our failure.
fn broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        // It hides the error that it comes from.
        let json = || cause.downcast_ref::<serde_json::Error>()?.io_error_kind();
        io.or_else(json) == Some(io::ErrorKind::BrokenPipe)
    })
}

#[cfg(test)]
mod tests {
    use super::{Cli, broken_pipe, without_numbers};
    use anyhow::Context as _;
    use clap::CommandFactory as _;
    use std::io::Write as _;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_systems_numbers_are_left_out() {
        let why = std::io::Error::from_raw_os_error(2);
        let said = without_numbers(format!("x: {why}; y: {why}"));
        assert_eq!(
            said,
            "x: No such file or directory; y: No such file or directory"
        );
    }

    #[test]
    fn a_reader_that_has_gone_is_known_by_any_error() {
        let (reader, mut closed) = std::io::pipe().unwrap();
        drop(reader);
        let written = closed.write_all(b"x").context("a list");
        assert!(broken_pipe(&written.unwrap_err()));
        let written = serde_json::to_writer(&closed, "x").context("an export");
        assert!(broken_pipe(&written.unwrap_err()));
        let other = serde_json::from_str::<u8>("x").context("a row");
        assert!(!broken_pipe(&other.unwrap_err()));
    }
}
