//! A match's transcripts in readable form: one entry after the other, in log order.

use super::output::{spaced, whole_time};
use super::seat_arg::shown_or_unknown;
use crate::clock;
use crate::history::MatchEntry;
use crate::plain::plain_line;
use crate::replay::RecordedReply;
use crate::store::MatchRow;
use crate::store::types::{Direction, Side};
use percent_encoding::percent_decode_str;
use std::io::{self, Write};

/// Writes the match's header and its entries, with the time since the first one.
pub(super) fn write(
    out: &mut impl Write,
    row: &MatchRow,
    entries: &[MatchEntry],
    seat: Option<u8>,
) -> io::Result<()> {
    let started = whole_time(row.started_us);
    writeln!(out, "{}, started {started}", named(row))?;
    let chosen = || {
        entries
            .iter()
            .filter(|entry| seat.is_none() || entry.seat == seat)
    };
    let begin_us = chosen()
        .map(|entry| entry.at_us)
        .min()
        .unwrap_or(row.started_us);
    for entry in chosen() {
        writeln!(out, "{}", line(entry, begin_us))?;
    }
    match row.cause {
        Some(cause) => {
            let end = format!("{} {}", cause.word(), plain_line(&row.detail));
            writeln!(
                out,
                "ended: {}, scores {}",
                end.trim_end(),
                spaced(&row.scores)
            )
        }
        None => writeln!(out, "not ended"),
    }
}

/// A match, with its number at its referee.
pub(super) fn named(row: &MatchRow) -> String {
    let (game, id, number, referee) = (&row.game, &row.id, row.market, &row.referee);
    format!("{game} {id}, number {number} of referee {referee}")
}

fn line(entry: &MatchEntry, begin_us: i64) -> String {
    let seconds = (entry.at_us - begin_us) as f64 / 1e6;
    let seat = shown_or_unknown(entry.seat);
    let to_bot = matches!(
        (entry.side, entry.direction),
        (Side::Player, Direction::In) | (Side::Referee, Direction::Out)
    );
    let arrow = if to_bot { "<-" } else { "->" };
    let side = match entry.side {
        Side::Player => "player",
        Side::Referee => "referee",
    };
    let head = format!(
        "{seconds:>9.3}  seat {seat} {side:<7} {:<12} {arrow} ",
        entry.bot
    );
    let below = format!("\n{:width$}", "", width = head.chars().count());
    let lines: Vec<String> = entry.text.split('\n').map(plain).collect();
    head + &lines.join(&below)
}

/// One line of a text, decoded.
fn plain(text: &str) -> String {
    match RecordedReply::decode(text) {
        RecordedReply::Late => "(nothing in time)".to_owned(),
        RecordedReply::Early(text) => format!("(not sent: it had said {text:?})"),
        RecordedReply::Failed(_) | RecordedReply::Dead => "(the connection failed)".to_owned(),
        RecordedReply::Said(text) if text.is_empty() => "(empty)".to_owned(),
        RecordedReply::Said(text) => {
            let decoded = percent_decode_str(&text).decode_utf8_lossy();
            plain_line(&decoded)
        }
    }
}

/// A timestamp as REST shows it.
pub(super) fn time(at_us: i64) -> String {
    clock::time(at_us).to_string()
}

#[cfg(test)]
mod tests {
    use super::{plain, time};

    #[test]
    fn texts_are_decoded_and_kept_on_a_line() {
        assert_eq!(plain("type=begin&name=a%20b"), "type=begin&name=a b");
        assert_eq!(plain("a\nb%0Ac"), "a\u{fffd}b\u{fffd}c");
        assert_eq!(plain(""), "(empty)");
    }

    #[test]
    fn stamps_are_utc_and_whole() {
        assert_eq!(time(1_000_000), "1970-01-01T00:00:01Z");
        assert_eq!(time(1_234_567), "1970-01-01T00:00:01.234567Z");
    }
}
