//! How replies are written into a referee's transcript: an answer as its exact text, anything else
//! as one of two words that begin with a control character, which no wire's text does.

use crate::referee::seat::seat_link::SeatReply;

/// In place of an answer that did not come in time. The same as the store's own constant.
const LATE: &str = "\u{1}late";
/// In place of an answer when the connection or program failed. The same as the store's own constant.
const FAILED: &str = "\u{1}failed";
/// Most bytes kept of a reply that nobody waited for.
const UNWANTED_LEN_MAX: usize = 512;

/// What a seat's transcript says about one reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// An answer's exact text.
    Said(String),
    /// Nothing in time.
    Late,
    /// The connection or program failed.
    Failed(String),
    /// Not asked any more: the seat is treated as a filler (A23).
    Dead,
}

impl Kept {
    /// The text of the transcript's entry. Why a call failed stays in the log.
    #[must_use]
    pub fn encode(&self) -> String {
        match self {
            Self::Said(text) => text.clone(),
            Self::Late => LATE.to_owned(),
            Self::Failed(_) | Self::Dead => FAILED.to_owned(),
        }
    }

    /// Reads an entry's text back.
    #[must_use]
    pub fn decode(entry: &str) -> Self {
        match entry {
            LATE => Self::Late,
            FAILED => Self::Failed(String::new()),
            text => Self::Said(text.to_owned()),
        }
    }

    /// What the match's table hears of it.
    #[must_use]
    pub fn reply(&self) -> games::Reply<'_> {
        match self {
            Self::Said(text) => games::Reply::Text(text.as_bytes()),
            Self::Late => games::Reply::Late,
            Self::Failed(_) | Self::Dead => games::Reply::Failed,
        }
    }

    /// Whether the seat gave a sign of life. `None`: it was not called.
    #[must_use]
    pub fn alive(&self) -> Option<bool> {
        match self {
            Self::Said(_) => Some(true),
            Self::Late | Self::Failed(_) => Some(false),
            Self::Dead => None,
        }
    }

    /// What is kept of a seat's reply; of one that nobody waited for, only its beginning.
    #[must_use]
    pub(in crate::referee) fn of(reply: &SeatReply, wanted: bool) -> Self {
        match reply {
            SeatReply::Said { text, .. } if [LATE, FAILED].contains(&text.as_str()) => {
                Self::Said(String::new())
            }
            SeatReply::Said { text, .. } if wanted || text.len() <= UNWANTED_LEN_MAX => {
                Self::Said(text.clone())
            }
            SeatReply::Said { text, .. } => {
                let mut end = UNWANTED_LEN_MAX;
                while !text.is_char_boundary(end) {
                    end -= 1;
                }
                Self::Said(text.get(..end).unwrap_or_default().to_owned())
            }
            SeatReply::Late => Self::Late,
            SeatReply::Failed(why) => Self::Failed(why.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Kept, SeatReply, UNWANTED_LEN_MAX};

    #[test]
    fn every_reply_comes_back() {
        let said = |text: &str| Kept::Said(text.to_owned());
        let replies = [
            said(""),
            said("?money=t"),
            said("late"),
            Kept::Late,
            Kept::Failed(String::new()),
        ];
        for reply in replies {
            assert_eq!(Kept::decode(&reply.encode()), reply);
        }
        assert_eq!(Kept::decode(&Kept::Dead.encode()).alive(), Some(false));
        let forged = SeatReply::said(Kept::Late.encode());
        assert_eq!(Kept::of(&forged, true), said(""));
    }

    #[test]
    fn unwanted_replies_are_cut_between_letters() {
        let long = SeatReply::said("é".repeat(UNWANTED_LEN_MAX));
        let Kept::Said(kept) = Kept::of(&long, false) else {
            panic!("said")
        };
        assert_eq!(kept.len(), UNWANTED_LEN_MAX);
        assert_eq!(
            Kept::of(&long, true),
            Kept::Said("é".repeat(UNWANTED_LEN_MAX))
        );
    }
}
