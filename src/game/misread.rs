//! What serde says of a value that does not fit, taken apart and in people's words.

use std::fmt;

/// What is wrong with a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misread<'a> {
    /// There is no key of this name, but there are these.
    Unknown {
        /// The name.
        name: &'a str,
        /// Those that exist.
        known: Vec<&'a str>,
    },
    /// A word that is none of these.
    Word {
        /// The word.
        word: &'a str,
        /// Those that fit.
        known: Vec<&'a str>,
    },
    /// This key is not there.
    Missing(&'a str),
    /// A value of another type, or out of range.
    Unfit {
        /// What was found, as serde names it.
        found: &'a str,
        /// What is needed, as serde names it.
        expected: &'a str,
    },
    /// Anything else, such as a game's own sentence.
    Other(&'a str),
}

impl<'a> From<&'a str> for Misread<'a> {
    fn from(message: &'a str) -> Self {
        // Every second piece stands between backticks.
        let mut quoted = message.split('`').skip(1).step_by(2);
        let begins = |start| message.starts_with(start);
        if begins("unknown field ") || begins("unknown variant ") {
            let (name, known) = (quoted.next().unwrap_or_default(), quoted.collect());
            return match begins("unknown field ") {
                true => Self::Unknown { name, known },
                false => Self::Word { word: name, known },
            };
        }
        if begins("missing field ") {
            return Self::Missing(quoted.next().unwrap_or_default());
        }
        let invalid = ["invalid type: ", "invalid value: "];
        let invalid = invalid.iter().find_map(|start| message.strip_prefix(start));
        match invalid.and_then(|rest| rest.split_once(", expected ")) {
            Some((found, expected)) => Self::Unfit { found, expected },
            None => Self::Other(message),
        }
    }
}

impl fmt::Display for Misread<'_> {
    /// As a sentence, without its subject where that is the value itself.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name, known } if known.is_empty() => {
                write!(out, "there is no `{name}`")
            }
            Self::Unknown { name, known } => {
                write!(out, "there is no `{name}`; there are: {}", known.join(", "))
            }
            Self::Word { word, known } => {
                write!(out, "`{word}` is none of: {}", known.join(", "))
            }
            Self::Missing(name) => write!(out, "`{name}` is missing"),
            Self::Unfit { found, expected } => {
                let (found, expected) = (in_words(found), needed(expected, "an object"));
                write!(out, "it is {found}, but must be {expected}")
            }
            Self::Other(message) => out.write_str(message),
        }
    }
}

/// What was found, in words.
fn in_words(found: &str) -> String {
    let (kind, value) = found.split_once(' ').unwrap_or((found, ""));
    let value = value.trim_matches('`');
    match (kind, found) {
        ("string", _) => format!("the text {value}"),
        ("integer", _) => format!("the number {value}"),
        ("boolean", _) => value.to_owned(),
        (_, "map") => "an object".to_owned(),
        (_, "sequence") => "a list".to_owned(),
        ("floating", _) => format!("the number {}", value.trim_start_matches("point `")),
        _ => found.to_owned(),
    }
}

/// What is needed, in words, by the name that serde has for it; `map` is what the format calls a group of named values.
#[must_use]
pub fn needed(expected: &str, map: &str) -> String {
    let words = match expected {
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number from 0",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" | "bool" => "true or false",
        "a string" | "string" | "str" => "a text",
        "a sequence" => "a list",
        "a map" => map,
        _ if expected.starts_with("struct ") => map,
        _ if expected.starts_with("a nonzero ") => "a whole number from 1",
        _ => expected,
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use super::Misread;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase", deny_unknown_fields)]
    #[allow(dead_code)]
    enum Act {
        Declare { tricks: u8 },
        Play(String),
    }

    #[test]
    fn what_serde_says_is_said_in_words() {
        for (value, expected) in [
            (json!({"fly": 1}), "`fly` is none of: declare, play"),
            (json!({"declare": {}}), "`tricks` is missing"),
            (
                json!({"declare": {"tricks": 1, "x": 2}}),
                "there is no `x`; there are: tricks",
            ),
            (
                json!({"declare": {"tricks": "many"}}),
                "it is the text \"many\", but must be a whole number from 0 to 255",
            ),
            (
                json!({"declare": {"tricks": 300}}),
                "it is the number 300, but must be a whole number from 0 to 255",
            ),
            (
                json!({"declare": {"tricks": 1.5}}),
                "it is the number 1.5, but must be a whole number from 0 to 255",
            ),
            (json!({"play": {}}), "it is an object, but must be a text"),
            (json!({"play": [1]}), "it is a list, but must be a text"),
            (json!({"play": true}), "it is true, but must be a text"),
        ] {
            let why = Act::deserialize(&value).unwrap_err().to_string();
            assert_eq!(Misread::from(&*why).to_string(), expected, "{why}");
        }
        let own = "the bid must be a multiple of 10";
        assert_eq!(Misread::from(own).to_string(), own);
    }
}
