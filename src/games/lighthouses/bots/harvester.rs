//! Rung 4: gathers energy first.

use super::paths::FAR;
use super::reason::Reason;
use super::scout::{Scene, Scout};
use crate::rules::{Act, Lighthouse};
use drover_game::rng::Rng;

pub(super) const DESCRIPTION: &str = "Gathers a thousand energy from cell to cell, then takes lighthouses and links them, triangles first.";

/// Energy up to which it gathers.
const WANTED: u32 = 1000;
/// Energy with which it takes a lighthouse that it passes while gathering.
const ENOUGH: u32 = 250;
/// A cell with no more than this is not worth a step.
const POOR: u8 = 5;

/// Where to go with a full purse: to close a triangle, to fetch a key, to take the nearest one.
fn target(scout: &Scout, scene: &Scene) -> Option<Lighthouse> {
    let urgency = |to: Lighthouse| {
        if scout.closing(scene, to) > 0 {
            0
        } else if scene.mine(to) && scene.keys & to.bit() == 0 {
            1
        } else {
            2
        }
    };
    let steps = |to| scout.paths.steps(scene.here, to);
    scout
        .lighthouses()
        .filter(|to| Some(*to) != scene.at && steps(*to) != FAR)
        .filter(|to| urgency(*to) < 2 || !scene.mine(*to))
        .min_by_key(|to| (urgency(*to), steps(*to)))
}

pub(super) fn act(scout: &Scout, scene: &Scene, rng: &mut Rng) -> (Act, Reason) {
    if let Some(at) = scene.at {
        if let Some(link) = scene.best_link(&scout.chart) {
            return link;
        }
        if !scene.mine(at) && scene.energy > scene.against(at).max(ENOUGH) {
            return scene.attack(at);
        }
    }
    scout.gather_or_walk(scene, rng, WANTED, POOR, target)
}
