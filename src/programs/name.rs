//! Names and versions of users' bots.

use std::fmt;
use std::str::FromStr;

/// The longest name or version, in bytes.
pub const NAME_LEN_MAX: usize = 48;

/// What a name may be, as a continuation of "must be".
pub const NAME_RULE: &str =
    "1 to 48 lower-case letters, digits, dashes and underscores, beginning with a letter or digit";
/// What a version may be.
pub const VERSION_RULE: &str = "a text of 1 to 48 lower-case letters, digits, dots, dashes and underscores, beginning with a letter or digit, such as \"1.2\"";

/// Whether this can name a bot: it stands in paths, URLs and records as it is.
#[must_use]
pub fn is_name(text: &str) -> bool {
    is_word(text, b"-_")
}

/// Whether this can be a version.
#[must_use]
pub fn is_version(text: &str) -> bool {
    is_word(text, b"-_.")
}

fn is_word(text: &str, further: &[u8]) -> bool {
    let plain = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let mut bytes = text.bytes();
    text.len() <= NAME_LEN_MAX
        && bytes.next().is_some_and(|first| plain(&first))
        && bytes.all(|byte| plain(&byte) || further.contains(&byte))
}

/// A user's bot as it is asked for: `NAME` or `NAME@VERSION`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BotName {
    /// Its name.
    pub name: String,
    /// Its version; `None`: the one that was added last.
    pub version: Option<String>,
}

/// Why a text names no bot of a user's, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// The name cannot be one.
    #[error("{0:?} cannot name a bot: a name must be {NAME_RULE}")]
    Name(String),
    /// The version cannot be one.
    #[error("{0:?} cannot be a version: it must be {VERSION_RULE}")]
    Version(String),
}

impl FromStr for BotName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let (name, version) = match text.split_once('@') {
            Some((name, version)) => (name, Some(version)),
            None => (text, None),
        };
        if !is_name(name) {
            return Err(NameError::Name(name.to_owned()));
        }
        if let Some(version) = version.filter(|version| !is_version(version)) {
            return Err(NameError::Version(version.to_owned()));
        }
        Ok(Self {
            name: name.to_owned(),
            version: version.map(str::to_owned),
        })
    }
}

impl fmt::Display for BotName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.version {
            Some(version) => write!(out, "{}@{version}", self.name),
            None => out.write_str(&self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_versions_are_plain_words() {
        for (text, expected) in [
            ("mybot", Some(("mybot", None))),
            (
                "my-bot_2@1.0.3-rc_1",
                Some(("my-bot_2", Some("1.0.3-rc_1"))),
            ),
            ("2fast@7", Some(("2fast", Some("7")))),
            ("", None),
            ("@1", None),
            ("mybot@", None),
            ("MyBot", None),
            (".hidden", None),
            ("-flag", None),
            ("a/b", None),
            ("a@../b", None),
            ("a@.order", None),
            ("bät", None),
        ] {
            let read = text.parse::<BotName>();
            let read = read.as_ref().ok();
            let read = read.map(|bot| (bot.name.as_str(), bot.version.as_deref()));
            assert_eq!(read, expected, "{text:?}");
        }
        assert!(is_name(&"a".repeat(NAME_LEN_MAX)));
        assert!(!is_name(&"a".repeat(NAME_LEN_MAX + 1)));
        let error = "a@b@c".parse::<BotName>().unwrap_err().to_string();
        assert!(error.starts_with("\"b@c\" cannot be a version"), "{error}");
        assert_eq!("a@b".parse::<BotName>().unwrap().to_string(), "a@b");
    }
}
