//! Rung 6: hunts triangles.

pub use super::habits::{HABITS, Habits};
use super::paths::{FAR, richest};
use super::plans::{Pace, Plan, Planner};
use super::reason::Reason;
use super::scout::{Scene, Scout};
use crate::rules::{Act, Ask, Event, Lighthouse, Lighthouses, View};
use drover_game::by_rule::{ByRule, by_rule};
use drover_game::game::Bot;

pub(super) const DESCRIPTION: &str = "Weighs every triangle's cells and expected life against the turns to finish it, gathers what that takes, charges its corners evenly and keeps them alight.";

/// A triangle hunter with these parameters.
#[must_use]
pub fn hunter(habits: Habits) -> Box<dyn Bot<Lighthouses>> {
    by_rule(Triangle {
        habits,
        scout: None,
        mood: Mood::default(),
    })
}

/// How often a plan may start where its player stands before it walks on.
const VISITS_HERE_MAX: usize = 4;
/// How fast the expected pace follows the observed one.
const LEARNING: f64 = 0.05;

/// Hunts triangles.
#[derive(Clone)]
struct Triangle {
    habits: Habits,
    scout: Option<Scout>,
    mood: Mood,
}

/// The plan it follows.
#[derive(Clone)]
struct Mood {
    plan: Option<Plan>,
    /// Rounds until it reconsiders.
    rest: u32,
    /// The lighthouse of the current visit.
    visiting: Option<Lighthouse>,
    /// Whether that has been charged.
    charged: bool,
    pace: Pace,
    /// Its energy before the last move, and whether that move was to gather.
    moved: Option<(u32, bool)>,
}

impl Default for Mood {
    fn default() -> Self {
        Self {
            plan: None,
            rest: 0,
            visiting: None,
            charged: false,
            pace: Pace {
                gathering: 50.0,
                walking: 30.0,
            },
            moved: None,
        }
    }
}

impl Mood {
    /// Learns from the result of the last move.
    fn learn(&mut self, scene: &Scene) {
        let Some((energy, gathering)) = self.moved.take() else {
            return;
        };
        let met = f64::from(scene.energy.saturating_sub(energy)).min(200.0);
        let pace = if gathering {
            &mut self.pace.gathering
        } else {
            &mut self.pace.walking
        };
        *pace += LEARNING * (met - *pace);
    }

    /// Reconsiders at every new lighthouse, when the plan has become impossible, and periodically.
    fn think(&mut self, scout: &Scout, scene: &Scene, habits: &Habits) {
        if self.visiting != scene.at {
            self.visiting = scene.at;
            self.charged = false;
            self.rest = 0;
        }
        let planner = || Planner::new(scout, scene, habits, self.pace);
        let done = self
            .plan
            .as_ref()
            .is_some_and(|plan| plan.visits.is_empty());
        if self.rest == 0 || done {
            self.plan = planner().best(self.plan.as_ref());
            self.rest = habits.think_every.max(1.0) as u32;
        }
        self.rest -= 1;
    }

    fn act(&mut self, scout: &Scout, scene: &Scene, habits: &Habits) -> (Act, Reason) {
        self.learn(scene);
        if let Some(link) = closing_link(scout, scene, habits) {
            return link;
        }
        self.think(scout, scene, habits);
        if let Some(act) = self.carry_out(scout, scene, habits) {
            return act;
        }
        self.moved = Some((scene.energy, true));
        match gather(scout, scene, habits) {
            Some(step) => (step, Reason::PlanGathers),
            None => (Act::Pass, Reason::Nothing),
        }
    }

    /// The next act of the plan, unless the plan is to gather.
    fn carry_out(
        &mut self,
        scout: &Scout,
        scene: &Scene,
        habits: &Habits,
    ) -> Option<(Act, Reason)> {
        let mut thought = false;
        for _ in 0..VISITS_HERE_MAX {
            let plan = self.plan.as_mut()?;
            if plan.wait > 0 {
                return None;
            }
            let next = *plan.visits.first()?;
            if scene.at != Some(next) {
                self.moved = Some((scene.energy, false));
                let step = scout.step_to(scene.here, next)?;
                return Some((step, Reason::PlanWalks));
            }
            if let Some(act) = visit(plan, scout, scene, &mut self.charged) {
                // Nothing new is considered before everything here is done.
                self.rest = self.rest.max(1);
                return Some(act);
            }
            plan.visits.remove(0);
            if !thought {
                thought = true;
                let planner = Planner::new(scout, scene, habits, self.pace);
                self.plan = planner.best(self.plan.as_ref());
                self.rest = habits.think_every.max(1.0) as u32;
            }
        }
        None
    }
}

/// What a plan still requires at the lighthouse on which the player stands.
fn visit(plan: &Plan, scout: &Scout, scene: &Scene, charged: &mut bool) -> Option<(Act, Reason)> {
    if !*charged && plan.charge > 0 && scene.energy > 0 {
        *charged = true;
        return Some((Act::Attack(plan.charge.into()), Reason::PlanCharges));
    }
    let mut links = scene.links(&scout.chart);
    links.retain(|(to, _)| plan.corners.contains(to));
    let best = links.into_iter().max_by_key(|(_, closed)| *closed)?;
    Some((Act::Connect(best.0), Reason::PlanLinks))
}

/// A link that lights enough at once.
fn closing_link(scout: &Scout, scene: &Scene, habits: &Habits) -> Option<(Act, Reason)> {
    let at = scene.at?;
    let life = |at: Lighthouse| f64::from(scene.network.beacon(at).energy) / 10.0;
    let patience = habits.patience(scout.players);
    let worth =
        |(to, closed): &(Lighthouse, i64)| *closed as f64 * life(at).min(life(*to)).min(patience);
    let links = scene.links(&scout.chart);
    let best = links.iter().max_by(|a, b| worth(a).total_cmp(&worth(b)))?;
    let (to, cells) = *best;
    (cells > 0 && worth(best) >= habits.link_worth)
        .then_some((Act::Connect(to), Reason::Link { cells }))
}

/// A step of the richest walk nearby.
fn gather(scout: &Scout, scene: &Scene, habits: &Habits) -> Option<Act> {
    let steps = habits.gather_steps.clamp(1.0, 15.0) as u16;
    let walk = richest(
        &scout.chart,
        &scout.memory,
        scene.here,
        steps,
        habits.fade as f32,
        |_| 0,
    )?;
    if walk.energy > 0.0 {
        return Some(scout.step(scene.here, walk.first));
    }
    // Nothing grows nearby: return to where something does.
    let steps = |to: &Lighthouse| scout.paths.steps(scene.here, *to);
    let nearest = scout
        .lighthouses()
        .filter(|to| Some(*to) != scene.at && steps(to) != FAR)
        .min_by_key(steps)?;
    scout.step_to(scene.here, nearest)
}

impl ByRule<Lighthouses> for Triangle {
    fn observe(&mut self, event: &Event) {
        if let Event::Begins(_, _, players) = event {
            self.mood = Mood::default();
            let others = (*players).clamp(1, 16) as f64;
            self.mood.pace.gathering = 70.0 / others.sqrt();
        }
        Scout::receive(&mut self.scout, event);
    }

    fn turn(&mut self, view: &View, ask: &Ask) -> (Act, impl ToString) {
        let (Some(scout), Ask::Turn) = (self.scout.as_mut(), ask) else {
            return (Act::Pass, Reason::Nothing);
        };
        let scene = scout.look(view);
        self.mood.act(scout, &scene, &self.habits)
    }
}
