//! Which format a text is in, and what all formats share.

use super::found::{Found, Problem};
use super::reading::Reading;
use super::{json_lines, pgn, tokens, tsv};
use games::text::{unmarked, without_mark};
use std::borrow::Cow;

/// Reads results. A text that begins with `[`, or has a line that begins with a tag of PGN, is PGN; one that begins
/// with `{` is JSON lines, any other tab-separated values. A text in UTF-16 is known by its byte order mark or a zero byte
/// among its first two.
#[must_use]
pub fn read(bytes: &[u8]) -> Found {
    let bytes = utf16(bytes).map_or(Cow::Borrowed(bytes), |text| text.into_bytes().into());
    let bytes = unmarked(&bytes);
    let mut reading = Reading::default();
    let first = bytes.trim_ascii_start().first();
    if first == Some(&b'[') || lines(bytes).any(tokens::is_tag) {
        pgn::read(&mut reading, bytes);
        return reading.found;
    }
    let record = match first {
        Some(b'{') => json_lines::record,
        _ => tsv::record,
    };
    for (line, text) in (1..).zip(lines(bytes)) {
        let read = match str::from_utf8(text) {
            Ok(text) if text.trim().is_empty() => continue,
            Ok(text) => record(without_mark(text)),
            Err(_) => Err(Problem::Encoding),
        };
        if !reading.add(line, read) {
            break;
        }
    }
    reading.found
}

/// The lines of a text, which end with a line feed, a carriage return, or both in the other order.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = bytes.split(|byte| *byte == b'\n');
    lines.flat_map(|line| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        line.split(|byte| *byte == b'\r')
    })
}

fn utf16(bytes: &[u8]) -> Option<String> {
    let unit = match bytes {
        [0xFF, 0xFE, ..] | [_, 0, ..] => u16::from_le_bytes,
        [0xFE, 0xFF, ..] | [0, _, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let units = bytes.as_chunks::<2>().0.iter().map(|pair| unit(*pair));
    let letters = char::decode_utf16(units);
    Some(
        letters
            .map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect(),
    )
}
