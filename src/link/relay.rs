//! What a shim and the daemon say to each other over the Unix socket: one JSON object a line, one
//! request at a time, each answered.

use serde::{Deserialize, Serialize};

/// Where the daemon listens unless it is told otherwise, and where shims look for it.
pub const SOCKET: &str = "data/drover.sock";
/// Longest line, in bytes: a frame as JSON.
pub const LINE_MAX: usize = 32 << 20;

/// What a shim says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// Whose messages follow.
    Hello(Hello),
    /// A message of the arbiter.
    Heard(Heard),
    /// No more messages will come.
    Bye(Bye),
}

/// Why no more messages will come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bye {
    /// In a sentence.
    pub why: String,
    /// Whether the arbiter has closed its pipe or had the shim stopped: on wires without a word for a
    /// game's end, that is one. Its crash looks the same.
    pub hung_up: bool,
}

/// A shim's session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// The game.
    pub game: String,
    /// The built-in bot.
    pub bot: String,
    /// Under which name the arbiter is kept.
    pub referee: String,
    /// When the game began at the shim, in microseconds since 1970-01-01 UTC.
    pub market: u64,
    /// The shim's process.
    pub id: u64,
}

/// A message of the arbiter, numbered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Heard {
    /// Its number in its session, from 1.
    pub n: u64,
    /// Its exact text.
    pub text: String,
    /// What the shim has answered by itself, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// When, in microseconds since 1970-01-01 UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_us: Option<i64>,
}

/// What the daemon says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Response {
    /// The session is welcome.
    Welcome(Welcome),
    /// The answer to message `n`, durable; may be empty.
    Say {
        /// The message's number.
        n: u64,
        /// The exact text.
        text: String,
    },
    /// Only so many messages have come: those after them are missing.
    Have(u64),
    /// It cannot be done, in a sentence.
    Refused(String),
}

/// What a shim is told at first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Welcome {
    /// Whether what a shim writes down by itself must survive a power cut.
    pub synced: bool,
}

/// A request or response as a line with its end.
#[must_use]
pub fn line(message: &impl Serialize) -> String {
    // Only maps with other keys than text cannot be written, and there are none.
    serde_json::to_string(message).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back() {
        let heard = Request::Heard(Heard {
            n: 7,
            text: "play 0 AS".into(),
            said: None,
            at_us: None,
        });
        let text = line(&heard);
        assert_eq!(text, "{\"heard\":{\"n\":7,\"text\":\"play 0 AS\"}}\n");
        assert_eq!(serde_json::from_str::<Request>(&text).unwrap(), heard);
        let said = Response::Say {
            n: 7,
            text: "=\n".into(),
        };
        assert_eq!(
            serde_json::from_str::<Response>(&line(&said)).unwrap(),
            said
        );
    }
}
