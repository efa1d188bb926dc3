//! `drover bot new|check|compare|add|list|remove|protections|schema`: users' own bots on the shelf. A daemon that runs finds what changes there.

use super::common::{Common, game, notify, on_all_cores};
use super::game_arg::GameName;
use super::output::{Format, short_time, write_rows};
use super::usage::UsageError;
use super::{bot_check, bot_compare};
use crate::config::{Config, Flags};
use crate::programs::{Added, BotName, Kept, Language, NAME_RULE, Shelf, is_name, protections_of};
use anyhow::Context as _;
use games::Wire;
use games::text::counted;
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tokio_util::sync::CancellationToken;

#[derive(Debug, clap::Subcommand)]
pub(super) enum Verb {
    /// Write a starter: a small bot that works at once, in a new folder of its name.
    New {
        /// The bot's name, and that of the folder.
        #[arg(default_value = "mybot", value_parser = name)]
        name: String,
        /// The language: python, javascript, go, java, cpp or rust.
        #[arg(long, value_name = "LANGUAGE", default_value = "python")]
        lang: String,
        /// A game that it plays; may be given more than once.
        #[arg(long, required = true, value_parser = GameName::ALL)]
        game: Vec<String>,
    },
    /// Play a set script of each of its games with the bot in a folder, in good and bad weather, and say what to
    /// fix: exit code 0 if there is nothing.
    Check {
        /// The bot's folder.
        folder: PathBuf,
        /// The output format.
        #[arg(long, value_enum, default_value_t)]
        output: Format,
    },
    Compare(bot_compare::Args),
    /// Add the bot in a folder: copy the folder and build it, under the name and version of its bot.toml.
    Add {
        /// The bot's folder.
        folder: PathBuf,
    },
    /// List the bots that were added, each version apart; the last one of a bot is meant by its name alone.
    List {
        /// The output format.
        #[arg(long, value_enum, default_value_t)]
        output: Format,
        /// The same as --output json.
        #[arg(long, conflicts_with = "output")]
        json: bool,
    },
    /// Remove a bot, or one version of it.
    Remove {
        /// NAME for all its versions, NAME@VERSION for one.
        bot: BotName,
    },
    /// Say which protections from users' programs hold on this machine.
    Protections,
    /// Print the JSON Schema of the messages between Drover and a bot of this game.
    Schema {
        /// The game.
        #[arg(value_parser = GameName::ALL)]
        game: String,
    },
}

pub(super) fn run(common: &Common, verb: &Verb) -> anyhow::Result<ExitCode> {
    let mut out = std::io::stdout().lock();
    match verb {
        Verb::New { name, lang, game } => new(name, lang, game, &mut out)?,
        Verb::Check { folder, output } => {
            let config = common.load(&Flags::new())?.config;
            return bot_check::run(&config, folder, *output, &mut out);
        }
        Verb::Compare(args) => return on_all_cores(bot_compare::run(common, args, &mut out)),
        Verb::Protections => {
            for protection in protections_of(&common.load(&Flags::new())?.config) {
                let name = &protection.name;
                match protection.missing {
                    None => writeln!(out, "{name}: holds")?,
                    Some(why) => writeln!(out, "{name}: missing: {why}")?,
                }
            }
            writeln!(
                out,
                "held back nowhere: signs that two bots of one match agree on, a few bits a second, by locks on files \
                 that both may read and by load"
            )?;
        }
        Verb::Add { folder } => add(&common.load(&Flags::new())?.config, folder, &mut out)?,
        Verb::List { output, json } => {
            let output = if *json { Format::Json } else { *output };
            list(&common.load(&Flags::new())?.config, output, &mut out)?;
        }
        Verb::Remove { bot } => {
            let shelf = Shelf::from_config(&common.load(&Flags::new())?.config);
            for version in shelf.remove(bot)? {
                writeln!(out, "{}@{version} is removed", bot.name)?;
            }
        }
        Verb::Schema { game: name } => {
            let schema = games::schema(game(name)?.card().name);
            serde_json::to_writer_pretty(&mut out, &schema)?;
            writeln!(out)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn list(config: &Config, output: Format, out: &mut impl std::io::Write) -> anyhow::Result<()> {
    let all = Shelf::from_config(config).all()?;
    let rows: Vec<Vec<String>> = all.iter().map(|kept| cells(kept, output)).collect();
    let whole = all.iter().map(|kept| described(config, kept));
    let whole = json!({ "items": whole.collect::<Vec<Value>>() });
    write_rows(&mut *out, output, &HEADINGS, &rows, &whole)?;
    if all.is_empty() && output == Format::Table {
        let shelf = Shelf::from_config(config);
        let folder = shelf.folder().display();
        notify(&format!(
            "no bot is on the shelf {folder}: drover bot add FOLDER adds one"
        ));
    }
    let mut played = all.iter().filter_map(|kept| kept.manifest.as_ref().ok());
    let called = played.find_map(|manifest| called_at(config, &manifest.games, "NAME"));
    if let (Format::Table, Some(url)) = (output, called) {
        writeln!(out, "{}", calls("a bot", &url))?;
    }
    Ok(())
}

/// Where referees call a bot that plays these games, by this configuration; `None` if none of them is played over
/// callbacks. A secret in the path is not shown.
fn called_at(config: &Config, games: &[String], bot: &str) -> Option<String> {
    let game = games::met_by(Wire::Callbacks)?.card().name;
    if !games.iter().any(|played| played == game) {
        return None;
    }
    let callbacks = &config.callbacks;
    let place = match callbacks.listen.ip().is_unspecified() {
        true => format!("YOUR-HOST:{}", callbacks.listen.port()),
        false => callbacks.listen.to_string(),
    };
    let secret = callbacks.secret_path.reveal().map(|_| "/SECRET-PATH");
    let secret = secret.unwrap_or_default();
    Some(format!("http://{place}{secret}/{game}/bot:{bot}"))
}

/// Whether the configuration says all of that address, so that programs may use it.
fn is_known(config: &Config) -> bool {
    let callbacks = &config.callbacks;
    !callbacks.listen.ip().is_unspecified() && callbacks.secret_path.reveal().is_none()
}

fn calls(whom: &str, url: &str) -> String {
    format!("while drover serve runs, referees call {whom} at {url}")
}

fn name(text: &str) -> Result<String, String> {
    match is_name(text) {
        true => Ok(text.to_owned()),
        false => Err(format!("it must be {NAME_RULE}")),
    }
}

fn new(
    name: &str,
    language: &str,
    of: &[String],
    out: &mut impl std::io::Write,
) -> anyhow::Result<()> {
    let mut games: Vec<&str> = Vec::new();
    for of in of {
        let of = game(of)?.card().name;
        if !games.contains(&of) {
            games.push(of);
        }
    }
    let language = Language::find(language);
    let files = language.and_then(|language| language.starter(name, &games));
    let files = files.map_err(|why| UsageError(why.to_string()))?;
    let folder = Path::new(name);
    if folder.exists() {
        anyhow::bail!("there is already a {name} here; give the bot another name");
    }
    fs::create_dir(folder).with_context(|| format!("cannot make the folder {name}"))?;
    for (file, text) in files {
        let path = folder.join(file);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        writeln!(out, "wrote {}", path.display())?;
    }
    writeln!(out, "check it: drover bot check {name}")?;
    writeln!(out, "add it:   drover bot add {name}")?;
    Ok(())
}

fn add(config: &Config, folder: &Path, out: &mut impl std::io::Write) -> anyhow::Result<()> {
    let shelf = Shelf::from_config(config).building_until(CancellationToken::new());
    let (manifest, added) = shelf.add(folder)?;
    let bot = format!("{}@{}", manifest.name, manifest.version);
    match added {
        Added::New { files, bytes } => writeln!(
            out,
            "{bot} is added: {files} files and folders, {}",
            counted(bytes, "byte")
        )?,
        Added::Again => writeln!(out, "{bot} was there already, with the same content")?,
    }
    writeln!(out, "it plays as bot:{}", manifest.name)?;
    if let Some(url) = called_at(config, &manifest.games, &manifest.name) {
        writeln!(out, "{}", calls("it", &url))?;
    }
    if let Some(url) = &manifest.url {
        // Nothing of it runs here: there is nothing to protect from.
        writeln!(out, "it is called at {url}")?;
        return Ok(());
    }
    // Once: `bot protections` says it whenever it is wanted.
    let is_first = shelf.all()?.len() == 1;
    let missing = protections_of(config).into_iter();
    let missing = missing.filter(|protection| protection.missing.is_some());
    let missing: Vec<String> = missing.map(|protection| protection.name).collect();
    if is_first && !missing.is_empty() {
        writeln!(
            out,
            "not protected on this machine, which matters with strangers' bots: {}; see drover bot protections, and \
             \"What its program may do\" in docs/your-first-bot.md (memory: bots.cgroup)",
            missing.join(", ")
        )?;
    }
    Ok(())
}

const HEADINGS: [&str; 6] = ["bot", "version", "last", "games", "added", "fault"];

fn cells(kept: &Kept, output: Format) -> Vec<String> {
    let (games, fault) = match &kept.manifest {
        Ok(manifest) => (manifest.games.join(" "), String::new()),
        Err(why) => (String::new(), why.to_string()),
    };
    vec![
        kept.name.clone(),
        kept.version.version.clone(),
        if kept.is_last { "yes" } else { "" }.to_owned(),
        games,
        match output {
            Format::Table => short_time(kept.version.added_us),
            _ => time(kept).unwrap_or_default(),
        },
        fault,
    ]
}

fn described(config: &Config, kept: &Kept) -> Value {
    let manifest = kept.manifest.as_ref().ok();
    json!({
        "bot": kept.name,
        "version": kept.version.version,
        "last": kept.is_last,
        "games": manifest.map(|manifest| &manifest.games),
        "protocol": manifest.map(|manifest| manifest.protocol.word()),
        "called_at": manifest.and_then(|manifest| called_at(config, &manifest.games, &kept.name)).filter(|_| is_known(config)),
        "url": manifest.and_then(|manifest| manifest.url.as_ref()).map(ToString::to_string),
        "run": manifest.map(|manifest| &manifest.run).filter(|run| !run.is_empty()),
        "fallback": manifest.map(|manifest| &manifest.fallback),
        "added": time(kept),
        "digest": kept.version.digest,
        "fault": kept.manifest.as_ref().err().map(ToString::to_string),
    })
}

fn time(kept: &Kept) -> Option<String> {
    let added = jiff::Timestamp::from_microsecond(kept.version.added_us).ok()?;
    Some(added.to_string())
}

#[cfg(test)]
mod tests {
    use super::called_at;
    use crate::config::{Config, Secret};

    #[test]
    fn where_referees_call_a_bot_follows_from_the_configuration() {
        let games = |names: &[&str]| {
            names
                .iter()
                .map(|name| (*name).to_owned())
                .collect::<Vec<_>>()
        };
        let both = games(&["planowanie", "koehandel"]);
        let mut config = Config::default();
        let called = |config: &Config| called_at(config, &both, "mine").unwrap();
        assert_eq!(called(&config), "http://YOUR-HOST:8080/koehandel/bot:mine");
        config.callbacks.listen = "192.0.2.7:80".parse().unwrap();
        config.callbacks.secret_path = Secret::new("hush".to_owned());
        assert_eq!(
            called(&config),
            "http://192.0.2.7:80/SECRET-PATH/koehandel/bot:mine"
        );
        assert_eq!(called_at(&config, &games(&["planowanie"]), "mine"), None);
    }
}
