//! The errors of a configuration.

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
    /// The file is longer than any configuration needs to be.
    #[error("the configuration file {} has {bytes} bytes; at most {max} are read", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The bound.
        max: u64,
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
    #[error("{origin}: there is no key `{key}`{}", did_you_mean(nearest))]
    UnknownKey {
        /// Where it is set.
        origin: String,
        /// The key, dotted.
        key: String,
        /// The nearest existing key, if any is near.
        nearest: Option<String>,
    },
    /// A key that another one has replaced.
    #[error("{origin}: the key `{key}` is gone; {instead}")]
    Replaced {
        /// Where it is set.
        origin: String,
        /// The key, as written there.
        key: String,
        /// What to write instead, as a sentence.
        instead: &'static str,
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
    /// Anyone on the network could read and stop everything.
    #[error(
        "`api.listen` is {listen}, which others can reach, and `api.token` is empty: set \
         `api.token` (or `api.token_file`), or listen on 127.0.0.1"
    )]
    OpenApi {
        /// The address.
        listen: String,
    },
    /// A hub that cannot be played on.
    #[error("[[hub]] number {at}: {why}")]
    Hub {
        /// Counted from 1.
        at: usize,
        /// Why not, as a sentence.
        why: String,
    },
    /// An invalid prefix for the paths of callbacks.
    #[error("`callbacks.secret_path` ({origin}): {why}")]
    SecretPath {
        /// Where it is set.
        origin: String,
        /// Why not, as a sentence.
        why: &'static str,
    },
    /// A name of our own referee that could also be an unnamed caller's address.
    #[error(
        "`referee.koehandel.name` is {0:?}: a name must not look like an IP address, since callers without a name are known by theirs"
    )]
    OwnReferee(String),
    /// A referee that no path can name.
    #[error("{origin}: [[callbacks.referee]] {name:?}: {why}")]
    Referee {
        /// Where its section begins.
        origin: String,
        /// Its name.
        name: String,
        /// Why not, as a sentence.
        why: String,
    },
    /// Checked values that cannot be merged.
    #[error("the configuration cannot be read: {0}")]
    Merge(#[from] ::config::ConfigError),
    /// Two listeners with one address.
    #[error("`{first}` and `{second}` are both {listen}; give each its own port")]
    SameAddress {
        /// One key.
        first: &'static str,
        /// The other key.
        second: &'static str,
        /// The address.
        listen: String,
    },
    /// The referee's options as a whole are invalid for the game.
    #[error("`referee.{game}.options`: {why}")]
    Options {
        /// The game.
        game: &'static str,
        /// The game's own message.
        why: String,
    },
}

fn did_you_mean(nearest: &Option<String>) -> String {
    match nearest {
        Some(key) => format!("; did you mean `{key}`?"),
        None => "; `drover config init` writes a file with every key".to_owned(),
    }
}
