//! The classes of a picture's elements, and the stylesheet that gives them colours.

/// The stylesheet of [`CLASSES`], light and dark: by the `data-theme` of the root, else by what the reader prefers.
pub const STYLE: &str = include_str!("style.css");

/// Every class that an element of a picture may have, which may be several of them: what it is, and whose.
///
/// | class | what it is |
/// |---|---|
/// | `s-board` | the ground of the picture or of a panel |
/// | `s-fill` | a shape that stands out from the ground: a card, a cell; with `s-text` its edge in the colour of text |
/// | `s-land` | the same without an edge: land of many boxes |
/// | `s-line` | a stroke without a filling; with a player's class in its colour, with `s-text` in that of text |
/// | `s-text` | text on a ground or a filling; with a player's class in its colour |
/// | `s-muted` | text or line of lesser weight |
/// | `s-accent` | what the eye is to fall on, in the colour of text: the best bid, the step that is shown |
/// | `s-warn` | what is wrong: a bluff, a fault, a loss |
/// | `s-p0` … `s-p9` | a shape of the player at this place of the state |
/// | `s-neutral` | a shape of nobody |
/// | `s-on` | text on a shape of a player's or nobody's |
/// | `s-light` | a ground that is no player's: energy |
/// | `s-red` | hearts and diamonds |
/// | `s-face` | the face of a card, pale in light and dark |
/// | `s-coin` | a coin, or what marks panic: gold in light and dark |
/// | `s-ink` | text on a card or a coin; with `s-red` in its red |
/// | `s-faint` | a shape or stroke that lets through what is beneath: a reach, a path |
/// | `s-bold` | text or stroke of greater weight |
/// | `s-halo` | text or a shape that an edge of the ground sets apart from what is beneath |
pub const CLASSES: [&str; 28] = [
    "s-board",
    "s-fill",
    "s-land",
    "s-line",
    "s-text",
    "s-muted",
    "s-accent",
    "s-warn",
    "s-p0",
    "s-p1",
    "s-p2",
    "s-p3",
    "s-p4",
    "s-p5",
    "s-p6",
    "s-p7",
    "s-p8",
    "s-p9",
    "s-neutral",
    "s-on",
    "s-light",
    "s-red",
    "s-face",
    "s-coin",
    "s-ink",
    "s-faint",
    "s-bold",
    "s-halo",
];

/// How many colours there are for players.
pub(super) const COLOURS: usize = 10;

/// The class of the player at this place of a state; further places begin again at the first colour.
#[must_use]
pub fn player(place: usize) -> &'static str {
    const PLAYERS: [&str; COLOURS] = [
        "s-p0", "s-p1", "s-p2", "s-p3", "s-p4", "s-p5", "s-p6", "s-p7", "s-p8", "s-p9",
    ];
    PLAYERS[place % COLOURS]
}
