//! `drover shim`: the program that a foreign arbiter starts as its player.

use super::common::{game, notify};
use super::game_arg::GameName;
use super::usage::refuse;
use crate::link::relay;
use crate::referee::budget::ThinkBudget;
use crate::shim::{ShimOptions, Thinking, UnixPort, run as play};
use anyhow::Context as _;
use games::Wire;
use games::neutral::{BUILT_IN, PREFIX};
use std::ffi::{OsStr, OsString};
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The default bot.
const BOT: &str = "champion";
/// The prefix that marks a link to this executable as a shim.
const LINK_PREFIX: &str = "drover-";

/// Plays for an arbiter that starts its players as programs: reads commands from standard input and answers
/// on standard output.
///
/// The daemon decides and stores everything; while it does not answer, the same bot plays in this process,
/// and its answers are handed over later. The same executable under the name drover-GAME, or drover-GAME-BOT,
/// is this shim without any arguments.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Args {
    /// The game.
    #[arg(value_parser = GameName::OVER_PIPES)]
    game: String,
    /// The bot that plays: a built-in one, as NAME or builtin:NAME, or bot:NAME for a program of yours. While the daemon does not answer,
    /// the game's strongest built-in bot plays for that.
    #[arg(long, value_name = "NAME", default_value = BOT)]
    bot: String,
    /// The daemon's Unix socket (its shim.socket).
    #[arg(long, value_name = "PATH", env = "DROVER_SOCKET", default_value = relay::SOCKET)]
    socket: PathBuf,
    /// Never contact a daemon: the bot plays in this process.
    #[arg(long)]
    local: bool,
    /// The name under which the daemon keeps the arbiter's matches.
    #[arg(long, value_name = "NAME", default_value = "stdio")]
    referee: String,
    /// The bot's budget per decision where it plays in this process: 200ms, 2s, or 50000n for nodes. The
    /// default is the game's.
    #[arg(long, value_name = "BUDGET")]
    budget: Option<ThinkBudget>,
}

/// The command line that a link's name stands for, if any: `drover-planowanie --local` for `drover shim
/// planowanie --local`.
pub(super) fn of_link(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let name = arguments.first().map(Path::new).and_then(Path::file_name);
    let Some(rest) = name
        .and_then(OsStr::to_str)
        .and_then(|name| name.strip_prefix(LINK_PREFIX))
    else {
        return arguments;
    };
    let found = games::ALL.iter().find_map(|kit| {
        let rest = rest.strip_prefix(kit.card().name)?;
        let bot = if rest.is_empty() {
            BOT
        } else {
            rest.strip_prefix('-')?
        };
        Some((kit.card().name, bot.to_owned()))
    });
    let Some((game, bot)) = found else {
        return arguments;
    };
    let given = arguments.split_off(1);
    arguments.extend(["shim", game].map(OsString::from));
    if !given
        .iter()
        .any(|argument| argument.to_string_lossy().starts_with("--bot"))
    {
        arguments.push(format!("--bot={bot}").into());
    }
    arguments.extend(given);
    arguments
}

pub(super) fn run(args: Args) -> anyhow::Result<()> {
    let kit = game(&args.game)?;
    if kit.card().wire != Wire::Stdio {
        let game = kit.card().name;
        return refuse(format!(
            "{game} is not played over standard input and output: there is nothing to relay"
        ));
    }
    let cards = kit.card().bots;
    let built_in = !args.bot.starts_with(PREFIX);
    let bot = args.bot.strip_prefix(BUILT_IN).unwrap_or(&args.bot);
    if built_in && !cards.iter().any(|card| card.name == bot) {
        let names: Vec<&str> = cards.iter().map(|card| card.name).collect();
        let (game, names) = (kit.card().name, names.join(", "));
        return refuse(format!(
            "{game} has no built-in bot {bot:?}; there are: {names}"
        ));
    }
    let budget = args
        .budget
        .unwrap_or(ThinkBudget::Time(kit.card().limits.budget));
    let options = ShimOptions {
        kit,
        bot: bot.to_owned(),
        referee: args.referee,
        daemon: match args.local {
            true => None,
            false => Some(Arc::new(UnixPort(args.socket))),
        },
        thinking: Thinking {
            time: budget.time().unwrap_or(kit.card().limits.budget),
            nodes: budget.nodes(),
        },
        note: |text| notify(&format!("drover shim: {text}")),
    };
    let input = BufReader::new(std::io::stdin().lock());
    let output = BufWriter::new(std::io::stdout().lock());
    play(options, input, output).context("the shim failed")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::of_link;
    use std::ffi::OsString;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn a_links_name_is_a_command_line() {
        let check = |given, expected| assert_eq!(of_link(words(given)), words(expected));
        check("drover play planowanie", "drover play planowanie");
        check("/opt/drover-demo x", "/opt/drover-demo x");
        check(
            "/opt/drover-planowanie --local",
            "/opt/drover-planowanie shim planowanie --bot=champion --local",
        );
        check(
            "drover-planowanie-pimc-50",
            "drover-planowanie-pimc-50 shim planowanie --bot=pimc-50",
        );
        check(
            "drover-planowanie --bot rules",
            "drover-planowanie shim planowanie --bot rules",
        );
    }
}
