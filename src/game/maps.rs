//! Maps, for games that are played on maps.

use crate::game::SetupError;

/// What kind of map to draw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MapStyle {
    /// Whether both sides are alike.
    pub symmetric: bool,
    /// Numbers by the names in [`Maps::sizes`]; what is absent is left to the seed.
    pub sizes: Vec<(String, usize)>,
}

impl MapStyle {
    /// The number of this name.
    #[must_use]
    pub fn size(&self, name: &str) -> Option<usize> {
        let mut sizes = self.sizes.iter();
        sizes.find_map(|(known, size)| (known == name).then_some(*size))
    }
}

/// A number that a map can be drawn by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapSize {
    /// Its name.
    pub name: &'static str,
    /// What it counts, and what holds where it is not given.
    pub description: &'static str,
}

impl MapSize {
    /// A number with what it counts.
    #[must_use]
    pub const fn new(name: &'static str, description: &'static str) -> Self {
        Self { name, description }
    }
}

/// The maps of a game that is played on maps.
pub trait Maps: Sync {
    /// The maps that come with the game: name and text, by name.
    fn shipped(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }
    /// What maps can be drawn by.
    fn sizes(&self) -> &'static [MapSize];
    /// The map of a seed and style as text; the same for ever.
    ///
    /// # Errors
    /// [`SetupError`] names what cannot be drawn.
    fn draw(&self, seed: u64, style: &MapStyle) -> Result<String, SetupError>;
    /// Whether a text is a map of the game.
    ///
    /// # Errors
    /// [`SetupError`] says what is wrong where.
    fn check(&self, text: &str) -> Result<(), SetupError>;
}
