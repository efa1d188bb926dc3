//! Where dogs go to look for sheep that are out of sight.

use super::terrain::{FAR, Terrain};
use super::world::World;
use crate::options::Key;
use crate::rules::Land;

/// After this many turns a cell may be worth another look.
const STALE: u32 = 30;

/// Steps to the nearest cell worth looking at. With `pens`: others' pens that were not seen for a long time. If sheep
/// are missing: before those pens cells of the own tile never seen, after them cells of any tile never seen, else those
/// of the own tile not seen for a long time.
pub(super) fn explore(world: &World, terrain: &Terrain, pens: bool) -> Option<Vec<u16>> {
    if world.missing() == 0 && !pens {
        return None;
    }
    let ground = &terrain.ground;
    let torus = ground.torus();
    let turn = world.game.turn();
    let sight = ground
        .options()
        .get(Key::DogVisibilityR)
        .min(u32::from(FAR)) as u16;
    let own = ground.tiles().get(world.me);
    let cells = |wanted: &dyn Fn(usize) -> bool| -> Vec<usize> {
        let open = |cell: &usize| ground.land(torus.spot(*cell)).is_open();
        (0..torus.area())
            .filter(|cell| open(cell) && wanted(*cell))
            .collect()
    };
    let inside = |cell: usize, own_only: bool| {
        let spot = torus.spot(cell);
        if own_only {
            own.is_some_and(|area| area.contains(spot))
        } else {
            ground.tiles().iter().any(|(_, area)| area.contains(spot))
        }
    };
    let never = |cell: usize| world.last_seen.get(cell) == Some(&0);
    let stale = |cell: usize| {
        world
            .last_seen
            .get(cell)
            .is_some_and(|seen| seen.saturating_add(STALE) < turn)
    };
    let robbed = |cell: usize| {
        let land = ground.land(torus.spot(cell));
        matches!(land, Land::Pen(owner) if owner != world.me)
    };
    let missing = world.missing() > 0;
    let mut sources = cells(&|cell| missing && never(cell) && inside(cell, true));
    if sources.is_empty() && pens {
        sources = cells(&|cell| stale(cell) && robbed(cell));
    }
    if !missing && sources.is_empty() {
        return None;
    }
    if sources.is_empty() {
        sources = cells(&|cell| never(cell) && inside(cell, false));
    }
    if sources.is_empty() {
        sources = cells(&|cell| stale(cell) && inside(cell, true));
    }
    if sources.is_empty() {
        return None;
    }
    let mut steps = terrain.distances(sources);
    for step in &mut steps {
        if *step != FAR {
            *step = step.saturating_sub(sight);
        }
    }
    Some(steps)
}
