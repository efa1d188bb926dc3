//! Believed sheep, and where they started.

use crate::rules::{Area, Direction, Ground, Sheep, Spot};
use drover_game::game::Seat;

/// The most sheep in the belief: all of four of the largest tiles.
pub(super) const SHEEP_MAX: usize = 2_000;

/// Tile, row and column where a sheep started, or where it was first seen: sheep act in this order.
pub(super) type Rank = (usize, u16, u16);

/// A believed sheep.
pub(super) struct Tracked {
    pub(super) sheep: Sheep,
    pub(super) rank: Rank,
    /// Its number in the position before.
    pub(super) number: Option<usize>,
}

impl Tracked {
    /// A calm sheep that started on this cell, as far as is known.
    pub(super) fn new(ground: &Ground, spot: Spot) -> Self {
        Self {
            sheep: Sheep::imagine(spot, Direction::Down, 0),
            rank: rank(&tiles(ground), spot),
            number: None,
        }
    }
}

/// Where a sheep that started on this cell stands in the order.
pub(super) fn rank(tiles: &[(Seat, Area)], spot: Spot) -> Rank {
    let inside = |(_, area): &(Seat, Area)| area.contains(spot);
    let tile = tiles.iter().position(inside).unwrap_or(tiles.len());
    (tile, spot.y, spot.x)
}

/// Players' tiles in creation order.
pub(super) fn tiles(ground: &Ground) -> Vec<(Seat, Area)> {
    let mut tiles: Vec<(Seat, Area)> = ground
        .tiles()
        .iter()
        .map(|(seat, area)| (seat, *area))
        // Where the others' tiles lie is unknown if the own one fits no layout.
        .filter(|(_, area)| area.first.x <= area.last.x && area.first.y <= area.last.y)
        .collect();
    tiles.sort_by_key(|(seat, area)| (area.first.y, area.first.x, *seat));
    tiles
}
