//! The protocol between a shim and the daemon on the Unix socket: one JSON object per line, one request at a
//! time, each answered.

use serde::{Deserialize, Serialize};

/// The default path on which the daemon listens and shims connect.
pub const SOCKET: &str = "data/drover.sock";
/// The longest line, in bytes: a frame as JSON.
pub const LINE_MAX: usize = 32 << 20;

/// A shim's request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// The session of the following messages.
    Hello(Hello),
    /// A message from the arbiter.
    #[serde(rename = "heard")]
    Message(NumberedMessage),
    /// No more messages will come.
    Bye(Bye),
}

/// Why no more messages will come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bye {
    /// How many messages came before it: the daemon answers once it has all of them and the end is stored.
    /// `None` in a journal, which nobody answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n: Option<u64>,
    /// As a sentence.
    pub why: String,
    /// Whether the arbiter has closed its pipe or had the shim stopped: on wires without an end message, that
    /// ends the game. A crash of the arbiter looks the same.
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
    /// The name under which the arbiter is stored.
    pub referee: String,
    /// When the game began at the shim, in microseconds since 1970-01-01 UTC.
    pub market: u64,
    /// The shim's process.
    pub id: u64,
}

/// A message from the arbiter, numbered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NumberedMessage {
    /// Its number in its session, from 1.
    pub n: u64,
    /// Its exact text.
    pub text: String,
    /// The shim's own answer, if it gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// When, in microseconds since 1970-01-01 UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_us: Option<i64>,
}

/// The daemon's response.
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
    /// The answer to message `n`, which is not stored yet and must be delivered again unless a later answer is
    /// durable.
    Ack {
        /// The message's number.
        n: u64,
        /// The exact text; may be empty.
        text: String,
    },
    /// Only this many messages have arrived: those after them are missing.
    Have(u64),
    /// The end of the session, after this number of messages, is stored.
    Ended(u64),
    /// It cannot be done; why, as a sentence.
    Refused(String),
}

/// The first response to a shim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Welcome {
    /// Whether what a shim writes to its journal must survive a power cut.
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
        let received = Request::Message(NumberedMessage {
            n: 7,
            text: "play 0 AS".into(),
            said: None,
            at_us: None,
        });
        let text = line(&received);
        assert_eq!(text, "{\"heard\":{\"n\":7,\"text\":\"play 0 AS\"}}\n");
        assert_eq!(serde_json::from_str::<Request>(&text).unwrap(), received);
        let bye = Bye {
            n: None,
            why: "over".into(),
            hung_up: true,
        };
        let text = line(&Request::Bye(bye));
        assert_eq!(text, "{\"bye\":{\"why\":\"over\",\"hung_up\":true}}\n");
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
