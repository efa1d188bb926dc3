//! The arguments common to all verbs, and how an async verb is run.

use super::usage::refuse;
use crate::cli::UsageError;
use crate::config::{self, ConfigError, Flags, Loaded};
use crate::logs;
use crate::plain::plain;
use crate::tournament::CONCURRENCY_MAX;
use anyhow::Context as _;
use games::Kit;
use rustix::process::{Uid, geteuid};
use std::fs::File;
use std::io::{Read, Write as _};
use std::num::NonZeroUsize;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Where the service of the Debian package keeps its database (`deploy/debian/postinst`).
const SERVICE_FOLDER: &str = "/var/lib/drover";
/// The settings that the package brings.
const SERVICE_FILE: &str = "/etc/drover/drover.toml";

/// The arguments common to all verbs.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Common {
    /// The configuration file; without it, the defaults and the environment apply, and to the user of the Debian package's
    /// service, drover, the service's file /etc/drover/drover.toml.
    #[arg(long, global = true, env = "DROVER_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Common {
    /// Checks the configuration in effect, these further checks included.
    pub(super) fn check(&self, further: config::Further<'_>) -> Result<Loaded, ConfigError> {
        let file = self.file();
        config::load_and(file.as_deref(), &environment(), &Flags::new(), further)
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
        config::load(self.file().as_deref(), &environment(), flags)
    }

    /// The file in effect, if there is one.
    fn file(&self) -> Option<PathBuf> {
        let service = || {
            service_file(
                Path::new(SERVICE_FOLDER),
                Path::new(SERVICE_FILE),
                geteuid(),
            )
        };
        self.config.clone().or_else(service)
    }
}

/// The file of an installed service, for the user whom the service's folder belongs to: with it verbs find the daemon and
/// the database. Others look around with settings of their own.
fn service_file(folder: &Path, file: &Path, user: Uid) -> Option<PathBuf> {
    let owner = std::fs::metadata(folder).ok()?.uid();
    (owner == user.as_raw() && file.is_file()).then(|| file.to_owned())
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

#[cfg(test)]
mod tests {
    use super::{geteuid, service_file};
    use rustix::process::Uid;

    #[test]
    fn the_services_file_is_for_its_own_user_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (file, own) = (folder.path().join("drover.toml"), geteuid());
        let found = |user| service_file(folder.path(), &file, user);
        assert_eq!(found(own), None);
        std::fs::write(&file, "").unwrap();
        assert_eq!(found(own), Some(file.clone()));
        let other = Uid::from_raw(own.as_raw() + 1);
        assert_eq!(found(other), None);
        let gone = folder.path().join("gone");
        assert_eq!(service_file(&gone, &file, own), None);
    }
}
