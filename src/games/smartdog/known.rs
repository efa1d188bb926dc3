//! Maps that a player may recognise at the start of a match: those of the atlas, and those learnt in earlier
//! matches (README.md, section 7).

use super::map::{Map, Square};
use super::rules::{Land, Seen, View};
use super::{atlas, cartographer};
use drover_game::game::Seat;
use serde_json::Value;
use std::mem::discriminant;

/// Maps with their options in their headers.
#[derive(Clone, Debug, Default)]
pub struct KnownMaps(Vec<Map>);

/// Where a tile's dogs and sheep start, as (column, row) from its corner, in creation order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownTile {
    /// Its dogs.
    pub dogs: Vec<(u16, u16)>,
    /// Its sheep, in the pen and outside.
    pub sheep: Vec<(u16, u16)>,
}

impl KnownMaps {
    /// No maps at all.
    #[must_use]
    pub const fn none() -> Self {
        Self(Vec::new())
    }

    /// Only these maps.
    #[must_use]
    pub const fn from_maps(maps: Vec<Map>) -> Self {
        Self(maps)
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

    /// The maps of the atlas, and those of learnt models (name, model) in which every dog and sheep has its
    /// place. Anything else among the models is ignored.
    #[must_use]
    pub fn of_models(models: &[(String, Value)]) -> Self {
        let mut known = Self::of_atlas();
        known.0.extend(
            models
                .iter()
                .filter_map(|(_, model)| cartographer::complete(model)),
        );
        known
    }

    /// The maps, in the order of comparison.
    pub fn iter(&self) -> impl Iterator<Item = &Map> {
        self.0.iter()
    }

    /// The initial position of every tile, if the first view is one of a known map: the same landscape, the
    /// options that the map itself sets, numbers of sheep, and own dogs.
    #[must_use]
    pub fn recognise(&self, view: &View) -> Option<KnownTile> {
        if view.turn != 1 {
            return None;
        }
        let found = self.0.iter().find(|map| matches(map, view))?;
        let mut tile = KnownTile::default();
        for (y, row) in (0u16..).zip(found.iter()) {
            for (x, square) in (0u16..).zip(row) {
                if *square == Square::Dog {
                    tile.dogs.push((x, y));
                } else if square.has_sheep() {
                    tile.sheep.push((x, y));
                }
            }
        }
        Some(tile)
    }
}

/// Whether a first view can be one of this map.
fn matches(map: &Map, view: &View) -> bool {
    let ground = &view.ground;
    let torus = ground.torus();
    let Some(tile) = ground.tiles().get(view.seat) else {
        return false;
    };
    let (cols, rows) = (
        usize::from(tile.last.x.saturating_sub(tile.first.x)) + 1,
        usize::from(tile.last.y.saturating_sub(tile.first.y)) + 1,
    );
    if (map.cols(), map.rows()) != (cols, rows)
        || map.header().over(*ground.options()) != *ground.options()
        || map.count(Square::has_sheep) != ground.sheep_of_tile() as usize
        || map.count(|square| square == Square::PennedSheep) != ground.penned_of_tile() as usize
    {
        return false;
    }
    let mut dogs = 0;
    for (y, row) in (tile.first.y..=tile.last.y).zip(map.iter()) {
        for (x, square) in (tile.first.x..=tile.last.x).zip(row) {
            let spot = super::rules::Spot { x, y };
            if !torus.contains(spot) || !is_land(*square, ground.land(spot)) {
                return false;
            }
            let own = |seen: &Seen| matches!(seen, Seen::Dog(dog) if dog.spot == spot && dog.owner == view.seat);
            if *square == Square::Dog {
                dogs += 1;
                if !view.seen.iter().any(own) {
                    return false;
                }
            }
        }
    }
    let own = |seen: &&Seen| matches!(seen, Seen::Dog(dog) if dog.owner == view.seat);
    view.seen.iter().filter(own).count() == dogs
}

/// Whether a square has this landscape, regardless of its pens' owners.
fn is_land(square: Square, land: Land) -> bool {
    discriminant(&Land::from_square(square, Seat(0))) == discriminant(&land)
}
