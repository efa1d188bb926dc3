//! Rung 2: any legal act, with a preference for lighthouses.

use super::scout::Scout;
use crate::game::{Bot, Budget};
use crate::lighthouses::rules::{Act, Ask, Event, Lighthouses, View};
use crate::rng::Rng;

pub(super) const DESCRIPTION: &str =
    "Strays at random; on a lighthouse mostly makes a random link or attacks with random energy.";

/// How often a chance to link or to attack is taken.
const EAGER: f64 = 0.6;

/// Drifts over the island.
pub(super) struct Drifter {
    scout: Option<Scout>,
    rng: Rng,
}

impl Drifter {
    pub(super) fn new(rng: Rng) -> Self {
        Self { scout: None, rng }
    }
}

impl Bot<Lighthouses> for Drifter {
    fn observe(&mut self, event: &Event) {
        Scout::hear(&mut self.scout, event);
    }

    fn decide(&mut self, view: &View, ask: &Ask, _: Budget<'_>) -> Act {
        let (Some(scout), Ask::Turn) = (self.scout.as_mut(), ask) else {
            return Act::Pass;
        };
        let scene = scout.look(view);
        let rng = &mut self.rng;
        if let Some(at) = scene.at {
            if scene.mine(at) && rng.chance(EAGER) {
                let links = scene.links(&scout.chart);
                let pick = rng.below(links.len() as u32) as usize;
                if let Some((to, _)) = links.get(pick) {
                    return Act::Connect(*to);
                }
            }
            if rng.chance(EAGER) {
                return Act::Attack(rng.below(scene.energy.saturating_add(1)).into());
            }
        }
        scout.random_step(scene.here, rng)
    }
}
