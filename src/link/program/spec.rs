//! A program as it is named, and how it is found.

use rustix::fs::{Access, access};
use rustix::io::Errno;
use std::path::PathBuf;

/// A program as its owner gives it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramSpec {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// Where it runs, and where its name is looked for if that is a relative path; `None`: where we run.
    pub folder: Option<PathBuf>,
    /// Variables of its environment, added to ours.
    pub environment: Vec<(String, String)>,
    /// Memory in bytes, instead of what holds for all.
    pub memory: Option<u64>,
    /// CPU time in seconds, from 1, instead of what holds for all.
    pub cpu_seconds: Option<u64>,
}

impl ProgramSpec {
    /// A variable that its owner sets.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&str> {
        let mut known = self.environment.iter().rev();
        let (_, value) = known.find(|(known, _)| known == name)?;
        Some(value)
    }
}

impl From<Vec<String>> for ProgramSpec {
    fn from(words: Vec<String>) -> Self {
        Self {
            words,
            ..Self::default()
        }
    }
}

/// Why a program did not start, as a sentence.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// No program is named.
    #[error("no program is named")]
    Nothing,
    /// The system cannot start it.
    #[error("{program:?} cannot be started: {why}")]
    Spawn {
        /// Its name.
        program: String,
        /// The system's error.
        why: std::io::Error,
    },
    /// Its limits could not be set.
    #[error("{program:?} cannot be limited: {why}")]
    Limits {
        /// Its name.
        program: String,
        /// The system's error.
        why: std::io::Error,
    },
}

impl StartError {
    /// Whether another attempt fails too: there is no such program, or it is none that we may run.
    #[must_use]
    pub fn lasts(&self) -> bool {
        use std::io::ErrorKind::{InvalidInput, NotADirectory, NotFound, PermissionDenied};
        let not_executable = Some(Errno::NOEXEC.raw_os_error());
        match self {
            Self::Nothing => true,
            Self::Spawn { why, .. } => {
                matches!(
                    why.kind(),
                    NotFound | PermissionDenied | NotADirectory | InvalidInput
                ) || why.raw_os_error() == not_executable
            }
            Self::Limits { .. } => false,
        }
    }
}

/// Finds a program as starting it does, without starting it.
///
/// # Errors
/// [`StartError::Nothing`]; [`StartError::Spawn`] if there is none or it must not be run.
pub fn find(program: &ProgramSpec) -> Result<PathBuf, StartError> {
    let name = program.words.first().ok_or(StartError::Nothing)?;
    let here = || PathBuf::from(".");
    let own = program.folder.clone().unwrap_or_else(here);
    let (base, folders) = match (name.contains('/'), program.variable("PATH")) {
        (true, _) => (PathBuf::new(), own.into()),
        // A relative one is meant from where it runs.
        (false, Some(path)) => (own, path.into()),
        (false, None) => {
            let path = std::env::var_os("PATH");
            (own, path.unwrap_or_else(|| "/bin:/usr/bin".into()))
        }
    };
    let mut why = Errno::NOENT;
    for folder in std::env::split_paths(&folders) {
        let path = base.join(folder).join(name);
        match access(&path, Access::EXEC_OK) {
            Ok(()) if path.is_file() => return Ok(path),
            Ok(()) | Err(Errno::ACCESS) => why = Errno::ACCESS,
            Err(Errno::NOENT | Errno::NOTDIR) => {}
            Err(other) => why = other,
        }
    }
    Err(StartError::Spawn {
        program: name.clone(),
        why: why.into(),
    })
}
