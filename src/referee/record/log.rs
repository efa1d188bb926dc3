//! The per-player log that `?log=ID` shows: one line per callback.

use crate::store::types::{Direction, Entry};
use games::RecordedReply;
use games::{Seat, Seats};
use parking_lot::Mutex;
use std::fmt::Write as _;

/// The maximum number of lines kept per seat; a match within its own bounds stays far below.
const LINES_MAX: usize = 50_000;
/// The maximum number of characters of a reply shown in a line.
const REPLY_SHOWN_MAX: usize = 400;

/// One callback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// When it was sent, in microseconds since 1970-01-01 UTC.
    pub at_us: i64,
    /// The query sent.
    pub query: String,
    /// What came back, as text.
    pub reply: String,
    /// From sending to the whole reply.
    pub took_us: i64,
}

/// The callbacks of one match by seat, readable while it runs.
#[derive(Debug)]
pub struct MatchLog(Seats<Mutex<Vec<LogLine>>>);

impl MatchLog {
    /// An empty log.
    #[must_use]
    pub fn new(seats: usize) -> Self {
        Self(Seats::from_fn(seats, |_| Mutex::default()))
    }

    /// The log of an interrupted match.
    #[must_use]
    pub fn of_past(past: &Seats<Vec<Entry>>) -> Self {
        let lines = |entries: &Vec<Entry>| Mutex::new(from_entries(answered(entries)));
        Self(past.values().iter().map(lines).collect())
    }

    /// Adds one seat's next line.
    pub fn push(&self, seat: Seat, line: LogLine) {
        if let Some(lines) = self.0.get(seat) {
            let mut lines = lines.lock();
            if lines.len() < LINES_MAX {
                lines.push(line);
            }
        }
    }

    /// The lines of one seat so far.
    #[must_use]
    pub fn lines(&self, seat: Seat) -> Vec<LogLine> {
        let lines = self.0.get(seat).map(|lines| lines.lock());
        lines.map(|lines| lines.clone()).unwrap_or_default()
    }
}

/// A reply as shown in a log line.
#[must_use]
pub(in crate::referee) fn shown(kept: &RecordedReply, note: Option<&str>) -> String {
    match (kept, note) {
        (RecordedReply::Said(text), None) => cut(text),
        (RecordedReply::Said(text), Some(note)) => format!("{} ({note})", cut(text)),
        (RecordedReply::Late, _) => "(late)".to_owned(),
        (RecordedReply::Early(text), _) => format!("(not sent: it had said {})", cut(text)),
        (RecordedReply::Failed(why), _) if why.is_empty() => "(failed)".to_owned(),
        (RecordedReply::Failed(why), _) => format!("(failed: {})", cut(why)),
        (RecordedReply::Dead, _) => "(not called: treated as a filler)".to_owned(),
    }
}

/// A transcript without a last call that has no reply: that call is sent again.
pub(in crate::referee) fn answered(entries: &[Entry]) -> &[Entry] {
    match entries.split_last() {
        Some((last, before)) if last.direction == Direction::Out => before,
        _ => entries,
    }
}

/// The lines of a stored transcript.
#[must_use]
pub fn from_entries(entries: &[Entry]) -> Vec<LogLine> {
    let mut lines: Vec<LogLine> = Vec::new();
    for entry in entries {
        match (entry.direction, lines.last_mut()) {
            (Direction::Out, _) => lines.push(LogLine {
                at_us: entry.at_us,
                query: entry.text.clone(),
                reply: "(no reply stored)".to_owned(),
                took_us: 0,
            }),
            (Direction::In, Some(line)) => {
                line.reply = shown(&RecordedReply::decode(&entry.text), None);
                line.took_us = entry.at_us - line.at_us;
            }
            (Direction::In, None) => {}
        }
    }
    lines
}

/// The log as text: time, query, reply and milliseconds, separated by tabs.
#[must_use]
pub fn text(lines: &[LogLine]) -> String {
    let mut text = String::from("time\tquery\treply\tms\n");
    for line in lines {
        let time = jiff::Timestamp::from_microsecond(line.at_us).unwrap_or_default();
        let ms = line.took_us as f64 / 1_000.0;
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{time:.3}\t{}\t{}\t{ms:.1}",
            escaped(&line.query, usize::MAX),
            line.reply
        );
    }
    text
}

/// What a player replied: as long as it likes.
fn cut(text: &str) -> String {
    escaped(text, REPLY_SHOWN_MAX)
}

/// On one line, and cut at a number of characters. What we send is as long as the game makes it.
fn escaped(text: &str, most: usize) -> String {
    let mut shown = String::with_capacity(text.len().min(most));
    for (place, letter) in text.trim_end().chars().enumerate() {
        if place == most {
            shown.push('…');
            break;
        }
        match letter {
            '\'' | '"' => shown.push(letter),
            // What cannot be seen, too: controls, marks of order and direction, other blanks.
            _ => shown.extend(letter.escape_debug()),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::{LogLine, from_entries, text};
    use crate::store::types::{Direction, Entry, EntryId};

    #[test]
    fn a_line_is_one_line() {
        let said = "\u{feff}?a='b'\u{202e}\r\nx\u{a0}é\\";
        let line = LogLine {
            at_us: 1_500_000,
            query: "market=1&id=2".to_owned(),
            reply: super::shown(&super::RecordedReply::Said(said.to_owned()), None),
            took_us: 12_340,
        };
        let shown = text(&[line]);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(
            lines.get(1),
            Some(
                &"1970-01-01T00:00:01.500Z\tmarket=1&id=2\t\\u{feff}?a='b'\\u{202e}\\r\\nx\\u{a0}é\\\\\t12.3"
            )
        );
        assert_eq!(lines.len(), 2);
    }

    /// A long history of bids is one query; what comes back may be anything.
    #[test]
    fn a_query_is_shown_whole_and_a_reply_is_cut() {
        let long = format!("market=1&{}", "bid=1000&".repeat(200));
        let line = LogLine {
            at_us: 0,
            query: long.clone(),
            reply: super::shown(&super::RecordedReply::Said(long.clone()), None),
            took_us: 0,
        };
        let shown = text(&[line]);
        let cells: Vec<&str> = shown.lines().nth(1).unwrap().split('\t').collect();
        assert_eq!(cells[1], long);
        assert_eq!(cells[2].chars().count(), super::REPLY_SHOWN_MAX + 1);
        assert!(cells[2].ends_with('…'));
    }

    #[test]
    fn a_stored_transcript_gives_the_same_lines() {
        let entry = |seq, at_us, direction, text: &str| Entry {
            id: EntryId(seq),
            seq: seq as u64,
            at_us,
            direction,
            text: text.to_owned(),
        };
        let lines = from_entries(&[
            entry(0, 10, Direction::Out, "a"),
            entry(1, 15, Direction::In, "\u{1}late"),
            entry(2, 20, Direction::Out, "b"),
        ]);
        let seen: Vec<_> = lines
            .iter()
            .map(|line| (line.query.as_str(), line.reply.as_str(), line.took_us))
            .collect();
        assert_eq!(seen, [("a", "(late)", 5), ("b", "(no reply stored)", 0)]);
    }
}
