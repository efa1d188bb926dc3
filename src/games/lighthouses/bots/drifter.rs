//! Rung 2: any legal act, with a preference for lighthouses.

use super::reason::Reason;
use super::scout::{Scene, Scout};
use crate::rules::Act;
use drover_game::rng::Rng;

pub(super) const DESCRIPTION: &str =
    "Strays at random; on a lighthouse mostly makes a random link or attacks with random energy.";

/// How often a chance to link or to attack is taken.
const EAGER: f64 = 0.6;

/// Drifts over the island.
pub(super) fn act(scout: &Scout, scene: &Scene, rng: &mut Rng) -> (Act, Reason) {
    if let Some(at) = scene.at {
        if scene.mine(at) && rng.chance(EAGER) {
            let links = scene.links(&scout.chart);
            let pick = rng.below(links.len() as u32) as usize;
            if let Some((to, _)) = links.get(pick) {
                return (Act::Connect(*to), Reason::Chance);
            }
        }
        if rng.chance(EAGER) {
            let energy = rng.below(scene.energy.saturating_add(1));
            return (Act::Attack(energy.into()), Reason::Chance);
        }
    }
    (scout.random_step(scene.here, rng), Reason::Chance)
}
