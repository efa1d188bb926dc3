//! Who plays and how they stand: lines above a field, two players a line.

use super::classes::player;
use super::svg::{Anchor, Svg};

/// Height of a line.
const LINE: f64 = 20.0;
/// Height of the letters.
const LETTERS: f64 = 12.0;
/// Players that are listed at most.
const LISTED_MAX: usize = 20;

/// How one player, or one team, stands.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// Its place, which decides its colour.
    pub place: usize,
    /// Its number.
    pub label: String,
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
    entries.min(LISTED_MAX).div_ceil(2) as f64 * LINE + 4.0
}

/// Lists the first twenty at the upper edge of a picture of this width.
pub fn legend(svg: &mut Svg, width: f64, entries: &[Entry]) {
    let half = (width / 2.0).floor();
    for (at, entry) in entries.iter().take(LISTED_MAX).enumerate() {
        let left = (at % 2) as f64 * half;
        let base = (at / 2) as f64 * LINE + 15.0;
        svg.rect(
            player(entry.place),
            (left + 2.0, base - 12.0),
            (16.0, 16.0),
            3.0,
        );
        let class = if entry.own { "s-text s-bold" } else { "s-text" };
        svg.text(
            "s-on s-bold",
            (left + 10.0, base),
            11.0,
            Anchor::Middle,
            &entry.label,
        );
        svg.text(
            class,
            (left + 22.0, base),
            LETTERS,
            Anchor::Start,
            &entry.words,
        );
        if !entry.figure.is_empty() {
            let right = (left + half - 6.0, base);
            svg.text("s-text s-bold", right, LETTERS, Anchor::End, &entry.figure);
        }
    }
}
