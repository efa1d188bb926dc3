//! Why something cannot be done with the shelf.

use super::super::archive::PACKED_MAX;
use super::super::build::BuildError;
use super::super::copy::CopyError;
use super::super::manifest::ManifestError;
use super::super::name::BotName;
use crate::link::program::StartError;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Versions of one bot at most.
pub(super) const VERSIONS_MAX: usize = 1_000;

/// Why something cannot be done with the shelf.
#[derive(Debug, thiserror::Error)]
pub enum ShelfError {
    /// The bot's manifest cannot be used.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// Its folder cannot be copied.
    #[error("the bot's folder cannot be copied: {0}")]
    Copy(CopyError),
    /// It cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// Its program cannot be run.
    #[error("{why}; `run` in its bot.toml names the program{fix}")]
    Program {
        /// Why not.
        why: StartError,
        /// What is wrong with its name, as it seems: empty, or a continuation.
        fix: &'static str,
    },
    /// The same version was added with another content.
    #[error(
        "{name}@{version} is already there with other content; give this one another version in its bot.toml"
    )]
    Changed {
        /// The bot.
        name: String,
        /// Its version.
        version: String,
    },
    /// What is packed is another bot.
    #[error("the folder of {0} is not the one that was added: was it changed on the shelf?")]
    NotTheSame(BotName),
    /// Its build makes another bot of it.
    #[error("the build changes bot.toml")]
    Rewritten,
    /// Of what was built nobody kept what it was built from.
    #[error(
        "{0} cannot be sent to other machines: its folder, as it was added, is not kept. It is larger than {PACKED_MAX} \
         bytes, compressed, or was added by an older version of Drover; then add it again: drover bot add FOLDER"
    )]
    NoSource(BotName),
    /// What others have added would run without protection.
    #[error(
        "bots of other machines are neither built nor run here, since the protection `{0}` is missing: see drover bot \
         protections"
    )]
    Unprotected(&'static str),
    /// There are too many versions.
    #[error("{name} has {VERSIONS_MAX} versions; remove some: drover bot remove {name}@VERSION")]
    TooMany {
        /// The bot.
        name: String,
    },
    /// There is no such bot, or no such version of it.
    #[error("there is no bot {asked}; {known}")]
    Unknown {
        /// As it was asked for.
        asked: BotName,
        /// What there is, as a sentence.
        known: String,
    },
    /// The system refuses to read or write something.
    #[error("{}: {why}", path.display())]
    Io {
        /// What is read or written.
        path: PathBuf,
        /// The system's reason.
        why: io::Error,
    },
}

impl From<CopyError> for ShelfError {
    fn from(why: CopyError) -> Self {
        Self::Copy(why)
    }
}

/// What is wrong with a program that cannot be run, as it seems.
pub(super) fn fix(why: &StartError) -> &'static str {
    let StartError::Spawn { program, why } = why else {
        return "";
    };
    match why.kind() {
        ErrorKind::NotFound if program.contains(' ') => {
            ": each argument is a text of its own, such as [\"python3\", \"bot.py\"]"
        }
        ErrorKind::NotFound if program.contains('/') => {
            ", which is looked for in its folder: is it there, or does `build` make it?"
        }
        ErrorKind::NotFound => {
            ", which is looked for on the PATH; one in its own folder is named with a path, such as \"./bot\""
        }
        ErrorKind::PermissionDenied => {
            ": make it executable (chmod +x), or name first what runs it, such as [\"python3\", \"bot.py\"]"
        }
        _ => "",
    }
}

pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> ShelfError {
    let path = path.to_owned();
    |why| ShelfError::Io { path, why }
}

/// A program is started elsewhere than where we run.
pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// What is not there need not be removed.
pub(super) fn gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(why) if why.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}
