//! Players outside the ladder, written from what is known of other authors' programs. The champion was made with them
//! in view: `against_one` was chosen against `early`, and wear, the prior of raids and tours came from games watched
//! with both (champion/README.md).

use super::paths::FAR;
use super::reason::Reason;
use super::scout::{Scene, Scout, scouting};
use crate::rules::{Act, Lighthouse, Lighthouses};
use drover_game::game::Bot;
use drover_game::rng::Rng;

/// The stream of a stranger's chance.
const STREAM: u64 = 2 << 32;
/// The energy with which the harasser goes to shoot.
const SHOT: u32 = 150;
/// What the harasser leaves on a lighthouse that it takes.
const GARRISON: u32 = 50;
/// The energy with which the early planner goes to charge.
const FIRST: u32 = 120;
/// The most energy up to which the early planner tops up its lighthouses.
const TOP: u32 = 1_500;
/// A cell with no more than this is not worth a step.
const POOR: u8 = 3;

/// The stranger with this name, or `None` if there is none. `seed` is its own chance.
///
/// - `harasser` shoots at the nearest lighthouse of a rival, with little energy and again and again. It takes a
///   lighthouse if its energy suffices for that.
/// - `early` charges the first lighthouses within some ten rounds, closes triangles with what it has, and tops up
///   its lighthouses later.
#[must_use]
pub fn stranger(name: &str, seed: u64) -> Option<Box<dyn Bot<Lighthouses>>> {
    let rng = Rng::new(seed, STREAM);
    match name {
        "harasser" => Some(scouting(rng, harass)),
        "early" => Some(scouting(rng, early)),
        _ => None,
    }
}

fn nearest(
    scout: &Scout,
    scene: &Scene,
    rank: impl Fn(Lighthouse) -> Option<u32>,
) -> Option<Lighthouse> {
    let steps = |to| scout.paths.steps(scene.here, to);
    scout
        .lighthouses()
        .filter(|to| Some(*to) != scene.at && steps(*to) != FAR)
        .filter_map(|to| Some((rank(to)?, steps(to), to)))
        .min()
        .map(|(_, _, to)| to)
}

/// The nearest lighthouse of a rival; without any, the nearest one that is not its own.
fn prey(scout: &Scout, scene: &Scene) -> Option<Lighthouse> {
    nearest(scout, scene, |to| {
        let owner = scene.network.beacon(to).owner;
        (owner != Some(scene.seat)).then_some(u32::from(owner.is_none()))
    })
}

fn harass(scout: &Scout, scene: &Scene, rng: &mut Rng) -> (Act, Reason) {
    if let Some(at) = scene.at {
        if let Some(link) = scene.best_link(&scout.chart) {
            return link;
        }
        let against = scene.against(at);
        if !scene.mine(at) && scene.energy >= SHOT.min(against + GARRISON) {
            let energy = scene.energy.min(against + GARRISON);
            return (Act::Attack(energy.into()), scene.attack(at).1);
        }
    }
    scout.gather_or_walk(scene, rng, SHOT, POOR, prey)
}

/// Where the early planner goes: to what closes a triangle, to a free lighthouse, to one that it can take, to a key,
/// to its weakest one.
fn post(scout: &Scout, scene: &Scene) -> Option<Lighthouse> {
    nearest(scout, scene, |to| {
        let affordable = scene.energy > scene.against(to) + GARRISON;
        let beacon = scene.network.beacon(to);
        if affordable && scout.closing(scene, to) > 0 {
            Some(0)
        } else if beacon.owner.is_none() {
            Some(1)
        } else if scene.mine(to) && scene.keys & to.bit() == 0 {
            Some(2)
        } else if scene.mine(to) {
            (beacon.energy < TOP).then_some(4 + beacon.energy / 100)
        } else {
            affordable.then_some(3)
        }
    })
}

fn early(scout: &Scout, scene: &Scene, rng: &mut Rng) -> (Act, Reason) {
    if let Some(at) = scene.at {
        if let Some(link) = scene.best_link(&scout.chart) {
            return link;
        }
        let against = scene.against(at);
        let there = scene.network.beacon(at).energy;
        let worth = if scene.mine(at) {
            there < TOP && scene.energy > FIRST.max(there / 4)
        } else {
            scene.energy > against + GARRISON
        };
        if worth {
            return scene.attack(at);
        }
    }
    scout.gather_or_walk(scene, rng, FIRST, POOR, post)
}
