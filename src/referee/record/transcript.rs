//! What a transcript keeps of a seat's reply.

use crate::referee::seat::seat_link::SeatReply;
use crate::replay::RecordedReply;

/// The maximum number of bytes kept of a reply that the match did not wait for.
const UNWANTED_LEN_MAX: usize = 512;

/// What is kept of a seat's reply; only the beginning if the match did not wait for it.
#[must_use]
pub(in crate::referee) fn recorded(reply: &SeatReply, wanted: bool) -> RecordedReply {
    match reply {
        SeatReply::Said { text, .. } if wanted => RecordedReply::said(text),
        SeatReply::Said { text, .. } => {
            let end = text.floor_char_boundary(UNWANTED_LEN_MAX);
            RecordedReply::said(text.get(..end).unwrap_or_default())
        }
        SeatReply::Late => RecordedReply::Late,
        SeatReply::Failed(why) => RecordedReply::Failed(why.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::{RecordedReply, SeatReply, UNWANTED_LEN_MAX, recorded};

    #[test]
    fn unwanted_replies_are_cut_between_letters() {
        let whole = "é".repeat(UNWANTED_LEN_MAX);
        let long = SeatReply::said(whole.as_str());
        let RecordedReply::Said(kept) = recorded(&long, false) else {
            panic!("said")
        };
        assert_eq!(kept.len(), UNWANTED_LEN_MAX);
        assert_eq!(recorded(&long, true), RecordedReply::Said(whole));
    }
}
