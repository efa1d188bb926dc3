//! What the champion answers: the first act of its best plan, what it does without one, and its reasons.

use super::super::errands::Deed;
use super::super::search::{Opening, Tried};
use super::Table;
use crate::rules::{Act, Cell, Lighthouse, Network};
use drover_game::reasons::{Reasons, Weighed};

impl Table {
    /// The first act of the best plan so far.
    pub(super) fn settle(&mut self) -> Act {
        let act = match self.search.best() {
            Some(opening) => {
                self.way.clear();
                if let Some(leg) = self.legs.get(opening.leg) {
                    self.way.extend(&leg.cells);
                }
                self.settled = Some(opening.to);
                self.first_act(opening)
            }
            None => self.without_plan(),
        };
        let act = if self.lawful(act) { act } else { Act::Pass };
        self.decided = Some(act);
        act
    }

    /// Why it decided so: the best plan of each first act and goal.
    pub(super) fn reasons(&self, act: Act) -> Reasons<Act> {
        let mut options: Vec<(usize, Weighed<Act>)> = Vec::new();
        for (tried, chosen) in self.search.compared() {
            let Tried {
                opening,
                merit,
                plans,
            } = *tried;
            let act = self.first_act(opening);
            let value = f64::from(merit);
            let same =
                |(to, other): &&mut (usize, Weighed<Act>)| *to == opening.to && other.act == act;
            if let Some((_, other)) = options.iter_mut().find(same) {
                other.value = other.value.map(|most| most.max(value));
                other.visits = other.visits.map(|visits| visits + u64::from(plans));
                other.chosen |= chosen;
                continue;
            }
            let home = self.trade.terrain.homes.get(opening.to);
            let plan = home.filter(|_| opening.step.is_some()).map(|home| {
                let place = self.trade.terrain.chart.point(*home);
                let (x, y, rounds) = (place.x, place.y, opening.arrival);
                format!("goes to the lighthouse at ({x}, {y}), there in {rounds} rounds")
            });
            let weighed = Weighed {
                plan: plan.unwrap_or_default(),
                chosen,
                ..Weighed::new(act, Some(value), Some(plans.into()))
            };
            options.push((opening.to, weighed));
        }
        let planless = "It had no time to find a plan: it goes on with its last one, charges what it \
            stands on, or goes to the nearest lighthouse.";
        Reasons {
            nodes: self.nodes,
            rule: options.is_empty().then(|| planless.to_owned()),
            options: options.into_iter().map(|(_, weighed)| weighed).collect(),
            beliefs: self.rivals.beliefs(&self.trade.terrain, &self.root),
            ..Reasons::from_act(act)
        }
    }

    fn first_act(&self, opening: Opening) -> Act {
        let here = Cell(self.root.at);
        match (opening.step, opening.deed) {
            (Some(cell), _) => Act::Move(self.trade.terrain.chart.step(here, cell)),
            (None, Deed::Stay) => Act::Pass,
            (None, Deed::Charge(strength)) => Act::Attack(strength.into()),
            (None, Deed::Link(to)) => Act::Connect(Lighthouse(to as u8)),
        }
    }

    /// The plan of the previous turn; else the whole purse for the lighthouse it stands on, if that makes or
    /// keeps it its own; else the way to the nearest one.
    fn without_plan(&self) -> Act {
        let here = Cell(self.root.at);
        let chart = &self.trade.terrain.chart;
        let near = chart.neighbours(here);
        let planned = self.way.first().map(|cell| Cell(*cell));
        match planned {
            Some(cell) if cell == here => return Act::Pass,
            Some(cell) if near.contains(&cell) => return Act::Move(chart.step(here, cell)),
            _ => {}
        }
        if let Some(at) = chart.lighthouse_at(here)
            && at.index() < self.trade.terrain.count
        {
            let own = self.root.owner(at.index()) == self.me.0;
            let against = if own { 0 } else { self.root.energy(at.index()) };
            if self.root.purse > against {
                return Act::Attack(self.root.purse.into());
            }
        }
        let steps = |cell: &Cell| {
            let all = 0..self.trade.terrain.count;
            all.map(|to| self.trade.terrain.steps(to, *cell)).min()
        };
        let key = |cell: &&Cell| (steps(cell), u8::MAX - self.cells.energy(**cell));
        let richest = near.iter().min_by_key(key).copied();
        richest.map_or(Act::Pass, |cell| Act::Move(chart.step(here, cell)))
    }

    /// Whether the rules allow an act in the situation viewed.
    fn lawful(&self, act: Act) -> bool {
        let Some(view) = &self.view else {
            return act == Act::Pass;
        };
        let chart = &self.trade.terrain.chart;
        let here = chart.lighthouse_at(view.position);
        match (act, here) {
            (Act::Pass, _) => true,
            (Act::Move(step), _) => chart.moved(view.position, step).is_some(),
            (Act::Attack(strength), here) => here.is_some() && strength >= 0,
            (Act::Connect(_), None) => false,
            (Act::Connect(to), Some(from)) => {
                let network = Network::from_beacons(chart, 0, &view.beacons);
                let linkable = network.linkable(chart, self.me, view.keys, from, to);
                linkable.is_ok()
            }
        }
    }
}
