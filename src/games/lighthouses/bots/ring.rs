//! Rung 5: evaluates every lighthouse and builds rings of them.

use super::paths::FAR;
use super::scout::{Scene, Scout};
use crate::game::{Bot, Budget};
use crate::lighthouses::rules::{Act, Ask, Event, Lighthouse, Lighthouses, View};
use crate::rng::Rng;

pub(super) const DESCRIPTION: &str = "Gathers some energy from good cells, then goes where the most triangles, links and keys are to be had and leaves everything there.";

/// Energy up to which it gathers.
const WANTED: u32 = 600;
/// A cell with no more is not worth a step.
const POOR: u8 = 10;

/// Builds rings.
pub(super) struct Ring {
    scout: Option<Scout>,
    rng: Rng,
    /// The lighthouse that has received its energy at this visit.
    charged: Option<Lighthouse>,
}

impl Ring {
    pub(super) fn new(rng: Rng) -> Self {
        Self {
            scout: None,
            rng,
            charged: None,
        }
    }
}

/// How many links a player with these keys could make at a lighthouse.
fn links_there(scout: &Scout, scene: &Scene, at: Lighthouse) -> i64 {
    let ends = Lighthouse::of(scout.chart.linkable(at) & scene.keys);
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

fn act(scout: &Scout, scene: &Scene, charged: &mut Option<Lighthouse>, rng: &mut Rng) -> Act {
    if *charged != scene.at {
        *charged = None;
    }
    if let Some(at) = scene.at {
        let useful = scene.mine(at) || scene.energy > scene.against(at);
        if charged.is_none() && useful && scene.energy > 0 {
            *charged = Some(at);
            return Act::Attack(scene.energy.into());
        }
        if let Some(link) = scene.best_link(&scout.chart) {
            return link;
        }
    }
    let gathered = if scene.energy < WANTED {
        scout.richest_step(scene.here, POOR, rng)
    } else {
        None
    };
    let walk = || scout.step_to(scene.here, target(scout, scene)?);
    gathered
        .or_else(walk)
        .unwrap_or_else(|| scout.random_step(scene.here, rng))
}

impl Bot<Lighthouses> for Ring {
    fn observe(&mut self, event: &Event) {
        Scout::hear(&mut self.scout, event);
    }

    fn decide(&mut self, view: &View, ask: &Ask, _: Budget<'_>) -> Act {
        let (Some(scout), Ask::Turn) = (self.scout.as_mut(), ask) else {
            return Act::Pass;
        };
        let scene = scout.look(view);
        act(scout, &scene, &mut self.charged, &mut self.rng)
    }
}
