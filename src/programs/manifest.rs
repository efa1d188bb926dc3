//! A bot's manifest, `bot.toml`: what it is called, what it plays, how it is built and run.

mod error;

use super::copy::open_own;
use super::launch::{Launch, Protocol};
use super::name::{BotName, NAME_RULE, VERSION_RULE, is_name, is_version};
use crate::config::{TomlFile, read_toml};
use crate::link::Target;
use crate::link::program::{Confinement, ProgramLimits, ProgramSpec};
use error::LEN_MAX;
pub use error::ManifestError;
use games::Wire;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

/// The file's name, in the bot's folder.
pub const MANIFEST: &str = "bot.toml";

/// The built-in bot that answers for it unless the manifest says otherwise: every game has it.
const FALLBACK: &str = "champion";

/// The rule for command lines.
const WORDS_RULE: &str = "a list of 1 to 64 texts, the program (without .. in its path) and its arguments, such as [\"python3\", \"bot.py\"]";
/// Words of a command line at most.
const WORDS_MAX: usize = 64;
/// Variables at most.
const VARIABLES_MAX: usize = 64;
/// Keys that are about a program, and so have no meaning next to a URL.
const OF_PROGRAMS: [&str; 5] = ["run", "build", "directory", "environment", "limits"];
/// The longest word or value, in bytes.
const TEXT_LEN_MAX: usize = 4_096;

/// One limit: its key, its default, its range and its unit.
struct Limit(&'static str, u64, (u64, u64), &'static str);

const MEMORY: Limit = Limit("memory_mib", 512, (16, 65_536), "MiB");
const CPU: Limit = Limit("cpu_seconds", 3_600, (1, 31_536_000), "seconds");
const PROCESSES: Limit = Limit("processes", 64, (1, 4_096), "processes and threads");
const STDERR: Limit = Limit("stderr_kib", 64, (0, 4_096), "KiB");

/// What is written: none or empty where a key is not there, or its value is of another type.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Written {
    name: String,
    version: String,
    games: Vec<String>,
    protocol: Option<String>,
    url: Option<String>,
    run: Option<Vec<String>>,
    build: Option<Vec<String>>,
    directory: Option<String>,
    fallback: Option<String>,
    environment: BTreeMap<String, String>,
    limits: Limits,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Limits {
    memory_mib: Option<u64>,
    cpu_seconds: Option<u64>,
    processes: Option<u64>,
    stderr_kib: Option<u64>,
}

/// The file, in which mistakes are noted.
type File<'a> = TomlFile<'a, Written>;

/// A bot's manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The bot's name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The games that it plays.
    pub games: Vec<String>,
    /// What it speaks.
    pub protocol: Protocol,
    /// Where it is called, if it is no program.
    pub url: Option<Target>,
    /// The program and its arguments; none if it is called.
    pub run: Vec<String>,
    /// The program that builds it, if it needs to be built.
    pub build: Option<Vec<String>>,
    /// Where it runs, within its folder.
    pub directory: PathBuf,
    /// The built-in bot that answers when it does not.
    pub fallback: String,
    /// Whether the manifest names that one.
    pub names_fallback: bool,
    /// Variables added to its environment.
    pub environment: BTreeMap<String, String>,
    /// Memory in MiB.
    pub memory_mib: u64,
    /// CPU time in seconds.
    pub cpu_seconds: u64,
    /// Processes and threads at once.
    pub processes: u32,
    /// How much of the end of its standard error is kept, in KiB.
    pub stderr_kib: usize,
}

impl Manifest {
    /// Reads the manifest of the bot in this folder.
    ///
    /// # Errors
    /// [`ManifestError`].
    pub fn load(folder: &Path) -> Result<Self, ManifestError> {
        let path = folder.join(MANIFEST);
        let unreadable = |why| ManifestError::Unreadable {
            path: path.clone(),
            why,
        };
        // Errors show its text, which a link would fetch from anywhere.
        let file = open_own(folder, MANIFEST).map_err(unreadable)?;
        let bytes = file.metadata().map_err(unreadable)?.len();
        if bytes > LEN_MAX {
            return Err(ManifestError::TooLong { path, bytes });
        }
        let mut text = String::new();
        let read = file.take(LEN_MAX).read_to_string(&mut text);
        read.map_err(unreadable)?;
        Self::read(&path, &text)
    }

    /// Reads the text of a manifest; errors name this file.
    ///
    /// # Errors
    /// [`ManifestError`].
    pub fn read(path: &Path, text: &str) -> Result<Self, ManifestError> {
        Ok(read_toml::<Written>(path, text).checked(Self::checked)?)
    }

    /// Checks what is written; it counts only if there was no mistake.
    fn checked(written: Written, file: &mut File<'_>) -> Self {
        file.must(is_name(&written.name), "name", NAME_RULE);
        file.must(is_version(&written.version), "version", VERSION_RULE);
        let plays = has_games(file, &written.games);
        let known: &[String] = if plays { written.games.as_slice() } else { &[] };
        let protocol = protocol(file, &written, known);
        let url = match protocol {
            Some(Protocol::Http) => url(file, &written),
            Some(_) => {
                file.refuse(
                    "url",
                    "it is where a bot with protocol = \"http\" is called; this one is a program",
                );
                None
            }
            None => None,
        };
        let is_program = protocol.is_some_and(|protocol| protocol != Protocol::Http);
        let needs_run = is_program && written.url.is_none();
        let run = written.run.as_deref();
        file.must(run.map_or(!needs_run, is_command), "run", WORDS_RULE);
        let build = written.build.as_deref();
        file.must(build.is_none_or(is_command), "build", WORDS_RULE);
        let directory = written.directory.as_deref();
        let allowed = "a folder within the bot's own, such as \"src\"";
        file.must(directory.is_none_or(is_within), "directory", allowed);
        if plays {
            check_fallback(file, &written);
        }
        check_environment(file, &written.environment);
        // A list would be read as the values of its keys, in order.
        let is_section = file.is_section("limits");
        file.must(is_section, "limits", "a section, written [limits]");
        let none = Limits::default();
        let limits = if is_section { &written.limits } else { &none };
        let processes = limit(file, &PROCESSES, limits.processes);
        let stderr = limit(file, &STDERR, limits.stderr_kib);
        Self {
            memory_mib: limit(file, &MEMORY, limits.memory_mib),
            cpu_seconds: limit(file, &CPU, limits.cpu_seconds),
            processes: u32::try_from(processes).unwrap_or(u32::MAX),
            stderr_kib: usize::try_from(stderr).unwrap_or_default(),
            protocol: protocol.unwrap_or_default(),
            url,
            directory: directory.unwrap_or(".").into(),
            names_fallback: written.fallback.is_some(),
            fallback: written.fallback.unwrap_or_else(|| FALLBACK.to_owned()),
            name: written.name,
            version: written.version,
            games: written.games,
            run: written.run.unwrap_or_default(),
            build: written.build,
            environment: written.environment,
        }
    }

    /// What the bot is started from, with its folder at this place; what it may read besides that, the files and
    /// folders that it must not read, and the folders that are hidden from it.
    #[must_use]
    pub fn launch(
        &self,
        folder: &Path,
        read: &[PathBuf],
        kept: &[PathBuf],
        hidden: &[PathBuf],
    ) -> Launch {
        let mut confinement = Confinement::new(&self.program(folder), folder, read, kept);
        confinement.hidden.extend_from_slice(hidden);
        Launch {
            name: self.name.clone(),
            version: self.version.clone(),
            games: self.games.clone(),
            protocol: self.protocol,
            url: self.url.clone(),
            argv: self.run.clone(),
            directory: folder.join(&self.directory),
            environment: self.environment.clone(),
            limits: ProgramLimits {
                memory: Some(self.memory_mib << 20),
                cpu_seconds: Some(self.cpu_seconds),
                cgroup: None,
                processes: Some(self.processes),
                confinement: Some(confinement),
                together: true,
                nice: 0,
            },
            stderr_kept: self.stderr_kib << 10,
            fallback: self.fallback.clone(),
            names_fallback: self.names_fallback,
        }
    }

    /// The bot and its version.
    #[must_use]
    pub fn bot(&self) -> BotName {
        BotName {
            name: self.name.clone(),
            version: Some(self.version.clone()),
        }
    }

    /// The program that it runs, with its folder at this place.
    #[must_use]
    pub fn program(&self, folder: &Path) -> ProgramSpec {
        ProgramSpec {
            words: self.run.clone(),
            folder: Some(folder.join(&self.directory)),
            environment: self.environment.clone().into_iter().collect(),
            ..ProgramSpec::default()
        }
    }
}

/// Whether it names games, all of them known and each once.
fn has_games(file: &mut File<'_>, named: &[String]) -> bool {
    let known: Vec<&str> = games::ALL.iter().map(|kit| kit.card().name).collect();
    let allowed = format!("a list of games, each once, of: {}", known.join(", "));
    let each: BTreeSet<&str> = named.iter().map(String::as_str).collect();
    let fits = each.len() == named.len() && each.iter().all(|game| known.contains(game));
    file.must(fits && !named.is_empty(), "games", &allowed)
}

/// What it speaks: where all its games are played over pipes, that may be their own protocol. `None` if it is wrong.
fn protocol(file: &mut File<'_>, written: &Written, games: &[String]) -> Option<Protocol> {
    let over_pipes =
        |name: &str| games::find(name).is_some_and(|kit| kit.card().wire == Wire::Stdio);
    let with: Vec<&str> = games::ALL
        .iter()
        .map(|kit| kit.card().name)
        .filter(|game| over_pipes(game))
        .collect();
    let native = games.iter().all(|game| over_pipes(game));
    let allowed = format!(
        "\"neutral\", \"http\", or \"native\" where its games are all of {}",
        with.join(", ")
    );
    let mut known = [Protocol::Neutral, Protocol::Native, Protocol::Http].into_iter();
    let meant = match &written.protocol {
        None => Some(Protocol::default()),
        Some(word) => {
            known.find(|known| known.word() == word && (native || *known != Protocol::Native))
        }
    };
    let right = file.must(meant.is_some(), "protocol", &allowed);
    meant.filter(|_| right)
}

/// Where it is called; then nothing may be said of a program.
fn url(file: &mut File<'_>, written: &Written) -> Option<Target> {
    for key in OF_PROGRAMS {
        file.refuse(
            key,
            "it is about a program, which a bot with protocol = \"http\" is not: its `url`'s server sees to that",
        );
    }
    let rule = "an http URL, such as \"http://127.0.0.1:8000/bot\"";
    let parsed = written.url.as_deref().map(Target::parse).transpose();
    let allowed = match &parsed {
        Err(why) => format!("{rule}: {why}"),
        Ok(_) => rule.to_owned(),
    };
    let url = parsed.ok().flatten();
    file.must(url.is_some(), "url", &allowed);
    url
}

/// The built-in bot that answers for it is one of each of its games.
fn check_fallback(file: &mut File<'_>, written: &Written) {
    let bots = |game: &String| {
        let bots = games::find(game).map_or(&[][..], |kit| kit.card().bots);
        bots.iter().map(|card| card.name).collect::<BTreeSet<_>>()
    };
    let common = written.games.iter().map(bots);
    let common = common.reduce(|all, next| &all & &next).unwrap_or_default();
    let known: Vec<&str> = common.iter().copied().collect();
    let known = known.join(", ");
    let allowed = format!("a built-in bot of all its games, one of: {known}");
    let given = written.fallback.as_deref();
    let fits = given.is_none_or(|name| common.contains(name));
    file.must(fits, "fallback", &allowed);
}

fn check_environment(file: &mut File<'_>, variables: &BTreeMap<String, String>) {
    let allowed = format!("a section of at most {VARIABLES_MAX} texts, written [environment]");
    let fits = variables.len() <= VARIABLES_MAX;
    file.must(fits, "environment", &allowed);
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    for (name, value) in variables {
        let named = !name.is_empty() && name.bytes().all(plain) && !name.starts_with("DROVER");
        let allowed =
            "a text, with a name of letters, digits and _ that does not begin with DROVER";
        let key = format!("environment.{name}");
        file.must(named && is_text(value), &key, allowed);
    }
}

fn limit(file: &mut File<'_>, limit: &Limit, given: Option<u64>) -> u64 {
    let Limit(key, default, (min, max), unit) = limit;
    let number = given.unwrap_or(*default);
    let allowed = format!("a whole number of {unit} from {min} to {max}");
    let key = format!("limits.{key}");
    file.must((*min..=*max).contains(&number), &key, &allowed);
    number
}

/// Whether these are a program, by no way that leads up and out, and its arguments.
fn is_command(words: &[String]) -> bool {
    let names_program = |text: &String| {
        let mut parts = Path::new(text).components();
        !text.is_empty() && !parts.any(|part| part == Component::ParentDir)
    };
    words.len() <= WORDS_MAX
        && words.first().is_some_and(names_program)
        && words.iter().all(|word| is_text(word))
}

/// Whether a path stays where it begins.
fn is_within(text: &str) -> bool {
    let inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    is_text(text) && !text.is_empty() && Path::new(text).components().all(inside)
}

/// Whether a program can be given this.
fn is_text(text: &str) -> bool {
    text.len() <= TEXT_LEN_MAX && !text.contains('\0')
}

#[cfg(test)]
mod tests;
