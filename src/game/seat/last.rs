//! The last message of a seat: what is sent again gets the same answer.

/// The last message that was received, and its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastMessage {
    /// Its exact text.
    pub text: String,
    /// The answer; empty: none.
    pub answer: String,
    /// Its index in the transcript, plus one.
    pub mark: u64,
    /// How many messages were received, including this one.
    pub number: u64,
}

/// Where a message that its sender has numbered stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order<'a> {
    /// The next one.
    Next,
    /// Known already; the last message, if this is the same one again.
    Known(Option<&'a LastMessage>),
    /// Messages before it are missing: only this many were received.
    Gap(u64),
}

impl LastMessage {
    /// Where the message with this number and text stands, counted from 1, after `last`.
    #[must_use]
    pub fn order<'a>(last: Option<&'a Self>, number: u64, text: &str) -> Order<'a> {
        let received = last.map_or(0, |last| last.number);
        match number {
            number if number > received + 1 => Order::Gap(received),
            number if number == received + 1 => Order::Next,
            number => Order::Known(last.filter(|last| last.number == number && last.text == text)),
        }
    }
}
