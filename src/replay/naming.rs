//! A rival's name that was given during a match: an entry of the session's transcript next to what was received and said.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How such an entry's text begins. No wire's text begins with this character.
const MARK: &str = "\u{1}named ";

/// Who sits where, and what was known of it when its name was given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Naming {
    /// The place, in the wire's own word.
    pub rival: String,
    /// Its name.
    pub name: String,
    /// The model of it that advises the session from here on, if there was one.
    pub model: Option<Value>,
}

impl Naming {
    /// As an entry's text.
    #[must_use]
    pub fn encode(&self) -> String {
        let json = serde_json::to_string(self).unwrap_or_default();
        format!("{MARK}{json}")
    }

    /// Reads an entry's text; `None`: it was received or said.
    #[must_use]
    pub fn decode(text: &str) -> Option<Self> {
        serde_json::from_str(text.strip_prefix(MARK)?).ok()
    }

    /// An entry's text as it is shown: a name without the model, whose figures are not for every reader.
    #[must_use]
    pub fn shown(text: String) -> String {
        match Self::decode(&text) {
            Some(Self { rival, name, .. }) => format!("{MARK}{rival}={name}"),
            None => text,
        }
    }

    /// Whether a text from outside pretends to be such an entry.
    #[must_use]
    pub fn is_forged(text: &str) -> bool {
        text.starts_with(MARK)
    }
}
