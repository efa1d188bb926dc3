//! What is to be seen of a match: positions as data in each game's own schema, and pictures of them.
//!
//! [`crate::Table::scene`] shows everything, [`crate::Dialogue::scene`] what one seat may know, both in one schema
//! a game, and [`crate::GameCard::picture`] draws either. A picture holds no colour: its elements have the classes of
//! [`CLASSES`], which one stylesheet defines for light and dark.

mod classes;
mod legend;
mod names;
mod svg;

pub use self::classes::{CLASSES, STYLE, player};
pub use self::legend::{
    Entry, LEGEND_NAME_CHARS, legend, legend_aside, legend_aside_height, legend_height,
};
pub use self::names::{Names, Numbered, Who};
pub use self::svg::{Anchor, Point, Size, Svg};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The position of a match at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// How many turns, rounds, tricks or deals are over; it never falls within a match.
    pub turn: u32,
    /// What happened last, in one short plain sentence without a line break; players in it are [`Who`].
    pub title: String,
    /// The position in the game's own documented schema; what the viewer may not know is null or absent.
    pub state: Value,
}

impl Scene {
    /// A scene of a state that serialises.
    #[must_use]
    pub fn new(turn: u32, title: impl Into<String>, state: &impl Serialize) -> Self {
        Self {
            turn,
            title: title.into(),
            // A struct of plain fields and text keys always serialises.
            state: serde_json::to_value(state).unwrap_or_default(),
        }
    }
}

/// What a spectator wants to know of the step from one state to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News {
    /// It in one short sentence, as [`Scene::title`] is one.
    pub title: String,
    /// Whether nothing happened that anybody waits for.
    pub quiet: bool,
}

impl News {
    /// Something happened.
    #[must_use]
    pub fn loud(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            quiet: false,
        }
    }

    /// Nothing did.
    #[must_use]
    pub fn quiet(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            quiet: true,
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
