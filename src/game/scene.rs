//! What is to be seen of a match: positions as data in each game's own schema, and pictures of them.
//!
//! [`crate::Table::scene`] shows everything, [`crate::Dialogue::scene`] what one seat may know, both in one schema
//! a game, and [`crate::Kit::picture`] draws either. A picture holds no colour: its elements have the classes of
//! [`CLASSES`], which one stylesheet defines for light and dark.

mod legend;
mod svg;

pub use self::legend::{Entry, legend, legend_height};
pub use self::svg::{Anchor, Svg};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The position of a match at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// The game's own count of turns, rounds or tricks; it never falls within a match.
    pub turn: u32,
    /// What happened last, in one short plain sentence without a line break.
    pub title: String,
    /// The position in the game's own documented schema; what the viewer may not know is null or absent.
    pub state: Value,
}

impl Scene {
    /// A scene of a state that serialises.
    #[must_use]
    pub fn of(turn: u32, title: impl Into<String>, state: &impl Serialize) -> Self {
        Self {
            turn,
            title: title.into(),
            // A struct of plain fields and text keys always serialises.
            state: serde_json::to_value(state).unwrap_or_default(),
        }
    }
}

/// A picture of a state: SVG fragments without the outer element, to be drawn one over the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// Width of the view box, in its own units.
    pub width: u32,
    /// Its height.
    pub height: u32,
    /// What stays the same as long as the match runs, such as a map; may be empty.
    pub still: String,
    /// What changes from state to state. Begins with a `<title>` that says in words what is to be seen.
    pub moving: String,
}

impl Picture {
    /// A whole SVG document of it with a stylesheet of its own.
    #[must_use]
    pub fn document(&self, style: &str) -> String {
        let (width, height) = (self.width, self.height);
        let (still, moving) = (&self.still, &self.moving);
        let style = svg::escaped(style);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\"><style>{style}</style>\
             <g>{still}</g><g>{moving}</g></svg>\n"
        )
    }
}

/// The stylesheet of [`CLASSES`], light and dark: by the `data-theme` of the root, else by what the reader prefers.
pub const STYLE: &str = include_str!("scene/style.css");

/// Every class that an element of a picture may have, which may be several of them: what it is, and whose.
///
/// | class | what it is |
/// |---|---|
/// | `s-board` | the ground of the picture or of a panel |
/// | `s-fill` | a shape that stands out from the ground: a card, a cell |
/// | `s-line` | a stroke without a filling; with a player's class in its colour |
/// | `s-text` | text on a ground or a filling; with a player's class in its colour |
/// | `s-muted` | text or line of lesser weight |
/// | `s-accent` | what the eye is to fall on: the one to move, the best bid |
/// | `s-warn` | what is wrong: a bluff, a fault, a loss |
/// | `s-p0` … `s-p9` | a shape of the player at this place of the state |
/// | `s-neutral` | a shape of nobody |
/// | `s-on` | text on a shape of a player's or nobody's |
/// | `s-faint` | a shape or stroke that lets through what is beneath: a reach, a path |
/// | `s-bold` | text or stroke of greater weight |
pub const CLASSES: [&str; 21] = [
    "s-board",
    "s-fill",
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
    "s-faint",
    "s-bold",
];

/// The class of the player at this place of a state; further places begin again at the first colour.
#[must_use]
pub fn player(place: usize) -> &'static str {
    const PLAYERS: [&str; 10] = [
        "s-p0", "s-p1", "s-p2", "s-p3", "s-p4", "s-p5", "s-p6", "s-p7", "s-p8", "s-p9",
    ];
    PLAYERS[place % PLAYERS.len()]
}
