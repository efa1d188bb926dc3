//! Who plays and how they stand: two players next to each other above a field.

use super::svg::{Anchor, Svg};

/// Height of a line.
const LINE: f64 = 18.0;
/// Height of the letters.
const LETTERS: f64 = 13.0;
/// Players that are listed at most.
const LISTED_MAX: usize = 20;
/// Players up to which each has a second line.
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
    /// What it has, in a few words.
    pub words: String,
    /// Its score; empty where it is not known.
    pub figure: String,
    /// Whether it is the one that looks on.
    pub own: bool,
}

/// Height of a legend with this many entries.
#[must_use]
pub fn legend_height(entries: usize) -> f64 {
    let rows = entries.min(LISTED_MAX).div_ceil(2) as f64;
    rows * row(entries) + 6.0
}

/// Height of an entry among this number of them.
fn row(entries: usize) -> f64 {
    match entries {
        ..=SPACIOUS_MAX => 2.0 * LINE,
        _ => LINE + 2.0,
    }
}

/// Lists the first twenty at the upper edge of a picture of this width.
pub fn legend(svg: &mut Svg, width: f64, entries: &[Entry]) {
    let half = (width / 2.0).floor();
    let spacious = entries.len() <= SPACIOUS_MAX;
    for (at, entry) in entries.iter().take(LISTED_MAX).enumerate() {
        let left = (at % 2) as f64 * half;
        let base = (at / 2) as f64 * row(entries.len()) + 15.0;
        let middle = (left + 10.0, base);
        svg.rect(entry.colour, (left + 2.0, base - 13.0), (16.0, 17.0), 3.0);
        svg.text("s-on s-bold", middle, 12.0, Anchor::Middle, &entry.label);
        let at = (left + 23.0, base);
        svg.text("s-text s-bold", at, LETTERS, Anchor::Start, &entry.name);
        if spacious {
            let at = (left + 23.0, base + LINE - 2.0);
            let own = if entry.own { "own: " } else { "" };
            let words = format_args!("{own}{}", entry.words);
            svg.text("s-muted", at, LETTERS - 1.0, Anchor::Start, words);
        }
        if !entry.figure.is_empty() {
            let right = (left + half - 6.0, base);
            svg.text("s-text s-bold", right, LETTERS, Anchor::End, &entry.figure);
        }
    }
}
