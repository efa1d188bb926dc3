//! Bare positions, for tests of what plans are made of.

use super::errands::Trade;
use super::knobs::CHAMPION;
use super::state::State;
use super::terrain::Terrain;
use super::worth::Worth;
use crate::map::Map;
use crate::rules::{Beacon, Lighthouses, Point, Setup};
use drover_game::game::Seat;
use std::sync::Arc;

/// A square island of this side in a sea one cell wide, with these lighthouses, which are numbered by row from the
/// bottom; all distances are known. Points are the first player's, and nothing is expected to fall but for lack of
/// energy.
pub fn island(side: i32, lighthouses: &[(i32, i32)]) -> Trade {
    let mut text = String::new();
    for y in (0..side + 2).rev() {
        for x in 0..side + 2 {
            let sea = x == 0 || y == 0 || x > side || y > side;
            text.push(match (x, y) {
                _ if sea => '#',
                place if lighthouses.contains(&place) => '!',
                (1, _) => 'A',
                _ => ' ',
            });
        }
        text.push('\n');
    }
    let setup = Setup::new(Map::read(&text).unwrap(), 1, 300);
    let mut terrain = Terrain::new(Arc::clone(Lighthouses::begin(&setup).chart()));
    while terrain.survey() {}
    let mut worth = Worth::new(0);
    worth.weigh(|round| CHAMPION.discount.powi(round as i32));
    worth.expect(true, |_| 0.0);
    worth.expect(false, |_| 0.0);
    worth.owners[0] = 1.0;
    Trade {
        terrain,
        worth,
        knobs: CHAMPION,
    }
}

/// A lighthouse of this player, linked with these.
pub fn held(owner: u8, energy: u32, links: &[usize]) -> Beacon {
    Beacon {
        owner: Some(Seat(owner)),
        energy,
        links: links.iter().fold(0, |set, to| set | 1 << to),
    }
}

/// A lighthouse of nobody.
pub const FREE: Beacon = Beacon {
    owner: None,
    energy: 0,
    links: 0,
};

/// The first player's position with these lighthouses, standing here with this energy and the keys of these.
pub fn position(
    trade: &Trade,
    lighthouses: &[Beacon],
    here: (i32, i32),
    purse: u32,
    keys: &[usize],
) -> State {
    let mut state = State::from_beacons(&trade.terrain, &trade.worth, lighthouses);
    state.at = trade.terrain.chart.cell(Point::from(here)).unwrap().0;
    state.purse = purse;
    state.keys = keys.iter().fold(0, |set, key| set | 1 << key);
    state
}
