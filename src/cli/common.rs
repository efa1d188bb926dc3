//! The arguments common to all verbs, and how an async verb is run.

use super::usage::refuse;
use crate::cli::UsageError;
use crate::config::{self, ConfigError, Flags, Loaded};
use crate::logs;
use crate::plain::plain;
use crate::tournament::CONCURRENCY_MAX;
use anyhow::Context as _;
use games::Kit;
use std::fs::File;
use std::io::{Read, Write as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// The arguments common to all verbs.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Common {
    /// The configuration file; without it, the defaults and the environment apply.
    #[arg(long, global = true, env = "DROVER_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Common {
    /// Checks the configuration in effect, these further checks included.
    pub(super) fn check(&self, further: config::Further<'_>) -> Result<Loaded, ConfigError> {
        let file = self.config.as_deref();
        config::load_and(file, &environment(), &Flags::new(), further)
    }

    /// The file as a command line names it, with a blank before it; nothing if there is none.
    pub(super) fn named(&self) -> String {
        let file = self.config.as_ref().map(|file| file.to_string_lossy());
        file.map_or_else(String::new, |file| {
            format!(" --config {}", shell_words::quote(&file))
        })
    }

    /// The configuration with these flags applied.
    pub(super) fn load(&self, flags: &Flags) -> Result<Loaded, ConfigError> {
        config::load(self.config.as_deref(), &environment(), flags)
    }
}

/// The process's environment variables. Invalid Unicode is replaced, not dropped, so that a bad value for one
/// of our own is rejected rather than overlooked.
fn environment() -> config::Environment {
    let text = |part: std::ffi::OsString| part.to_string_lossy().into_owned();
    std::env::vars_os()
        .map(|(name, value)| (text(name), text(value)))
        .collect()
}

/// A line for the observer, on standard error; that nobody does is no failure.
pub fn notify(line: &str) {
    // What a program has said may be in it.
    let line = format!("{}\n", plain(line));
    let _ = match logs::is_started() {
        true => logs::Lines.write_all(line.as_bytes()),
        false => std::io::stderr().write_all(line.as_bytes()),
    };
}

/// Matches at once, as an argument.
pub(super) fn concurrency(text: &str) -> Result<NonZeroUsize, String> {
    let given = text.parse::<NonZeroUsize>().ok();
    let given = given.filter(|given| given.get() <= CONCURRENCY_MAX);
    given.ok_or_else(|| format!("it must be a number from 1 to {CONCURRENCY_MAX}"))
}

/// Runs an async verb on a new runtime.
pub(super) fn on_all_cores<T>(verb: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the async runtime")?
        .block_on(verb)
}

/// What a file holds, at most `bytes_max` bytes of it; `-` is standard input.
///
/// # Errors
/// [`UsageError`] if it cannot be read, or is longer than `what` may be.
pub(super) fn read_file(file: &Path, what: &str, bytes_max: u64) -> Result<Vec<u8>, UsageError> {
    let name = file.display();
    let unreadable = |why: std::io::Error| UsageError(format!("{name} cannot be read: {why}"));
    let source: Box<dyn Read> = match file == Path::new("-") {
        true => Box::new(std::io::stdin()),
        false => Box::new(File::open(file).map_err(unreadable)?),
    };
    let mut bytes = Vec::new();
    let mut limited = source.take(bytes_max + 1);
    limited.read_to_end(&mut bytes).map_err(unreadable)?;
    match bytes.len() as u64 <= bytes_max {
        true => Ok(bytes),
        false => refuse(format!(
            "{name} is too long: {what} has at most {bytes_max} bytes"
        )),
    }
}

/// The same of a text.
///
/// # Errors
/// [`UsageError`] if it cannot be read, is longer than `what` may be, or is no text.
pub(super) fn read_text(file: &Path, what: &str, bytes_max: u64) -> Result<String, UsageError> {
    let text = String::from_utf8(read_file(file, what, bytes_max)?);
    text.map_err(|why| UsageError(format!("{} cannot be read: {why}", file.display())))
}

/// The game with this name.
///
/// # Errors
/// [`UsageError`] naming those that exist.
pub fn game(name: &str) -> Result<&'static dyn Kit, UsageError> {
    games::find(name).ok_or_else(|| {
        let known: Vec<&str> = games::ALL.iter().map(|kit| kit.card().name).collect();
        UsageError(format!(
            "there is no game {name:?}; there are: {}",
            known.join(", ")
        ))
    })
}
