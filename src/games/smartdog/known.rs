//! Maps that a player may recognise at the start of a match: those of the atlas, and those learnt in
//! matches before.

use super::atlas;
use super::map::Map;

/// Maps with their options in their headers.
#[derive(Clone, Debug, Default)]
pub struct KnownMaps(Vec<Map>);

impl KnownMaps {
    /// No map at all.
    #[must_use]
    pub const fn none() -> Self {
        Self(Vec::new())
    }

    /// The maps that come with the program.
    #[must_use]
    pub fn of_atlas() -> Self {
        Self(
            atlas::MAPS
                .iter()
                .filter_map(|(_, text)| Map::read(text).ok())
                .collect(),
        )
    }

    /// The maps, in the order in which they are compared.
    pub fn iter(&self) -> impl Iterator<Item = &Map> {
        self.0.iter()
    }
}
