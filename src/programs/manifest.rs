//! A bot's manifest, `bot.toml`: what it is called, what it plays, how it is built and run.

mod error;
mod section;

use super::copy::open_own;
use super::launch::{Launch, Protocol};
use super::name::{BotName, NAME_RULE, VERSION_RULE, is_name, is_version};
use crate::config::{Lines, Mistakes};
use crate::link::Target;
use crate::link::program::{Confinement, ProgramLimits, ProgramSpec};
use error::LEN_MAX;
pub use error::ManifestError;
use section::{Limit, Section, WORDS_RULE, is_text};
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};
use toml::de::DeTable;

/// The file's name, in the bot's folder.
pub const MANIFEST: &str = "bot.toml";

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

const MEMORY: Limit = Limit("memory_mib", 512, (16, 65_536), "MiB");
const CPU: Limit = Limit("cpu_seconds", 3_600, (1, 31_536_000), "seconds");
const PROCESSES: Limit = Limit("processes", 64, (1, 4_096), "processes and threads");
const STDERR: Limit = Limit("stderr_kib", 64, (0, 4_096), "KiB");
const LIMITS: &[&Limit] = &[&MEMORY, &CPU, &PROCESSES, &STDERR];

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
        let lines = Lines::new(path, text);
        let mut mistakes = Mistakes::default();
        let (table, errors) = DeTable::parse_recoverable(text);
        for error in errors {
            mistakes.add(ManifestError::Syntax {
                origin: lines.place(error.span().map_or(0, |span| span.start)),
                why: error.message().trim().to_owned(),
            });
        }
        // What broken lines leave would look like further mistakes.
        mistakes.into_result(ManifestError::Several)?;
        let top = Section::from_table(path, &lines, "", table.get_ref());
        Self::from_top(&top)
    }

    /// Reads the table of the whole file.
    fn from_top(top: &Section<'_>) -> Result<Self, ManifestError> {
        let mut mistakes = Mistakes::default();
        top.unknown(KEYS).for_each(|mistake| mistakes.add(mistake));
        let name = mistakes.note(top.needed("name", NAME_RULE, is_name));
        let version = mistakes.note(top.needed("version", VERSION_RULE, is_version));
        let games = mistakes.note(top.games());
        let protocol = mistakes.note(top.protocol(games.as_deref().unwrap_or_default()));
        let url = protocol.and_then(|protocol| mistakes.note(top.url(protocol)));
        let run = mistakes.note(top.words("run"));
        if let (Some(None), Some(None)) = (&url, &run) {
            mistakes.add(top.missing("run", WORDS_RULE));
        }
        let build = mistakes.note(top.words("build")).flatten();
        let allowed = "a folder within the bot's own, such as \"src\"";
        let directory = mistakes.note(top.text("directory", allowed, is_within));
        let fallback = games.as_deref().map(|games| top.fallback(games));
        let fallback = fallback.and_then(|read| mistakes.note(read)).flatten();
        let environment = mistakes.note(top.environment()).unwrap_or_default();
        let limits = mistakes.note(top.section("limits")).flatten();
        if let Some(limits) = &limits {
            let known: Vec<&str> = LIMITS.iter().map(|limit| limit.0).collect();
            limits
                .unknown(&known)
                .for_each(|mistake| mistakes.add(mistake));
        }
        let mut number = |limit: &Limit| match &limits {
            Some(limits) => mistakes.note(limits.whole(limit)).unwrap_or_default(),
            None => limit.1,
        };
        let (memory, cpu) = (number(&MEMORY), number(&CPU));
        let (processes, stderr) = (number(&PROCESSES), number(&STDERR));
        // From here on nothing is missing.
        mistakes.into_result(ManifestError::Several)?;
        Ok(Self {
            name: name.unwrap_or_default(),
            version: version.unwrap_or_default(),
            games: games.unwrap_or_default(),
            protocol: protocol.unwrap_or_default(),
            url: url.flatten(),
            run: run.flatten().unwrap_or_default(),
            build,
            directory: directory.flatten().unwrap_or_else(|| ".".to_owned()).into(),
            names_fallback: fallback.is_some(),
            fallback: fallback.unwrap_or_else(|| FALLBACK.to_owned()),
            environment,
            memory_mib: memory.unsigned_abs(),
            cpu_seconds: cpu.unsigned_abs(),
            processes: u32::try_from(processes).unwrap_or(u32::MAX),
            stderr_kib: usize::try_from(stderr).unwrap_or_default(),
        })
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

/// Whether a path stays where it begins.
fn is_within(text: &str) -> bool {
    let inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    is_text(text) && !text.is_empty() && Path::new(text).components().all(inside)
}

#[cfg(test)]
mod tests;
