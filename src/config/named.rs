//! The referees that a callback's path may name, and the common prefix of all callbacks' paths.

use super::error::{ConfigError, Mistakes};
use super::sections::REFEREES;
use super::settings::{Config, PathReferee, Secret};
use std::net::IpAddr;

/// The longest secret of a referee, in bytes.
const SECRET_LEN_MAX: usize = 128;

/// Why a path cannot name a referee, as a sentence. `unread`: what would keep others off could not be read.
fn fault(referee: &PathReferee, unread: bool) -> Option<&'static str> {
    let name = referee.name.as_str();
    if is_like_address(name) {
        return Some(
            "a name must not look like an IP address: callers without a name are known by theirs",
        );
    }
    if name == "local" {
        return Some("this name is Drover's own; choose another");
    }
    match referee.secret.reveal() {
        None if referee.addresses.is_empty() && !unread => Some(
            "anybody could use this name; set `addresses`, or `secret` (or `secret_file`), or both",
        ),
        Some(secret) if secret.len() > SECRET_LEN_MAX || !secret.bytes().all(unreserved) => {
            Some("its secret must be 1 to 128 letters, digits and -._~, as it stands in a path")
        }
        _ => None,
    }
}

fn is_like_address(name: &str) -> bool {
    let numbers = |byte: u8| byte.is_ascii_digit() || byte == b'.';
    name.parse::<IpAddr>().is_ok() || name.bytes().all(numbers)
}

/// Checks each referee and all of them together; `origins` are their sections' origins.
pub(super) fn check(config: &Config, origins: &[&str], mistakes: &mut Mistakes) {
    let ours = &config.referee.koehandel.name;
    // Anyone calling from there would share its sessions.
    if ours.parse::<IpAddr>().is_ok() {
        mistakes.add(ConfigError::Unusable {
            what: format!("`referee.koehandel.name` is {ours:?}"),
            why: "a name must not look like an IP address, since callers without a name are known by theirs"
                .to_owned(),
        });
    }
    let referees = &config.callbacks.referees;
    for (at, (referee, origin)) in referees.iter().zip(origins).enumerate() {
        let mut others = referees.iter().take(at);
        let fields = ["secret", "addresses"];
        let unread = fields.iter().any(|field| {
            let key = format!("{}.{field}", REFEREES.path);
            mistakes.are_about(&key)
        });
        let why = if let Some(why) = fault(referee, unread) {
            why
        } else if referee.name == *ours {
            "it is the name of our own referee (`referee.koehandel.name`); choose another"
        } else if others.any(|other| other.name == referee.name) {
            "another section has the same name; give each its own"
        } else {
            continue;
        };
        mistakes.add(ConfigError::Unusable {
            what: format!("{origin}: [[callbacks.referee]] {:?}", referee.name),
            why: why.to_owned(),
        });
    }
}

/// The prefix of every callback's path, without slashes at its ends.
pub(super) fn secret_path(secret: &Secret, origin: &str) -> Result<Secret, ConfigError> {
    let text = secret.reveal().unwrap_or_default();
    let path = text.trim_matches('/');
    let why = if text.is_empty() {
        return Ok(Secret::default());
    } else if path.is_empty() {
        "only slashes would leave every bot open to all; write a word that cannot be guessed, or \"\" for none"
    } else if text.contains(char::is_whitespace) {
        "a path has no blanks; write a word that cannot be guessed, or \"\" for none"
    } else if !path.bytes().all(literal) {
        "it must stand in a path as it is: ASCII without \" # % < > ? \\ ^ ` { | }"
    } else {
        return Ok(Secret::new(path.to_owned()));
    };
    Err(ConfigError::Unusable {
        what: format!("`callbacks.secret_path` ({origin})"),
        why: why.to_owned(),
    })
}

fn unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

/// Bytes that a path contains literally.
fn literal(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\"#%<>?\\^`{|}".contains(&byte)
}
