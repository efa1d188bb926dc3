//! Rung 3: takes the nearest lighthouse that it can.

use super::paths::FAR;
use super::reason::Reason;
use super::scout::{Scene, Scout};
use crate::rules::Act;
use drover_game::rng::Rng;

pub(super) const DESCRIPTION: &str = "Walks to the nearest lighthouse that is not its own, attacks with everything, makes any link on the way.";

pub(super) fn act(scout: &Scout, scene: &Scene, rng: &mut Rng) -> (Act, Reason) {
    if let Some(at) = scene.at {
        if let Some(link) = scene.best_link(&scout.chart) {
            return link;
        }
        if !scene.mine(at) && scene.energy > scene.against(at) {
            return scene.attack(at);
        }
    }
    let steps = |to| scout.paths.steps(scene.here, to);
    let target = scout
        .lighthouses()
        .filter(|to| !scene.mine(*to) && scene.energy > scene.against(*to))
        .filter(|to| steps(*to) != FAR)
        .min_by_key(|to| steps(*to));
    target
        .and_then(|to| scout.walk_to(scene.here, to))
        .unwrap_or_else(|| (scout.random_step(scene.here, rng), Reason::Stray))
}
