//! A bot's manifest, `bot.toml`: what it is called, what it plays, how it is built and run.

mod section;

use super::copy::open_own;
use super::launch::{Launch, Protocol};
use super::name::{NAME_RULE, VERSION_RULE, is_name, is_version};
use crate::config::Lines;
use crate::link::Target;
use crate::link::program::{Confinement, ProgramLimits, ProgramSpec};
use games::Wire;
use section::{Limit, Section, is_text};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The file's name, in the bot's folder.
pub const MANIFEST: &str = "bot.toml";
/// The longest manifest, in bytes.
const LEN_MAX: u64 = 64 << 10;
/// Words of a command line at most.
const WORDS_MAX: usize = 64;
/// Variables at most.
const VARIABLES_MAX: usize = 64;
/// The built-in bot that answers for it unless the manifest says otherwise: every game has it.
const FALLBACK: &str = "champion";

/// The keys at the top, and what each may be.
const KEYS: &[&str] = &[
    "name",
    "version",
    "games",
    "protocol",
    "url",
    "run",
    "build",
    "directory",
    "fallback",
    "environment",
    "limits",
];

/// Keys that are gone, and why.
const GONE: &[(&str, &str)] = &[(
    "instances",
    "a program is started for each match, as one that has played others would know their deals and their players; remove \
     the line",
)];

/// Those that are about a program, and so have no meaning beside a URL.
const OF_PROGRAMS: &[&str] = &["run", "build", "directory", "environment", "limits"];

const MEMORY: Limit = Limit("memory_mib", 512, (16, 65_536), "MiB");
const CPU: Limit = Limit("cpu_seconds", 3_600, (1, 31_536_000), "seconds");
const PROCESSES: Limit = Limit("processes", 64, (1, 4_096), "processes and threads");
const STDERR: Limit = Limit("stderr_kib", 64, (0, 4_096), "KiB");
const LIMITS: &[&Limit] = &[&MEMORY, &CPU, &PROCESSES, &STDERR];

/// Why a manifest cannot be used: what, where, and what is allowed.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// The file is missing or unreadable.
    #[error("{} cannot be read: {why}{}", path.display(), found_by(why))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        why: std::io::Error,
    },
    /// The file is longer than any manifest needs to be.
    #[error("{} has {bytes} bytes; a manifest has at most {LEN_MAX}", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
    },
    /// It is not TOML.
    #[error("{origin}: this is not TOML: {why}")]
    Syntax {
        /// The file and line.
        origin: String,
        /// The parser's reason.
        why: String,
    },
    /// A key that does not exist.
    #[error("{origin}: there is no key `{key}`; there are: {known}")]
    UnknownKey {
        /// The file and line.
        origin: String,
        /// The key, dotted.
        key: String,
        /// Those that exist there.
        known: String,
    },
    /// A key that was there once.
    #[error("{origin}: the key `{key}` is gone: {why}")]
    Gone {
        /// The file and line.
        origin: String,
        /// The key.
        key: &'static str,
        /// Why, and what to do.
        why: &'static str,
    },
    /// A key that must be there is not.
    #[error("{}: `{key}` is missing; it must be {allowed}", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// The key.
        key: &'static str,
        /// What is allowed.
        allowed: String,
    },
    /// A key that has no meaning beside another one.
    #[error("{origin}: `{key}` {why}")]
    Misplaced {
        /// The file and line.
        origin: String,
        /// The key.
        key: &'static str,
        /// Why it has none.
        why: String,
    },
    /// A value of the wrong type or outside its range.
    #[error("{origin}: `{key}` is {value}, but must be {allowed}")]
    BadValue {
        /// The file and line.
        origin: String,
        /// The key, dotted.
        key: String,
        /// The value as written.
        value: String,
        /// What is allowed.
        allowed: String,
    },
}

/// How a manifest that is not there is found.
fn found_by(why: &std::io::Error) -> &'static str {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    match why.kind() {
        NotFound | NotADirectory => {
            "; a bot is a folder with a bot.toml, such as drover bot new writes"
        }
        _ => "",
    }
}

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
    pub fn of(folder: &Path) -> Result<Self, ManifestError> {
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
        let lines = Lines::of(path, text);
        let table = DeTable::parse(text).map_err(|error| ManifestError::Syntax {
            origin: lines.place(error.span().map_or(0, |span| span.start)),
            why: error.message().trim().to_owned(),
        })?;
        let top = Section::of(path, &lines, "", table.get_ref(), KEYS)?;
        let known: Vec<&str> = LIMITS.iter().map(|limit| limit.0).collect();
        let limits = top.section("limits", &known)?;
        let number = |limit: &Limit| match &limits {
            Some(limits) => limits.whole(limit),
            None => Ok(limit.1),
        };
        let games = top.games()?;
        let protocol = top.protocol(&games)?;
        let url = top.url(protocol)?;
        let run = top.words("run")?;
        let allowed = "a folder within the bot's own, such as \"src\"";
        let directory = top.text("directory", allowed, is_within)?;
        let fallback = top.fallback(&games)?;
        Ok(Self {
            name: top.needed("name", NAME_RULE, is_name)?,
            version: top.needed("version", VERSION_RULE, is_version)?,
            run: match run {
                None if url.is_none() => return Err(top.missing("run", WORDS_RULE)),
                run => run.unwrap_or_default(),
            },
            url,
            build: top.words("build")?,
            directory: directory.unwrap_or_else(|| ".".to_owned()).into(),
            names_fallback: fallback.is_some(),
            fallback: fallback.unwrap_or_else(|| FALLBACK.to_owned()),
            environment: top.environment()?,
            protocol,
            games,
            memory_mib: number(&MEMORY)?.unsigned_abs(),
            cpu_seconds: number(&CPU)?.unsigned_abs(),
            processes: u32::try_from(number(&PROCESSES)?).unwrap_or(u32::MAX),
            stderr_kib: usize::try_from(number(&STDERR)?).unwrap_or_default(),
        })
    }

    /// What the bot is started from, with its folder at this place; what it may read beside that, the files and
    /// folders that it must not read, and the folders that are hidden from it.
    #[must_use]
    pub fn launch(
        &self,
        folder: &Path,
        read: &[PathBuf],
        kept: &[PathBuf],
        hidden: &[PathBuf],
    ) -> Launch {
        let mut confinement = Confinement::of(&self.program(folder), folder, read, kept);
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

const WORDS_RULE: &str = "a list of 1 to 64 texts, the program (without .. in its path) and its arguments, such as [\"python3\", \"bot.py\"]";

/// Whether a path stays where it begins.
fn is_within(text: &str) -> bool {
    let inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    is_text(text) && !text.is_empty() && Path::new(text).components().all(inside)
}

/// Whether this names a program, and none by a way that leads up and out.
fn is_program(text: &str) -> bool {
    let mut parts = Path::new(text).components();
    !text.is_empty() && !parts.any(|part| part == Component::ParentDir)
}

impl<'a> Section<'a> {
    fn words(&self, key: &str) -> Result<Option<Vec<String>>, ManifestError> {
        let words = self.list(key, WORDS_RULE, WORDS_MAX)?;
        match (&words, self.get(key)) {
            (Some(words), Some(value)) if words.first().is_some_and(|name| !is_program(name)) => {
                Err(self.bad(key, value, WORDS_RULE))
            }
            _ => Ok(words),
        }
    }

    fn games(&self) -> Result<Vec<String>, ManifestError> {
        let known: Vec<&str> = games::ALL.iter().map(|kit| kit.game()).collect();
        let allowed = format!("a list of games, each once, of: {}", known.join(", "));
        let games = self.list("games", &allowed, known.len())?;
        let games = games.ok_or_else(|| self.missing("games", &allowed))?;
        let mut seen = BTreeSet::new();
        let fits = |game: &String| known.contains(&game.as_str()) && seen.insert(game.clone());
        match self.get("games") {
            Some(value) if !games.iter().all(fits) => Err(self.bad("games", value, &allowed)),
            _ => Ok(games),
        }
    }

    /// What it speaks: where all its games are played over pipes, that may be their own protocol.
    fn protocol(&self, games: &[String]) -> Result<Protocol, ManifestError> {
        let over_pipes =
            |name: &str| games::find(name).is_some_and(|kit| kit.wire() == Wire::Stdio);
        let with: Vec<&str> = games::ALL
            .iter()
            .map(|kit| kit.game())
            .filter(|game| over_pipes(game))
            .collect();
        let native = games.iter().all(|game| over_pipes(game));
        let allowed = format!(
            "\"neutral\", \"http\", or \"native\" where its games are all of {}",
            with.join(", ")
        );
        let known = [Protocol::Neutral, Protocol::Native, Protocol::Http];
        let meant = |text: &str| {
            let fits = |known: &Protocol| *known != Protocol::Native || native;
            let mut known = known.into_iter().filter(fits);
            known.find(|known| known.word() == text)
        };
        let given = self.text("protocol", &allowed, |text| meant(text).is_some())?;
        Ok(given.and_then(|text| meant(&text)).unwrap_or_default())
    }

    /// Where it is called, if it is; then nothing may be said of a program.
    fn url(&self, protocol: Protocol) -> Result<Option<Target>, ManifestError> {
        if protocol != Protocol::Http {
            let why = "is where a bot with protocol = \"http\" is called; this one is a program";
            return self.none_of(&["url"], why).map(|()| None);
        }
        let why = "is about a program, which a bot with protocol = \"http\" is not: whoever serves its `url` sees to \
                   that";
        self.none_of(OF_PROGRAMS, why)?;
        let parsed = |text: &str| Target::parse(text);
        let why = match self.get("url").map(|value| value.get_ref()) {
            Some(DeValue::String(text)) => parsed(text).err().map(|why| why.to_string()),
            _ => None,
        };
        let rule = "an http URL, such as \"http://127.0.0.1:8000/bot\"";
        let allowed = why.map_or_else(|| rule.to_owned(), |why| format!("{rule}: {why}"));
        let text = self.needed("url", &allowed, |text| parsed(text).is_ok())?;
        Ok(parsed(&text).ok())
    }

    /// The built-in bot that answers for it: one of each of its games.
    fn fallback(&self, games: &[String]) -> Result<Option<String>, ManifestError> {
        let bots = |game: &String| {
            let bots = games::find(game).map_or(&[][..], |kit| kit.bots());
            bots.iter().map(|card| card.name).collect::<BTreeSet<_>>()
        };
        let common = games.iter().map(bots).reduce(|all, next| &all & &next);
        let common = common.unwrap_or_default();
        let known: Vec<&str> = common.iter().copied().collect();
        let allowed = format!(
            "a built-in bot of all its games, one of: {}",
            known.join(", ")
        );
        self.text("fallback", &allowed, |text| common.contains(text))
    }

    fn environment(&self) -> Result<BTreeMap<String, String>, ManifestError> {
        let known = self.get("environment").map(Spanned::get_ref);
        let names: Vec<&str> = match known {
            Some(DeValue::Table(table)) => table.keys().map(|name| &**name.get_ref()).collect(),
            _ => Vec::new(),
        };
        let Some(section) = self.section("environment", &names)? else {
            return Ok(BTreeMap::new());
        };
        let allowed = format!(
            "a text; variables are at most {VARIABLES_MAX}, with names of letters, digits and _ that do not \
             begin with DROVER"
        );
        let fits = |name: &str| {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
            !name.is_empty() && name.bytes().all(plain) && !name.starts_with("DROVER")
        };
        let mut variables = BTreeMap::new();
        for (name, value) in section.table {
            let name = name.get_ref().to_string();
            match value.get_ref() {
                DeValue::String(text)
                    if is_text(text) && fits(&name) && variables.len() < VARIABLES_MAX =>
                {
                    variables.insert(name, text.to_string());
                }
                _ => return Err(section.bad(&name, value, &allowed)),
            }
        }
        Ok(variables)
    }
}

#[cfg(test)]
mod tests;
