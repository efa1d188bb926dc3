//! How replies are written into a referee's transcript: an answer as its exact text, anything else as one of
//! two words that begin with a control character, which no wire's text does.

use crate::wire::{LATE, Reply};

/// Replaces an answer when the connection or program failed.
const FAILED: &str = "\u{1}failed";

/// Precedes output that came before it was asked for.
const EARLY: &str = "\u{1}early ";

/// What a seat's transcript says about one reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordedReply {
    /// An answer's exact text.
    Said(String),
    /// No reply in time.
    Late,
    /// The connection or program failed.
    Failed(String),
    /// No longer asked: the seat is treated as a filler (A23).
    Dead,
    /// Output that came before the call, which was not sent.
    Early(String),
}

impl RecordedReply {
    /// An answer; text that looks like the mark of a missing answer becomes empty.
    #[must_use]
    pub fn said(text: &str) -> Self {
        match Self::decode(text) {
            said @ Self::Said(_) => said,
            _ => Self::Said(String::new()),
        }
    }

    /// The text of the transcript's entry. The reason for a failed call stays in the log.
    #[must_use]
    pub fn encode(&self) -> String {
        match self {
            Self::Said(text) => text.clone(),
            Self::Late => LATE.to_owned(),
            Self::Failed(_) | Self::Dead => FAILED.to_owned(),
            Self::Early(text) => format!("{EARLY}{text}"),
        }
    }

    /// Reads an entry's text back.
    #[must_use]
    pub fn decode(entry: &str) -> Self {
        match entry {
            LATE => Self::Late,
            FAILED => Self::Failed(String::new()),
            text => match text.strip_prefix(EARLY) {
                Some(early) => Self::Early(early.to_owned()),
                None => Self::Said(text.to_owned()),
            },
        }
    }

    /// The reply passed to the match's table.
    #[must_use]
    pub fn reply(&self) -> Reply<'_> {
        match self {
            Self::Said(text) => Reply::Text(text.as_bytes()),
            Self::Late => Reply::Late,
            Self::Failed(_) | Self::Dead => Reply::Failed,
            Self::Early(text) => Reply::Early(text.as_bytes()),
        }
    }

    /// Only the beginning of an answer that is longer than this many bytes.
    pub(super) fn beginning(self, bytes: usize) -> Self {
        match self {
            Self::Said(mut text) if text.len() > bytes => {
                text.truncate(text.floor_char_boundary(bytes));
                Self::said(&text)
            }
            whole => whole,
        }
    }

    /// Whether the reply shows that the seat is alive. `None`: it was not called.
    #[must_use]
    pub fn alive(&self) -> Option<bool> {
        match self {
            Self::Said(_) | Self::Early(_) => Some(true),
            Self::Late | Self::Failed(_) => Some(false),
            Self::Dead => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RecordedReply;

    #[test]
    fn every_reply_comes_back() {
        let said = |text: &str| RecordedReply::Said(text.to_owned());
        let replies = [
            said(""),
            said("?money=t"),
            said("late"),
            RecordedReply::Late,
            RecordedReply::Failed(String::new()),
            RecordedReply::Early("= 0".to_owned()),
        ];
        for reply in replies {
            assert_eq!(RecordedReply::decode(&reply.encode()), reply);
        }
        let dead = RecordedReply::decode(&RecordedReply::Dead.encode());
        assert_eq!(dead.alive(), Some(false));
        assert_eq!(RecordedReply::said(&RecordedReply::Late.encode()), said(""));
    }

    #[test]
    fn a_beginning_is_cut_between_letters() {
        let said = |count| RecordedReply::Said("é".repeat(count));
        assert_eq!(said(3).beginning(5), said(2));
        assert_eq!(said(3).beginning(6), said(3));
        assert_eq!(RecordedReply::Late.beginning(1), RecordedReply::Late);
    }
}
