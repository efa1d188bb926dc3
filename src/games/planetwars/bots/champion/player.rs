//! The champion as a bot.

use super::chart::Names;
use super::knobs::{CHAMPION, Knobs};
use super::mind::{Mind, Stance};
use super::team::Team;
use crate::game::{Bot, Budget};
use crate::planetwars::rules::{Act, Ask, Event, PlanetWars, View};
use std::sync::Arc;

/// How the champion plays.
pub const DESCRIPTION: &str = "infers fleets, reckons every planet's future and takes the steps that gain most \
     growth for their ships even if the enemy then sends all he can spare; a node is eight planets' futures reckoned";

/// How the champion plays in a team.
pub const TEAM_DESCRIPTION: &str = "learns its team from the ring, fighting only who attacks it until then, and \
     plans as the champion for the whole team, of which each gives its own part of the orders; a node is eight \
     planets' futures reckoned";

/// The champion alone against all.
#[must_use]
pub fn solo() -> Box<dyn Bot<PlanetWars>> {
    solo_with(CHAMPION)
}

/// The champion alone against all, with numbers of one's own.
#[must_use]
pub fn solo_with(knobs: Knobs) -> Box<dyn Bot<PlanetWars>> {
    Box::new(Solo {
        knobs,
        game: None,
        nodes: NODES,
        owed: false,
    })
}

/// The way of reckoning time that a champion finds who plays by himself from this seat.
#[cfg(test)]
pub(in crate::planetwars) fn timing_found(
    game: &mut PlanetWars,
    seat: crate::game::Seat,
    rounds: u32,
) -> Option<super::timing::Timing> {
    use crate::game::Game as _;
    let mut solo = Solo {
        knobs: CHAMPION,
        game: None,
        nodes: NODES,
        owed: false,
    };
    for _ in 0..rounds {
        let act = solo.decide(&game.view(seat), &Ask, Budget::nodes(500));
        game.answered(&[(seat, Some(act))]);
    }
    solo.game.map(|(_, mind)| mind.timing())
}

/// The champion as one of a team whose members he learns from the ring.
#[must_use]
pub fn team() -> Box<dyn Bot<PlanetWars>> {
    team_with(CHAMPION)
}

/// The champion as one of a team, with numbers of one's own.
#[must_use]
pub fn team_with(knobs: Knobs) -> Box<dyn Bot<PlanetWars>> {
    Box::new(Mate { knobs, game: None })
}

struct Mate {
    knobs: Knobs,
    game: Option<Team>,
}

impl Bot<PlanetWars> for Mate {
    fn observe(&mut self, event: &Event) {
        match *event {}
    }

    fn decide(&mut self, view: &View, _: &Ask, budget: Budget<'_>) -> Act {
        let knobs = self.knobs;
        let team = self.game.get_or_insert_with(|| Team::new(view, knobs));
        let orders = team.turn(view, thought(budget));
        Act {
            launches: team.launches(view, &orders),
            message: Some(team.say()),
            ..Act::default()
        }
    }
}

struct Solo {
    knobs: Knobs,
    game: Option<(Arc<Names>, Mind)>,
    /// Nodes of a plan.
    nodes: u64,
    /// Whether no plan was made for the state seen last.
    owed: bool,
}

/// Nodes of every plan, unless fewer are given: those of a team must think alike, on any machine.
pub(super) const NODES: u64 = 2_000;

/// Nodes that a plan is made with, to its end once it is begun; `None` if there is no time for one.
fn thought(budget: Budget<'_>) -> Option<u64> {
    let nodes = budget.nodes.min(NODES);
    (nodes > 0 && !(budget.stop)()).then_some(nodes)
}

impl Bot<PlanetWars> for Solo {
    fn observe(&mut self, event: &Event) {
        match *event {}
    }

    fn decide(&mut self, view: &View, _: &Ask, budget: Budget<'_>) -> Act {
        let knobs = self.knobs;
        let (names, mind) = self.game.get_or_insert_with(|| {
            let names = Arc::new(Names::new(view));
            let me = names.player(view.you);
            let mind = Mind::new(Arc::clone(&names), knobs, &[me], Stance::Open);
            (names, mind)
        });
        if std::mem::take(&mut self.owed) {
            // What was ordered while somebody else had the time.
            let orders = mind.plan(self.nodes);
            mind.ordered(&orders);
        }
        mind.see(names.sight(view));
        let Some(nodes) = thought(budget) else {
            self.owed = true;
            return Act::default();
        };
        self.nodes = nodes;
        let orders = mind.plan(nodes);
        mind.ordered(&orders);
        Act {
            launches: names.launches(view, &orders),
            ..Act::default()
        }
    }
}
