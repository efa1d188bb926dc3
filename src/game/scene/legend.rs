//! Who plays and how they stand: a line for each player above a field, or half a line where there are many; or next to it,
//! one below the other.

use super::svg::{Anchor, Svg};

/// Height of a line.
const LINE: f64 = 19.0;
/// Height of the letters of a name, and of what its player has.
const LETTERS: f64 = 13.0;
const SMALL: f64 = 11.5;
/// Players that are listed at most.
const LISTED_MAX: usize = 20;
/// Height of a player next to a field, and of one of its lines.
const ASIDE: f64 = 48.0;
const ASIDE_LINE: f64 = 14.0;
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
        entry.name(svg, left, base);
        let (words, edge) = match columns {
            1 => (entry.has(&entry.words), 4.0),
            _ => (entry.has(""), 24.0),
        };
        let right = (left + room - edge, base);
        svg.text("s-text", right, SMALL, Anchor::End, words);
    }
}

/// Height of a legend with this many entries next to a field.
#[must_use]
pub fn legend_aside_height(entries: usize) -> f64 {
    entries as f64 * ASIDE
}

/// Lists them one below the other from the upper edge on, 140 units wide: the name, the figure, and what else it has.
pub fn legend_aside(svg: &mut Svg, left: f64, entries: &[Entry]) {
    for (at, entry) in entries.iter().enumerate() {
        let base = at as f64 * ASIDE + 15.0;
        entry.name(svg, left, base);
        for (line, words) in [(1.0, entry.has("")), (2.0, entry.words.clone())] {
            let at = (left + 2.0, base + line * ASIDE_LINE + 1.0);
            svg.text("s-text", at, SMALL, Anchor::Start, words);
        }
    }
}

impl Entry {
    /// Its mark with its name.
    fn name(&self, svg: &mut Svg, left: f64, base: f64) {
        let middle = (left + 10.0, base);
        svg.rect(self.colour, (left + 2.0, base - 13.0), (16.0, 17.0), 3.0);
        svg.text("s-on s-bold", middle, 12.0, Anchor::Middle, &self.label);
        let at = (left + 23.0, base);
        svg.text("s-text s-bold", at, LETTERS, Anchor::Start, &self.name);
    }

    /// Whether it is the reader's own, its figure, and more.
    fn has(&self, more: &str) -> String {
        let own = if self.own { "own" } else { "" };
        let words = [own, &self.figure, more].into_iter();
        let words = words.filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join(" · ")
    }
}
