//! Who plays and how they stand: a line for each player above a field, or half a line where there are many.

use super::svg::{Anchor, Svg};

/// Height of a line.
const LINE: f64 = 19.0;
/// Height of the letters of a name, and of what its player has.
const LETTERS: f64 = 13.0;
const SMALL: f64 = 11.5;
/// Players that are listed at most.
const LISTED_MAX: usize = 20;
/// Players up to which each has a line of its own.
const SPACIOUS_MAX: usize = 6;
/// Letters of a name for which an entry has room.
pub const LEGEND_NAME_CHARS: usize = 14;

/// How one player, or one team, stands.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// The class of its colour.
    pub colour: &'static str,
    /// Its mark on the field.
    pub label: String,
    /// What it is called.
    pub name: String,
    /// Its score with its unit; empty where it is not known.
    pub figure: String,
    /// What else it has, in a few words.
    pub words: String,
    /// Whether it is the one that looks on.
    pub own: bool,
}

/// How many of this number of entries are next to each other.
fn columns(entries: usize) -> usize {
    if entries <= SPACIOUS_MAX { 1 } else { 2 }
}

/// Height of a legend with this many entries.
#[must_use]
pub fn legend_height(entries: usize) -> f64 {
    let rows = entries.min(LISTED_MAX).div_ceil(columns(entries)) as f64;
    rows * LINE + 6.0
}

/// Lists the first twenty at the upper edge of a picture of this width.
pub fn legend(svg: &mut Svg, width: f64, entries: &[Entry]) {
    let columns = columns(entries.len());
    let room = (width / columns as f64).floor();
    for (at, entry) in entries.iter().take(LISTED_MAX).enumerate() {
        let left = (at % columns) as f64 * room;
        let base = (at / columns) as f64 * LINE + 15.0;
        let middle = (left + 10.0, base);
        svg.rect(entry.colour, (left + 2.0, base - 13.0), (16.0, 17.0), 3.0);
        svg.text("s-on s-bold", middle, 12.0, Anchor::Middle, &entry.label);
        let at = (left + 23.0, base);
        svg.text("s-text s-bold", at, LETTERS, Anchor::Start, &entry.name);
        let own = if entry.own { "own" } else { "" };
        let (words, edge) = match columns {
            1 => ([own, &entry.figure, &entry.words], 4.0),
            _ => ([own, &entry.figure, ""], 24.0),
        };
        let words = words.into_iter().filter(|word| !word.is_empty());
        let words = words.collect::<Vec<_>>().join(" · ");
        let right = (left + room - edge, base);
        svg.text("s-text", right, SMALL, Anchor::End, words);
    }
}
