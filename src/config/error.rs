//! The errors of a configuration.

use std::fmt::Display;
use std::path::PathBuf;

/// A configuration that cannot be used: what, where, why, and how to fix it.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file is missing or unreadable.
    #[error("the configuration file {} cannot be read: {why}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        why: std::io::Error,
    },
    /// The file is not TOML.
    #[error("{origin}: this is not TOML: {why}")]
    Syntax {
        /// The file and line.
        origin: String,
        /// The parser's reason.
        why: String,
    },
    /// A key that does not exist.
    #[error("{origin}: there is no key `{key}`; {remedy}")]
    UnknownKey {
        /// Where it is set.
        origin: String,
        /// The key, as it is written there.
        key: String,
        /// What was probably meant, or where to find it.
        remedy: String,
    },
    /// A value of the wrong type or outside its range.
    #[error("{origin}: `{key}` is {value}, but must be {allowed}")]
    BadValue {
        /// Where it is set.
        origin: String,
        /// The key, dotted.
        key: String,
        /// The value as written (secrets masked).
        value: String,
        /// What is allowed.
        allowed: String,
    },
    /// A secret given twice in one source.
    #[error("{origin}: both `{key}` and `{key}_file` are set; set only one of them")]
    SecretTwice {
        /// Where they are set.
        origin: String,
        /// The secret's key.
        key: String,
    },
    /// A secret's file that cannot be read.
    #[error("{origin}: the file {path} that `{key}_file` names cannot be used: {why}")]
    SecretFile {
        /// Where it is set.
        origin: String,
        /// The secret's key.
        key: String,
        /// The file.
        path: String,
        /// Why not.
        why: String,
    },
    /// REST would be open to everybody on the network.
    #[error(
        "`api.listen` is {listen}, which others can reach, and `api.token` is empty: set \
         `api.token` (or `api.token_file`), have one made (`api.first_token_file`), or listen on 127.0.0.1"
    )]
    OpenApi {
        /// The address.
        listen: String,
    },
    /// A value of the right type, or a section of such values, that cannot be used.
    #[error("{what}: {why}")]
    Unusable {
        /// The key or section, with its place where that is known.
        what: String,
        /// Why not, as a sentence.
        why: String,
    },
    /// Checked values that cannot be merged.
    #[error("the configuration cannot be merged: {0}")]
    Merge(#[from] ::config::ConfigError),
    /// Merged values that cannot be read.
    #[error("the configuration cannot be read: {0}")]
    Read(#[from] confique::Error),
    /// More than one mistake.
    #[error("{}", listed(.0))]
    Several(Vec<ConfigError>),
}

/// The mistakes found so far: reading goes on after each, so that one run reports them all.
#[derive(Debug, Default)]
pub struct Mistakes(Vec<ConfigError>);

impl Mistakes {
    /// Takes note of one.
    pub fn add(&mut self, mistake: ConfigError) {
        self.0.push(mistake);
    }

    /// What could be read; a mistake is noted.
    pub fn note<T>(&mut self, read: Result<T, ConfigError>) -> Option<T> {
        read.map_err(|mistake| self.add(mistake)).ok()
    }

    /// All of them, in the order in which they were found.
    pub fn iter(&self) -> impl Iterator<Item = &ConfigError> {
        self.0.iter()
    }

    /// All of them as one error, if there are any.
    ///
    /// # Errors
    /// If there are any.
    pub fn into_result(mut self) -> Result<(), ConfigError> {
        match self.0.pop() {
            None => Ok(()),
            Some(only) if self.0.is_empty() => Err(only),
            Some(last) => {
                self.0.push(last);
                Err(ConfigError::Several(self.0))
            }
        }
    }

    /// Whether the value of this key is one: what follows from its absence then is none.
    pub(super) fn are_about(&self, key: &str) -> bool {
        self.0.iter().any(|mistake| match mistake {
            ConfigError::BadValue { key: wrong, .. }
            | ConfigError::SecretTwice { key: wrong, .. }
            | ConfigError::SecretFile { key: wrong, .. } => wrong == key,
            _ => false,
        })
    }

    /// What is allowed at this key, as the mistake about its value has it, if there is one.
    pub(super) fn allowed(&mut self, key: &str) -> Option<&mut String> {
        self.0.iter_mut().find_map(|mistake| match mistake {
            ConfigError::BadValue {
                key: wrong,
                allowed,
                ..
            } if wrong.as_str() == key => Some(allowed),
            _ => None,
        })
    }
}

/// Several mistakes, a line each, under one that counts them.
#[must_use]
pub fn listed(mistakes: &[impl Display]) -> String {
    let lines = mistakes.iter().map(|mistake| format!("\n  {mistake}"));
    format!("{} mistakes:{}", mistakes.len(), lines.collect::<String>())
}
