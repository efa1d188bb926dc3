//! Rung 5: evaluates every lighthouse and builds rings of them.

use super::paths::FAR;
use super::reason::Reason;
use super::scout::{Scene, Scout};
use crate::rules::{Act, Lighthouse};
use drover_game::rng::Rng;

pub(super) const DESCRIPTION: &str = "Gathers some energy from good cells, then goes where the most triangles, links and keys are to be had and leaves everything there.";

/// Energy up to which it gathers.
const WANTED: u32 = 600;
/// A cell with no more is not worth a step.
const POOR: u8 = 10;

/// How many links a player with these keys could make at a lighthouse.
fn links_there(scout: &Scout, scene: &Scene, at: Lighthouse) -> i64 {
    let ends = Lighthouse::in_set(scout.chart.linkable(at) & scene.keys);
    let links = scene.network.beacon(at).links;
    let open = |to: &Lighthouse| {
        scene.mine(*to) && links & to.bit() == 0 && !scene.network.crossed(&scout.chart, at, *to)
    };
    ends.filter(open).count() as i64
}

/// The value of going to a lighthouse.
fn worth(scout: &Scout, scene: &Scene, to: Lighthouse) -> i64 {
    let steps = i64::from(scout.paths.steps(scene.here, to));
    let mine = scene.mine(to);
    let weaker = scene.network.beacon(to).energy < scene.energy;
    let mut worth = 100 * links_there(scout, scene, to) - steps;
    worth += 1_000_000 * scout.closing(scene, to);
    if mine && scene.keys & to.bit() == 0 {
        worth += 1000;
    }
    match (mine, weaker) {
        (true, true) => worth += 500,
        (false, true) => worth += 100,
        (_, false) => {}
    }
    worth
}

fn target(scout: &Scout, scene: &Scene) -> Option<Lighthouse> {
    scout
        .lighthouses()
        .filter(|to| Some(*to) != scene.at && scout.paths.steps(scene.here, *to) != FAR)
        .max_by_key(|to| (worth(scout, scene, *to), std::cmp::Reverse(*to)))
}

/// Builds rings. `charged` is the lighthouse that has received its energy at this visit.
pub(super) fn act(
    scout: &Scout,
    scene: &Scene,
    rng: &mut Rng,
    charged: &mut Option<Lighthouse>,
) -> (Act, Reason) {
    if *charged != scene.at {
        *charged = None;
    }
    if let Some(at) = scene.at {
        let useful = scene.mine(at) || scene.energy > scene.against(at);
        if charged.is_none() && useful && scene.energy > 0 {
            *charged = Some(at);
            return scene.attack(at);
        }
        if let Some(link) = scene.best_link(&scout.chart) {
            return link;
        }
    }
    scout.gather_or_walk(scene, rng, WANTED, POOR, target)
}
