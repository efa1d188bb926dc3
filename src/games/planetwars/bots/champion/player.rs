//! The champion as a bot.

use super::chart::Names;
use super::mind::{Mind, Stance, Turn};
use super::ships::Order;
use super::team::Team;
use crate::rules::{Act, Ask, PlanetWars, View};
use drover_game::game::{Bot, Budget, Progress};
use drover_game::reasons::Reasons;
use std::sync::Arc;

/// How the champion plays.
pub const DESCRIPTION: &str = "Infers fleets, reckons every planet's future and takes the steps that gain most \
     growth for their ships even if the enemy then sends all it can spare. A node is eight planets' futures reckoned.";

/// How the champion plays in a team.
pub const TEAM_DESCRIPTION: &str = "Learns its team from the ring, fighting only who attacks it until then, and \
     plans as the champion for the whole team, of which each gives its own part of the orders. A node is eight \
     planets' futures reckoned.";

/// The champion alone against all.
#[must_use]
pub fn solo() -> Box<dyn Bot<PlanetWars>> {
    Box::<Solo>::default()
}

/// The timing that a champion playing alone from this seat determines.
#[cfg(test)]
pub(crate) fn timing_found(
    game: &mut PlanetWars,
    seat: drover_game::game::Seat,
    rounds: u32,
) -> Option<super::timing::Timing> {
    use drover_game::game::Game as _;
    let mut solo = Solo::default();
    for _ in 0..rounds {
        let act = solo.decide(&game.view(seat), &Ask, Budget::nodes(500));
        game.answered(&[(seat, Some(act))]);
    }
    solo.0.map(|(_, mind)| mind.timing())
}

/// The champion as one of a team whose members it learns from the ring.
#[must_use]
pub fn team() -> Box<dyn Bot<PlanetWars>> {
    Box::<Mate>::default()
}

/// In a team, once the game has begun.
#[derive(Clone, Default)]
struct Mate(Option<Team>);

impl Bot<PlanetWars> for Mate {
    fn decide(&mut self, view: &View, ask: &Ask, budget: Budget<'_>) -> Act {
        self.ponder(view, ask, budget).0
    }

    fn ponder(&mut self, view: &View, _: &Ask, slice: Budget<'_>) -> (Act, Progress) {
        let team = self.0.get_or_insert_with(|| Team::new(view));
        let orders = team.turn(view, slice);
        let act = Act {
            launches: team.launches(view, &orders),
            message: Some(team.say()),
            ..Act::default()
        };
        (act, team.progress())
    }

    fn reasons(&mut self, view: &View, ask: &Ask, budget: Budget<'_>) -> Reasons<Act> {
        self.0.get_or_insert_with(|| Team::new(view)).keep();
        let act = self.ponder(view, ask, budget).0;
        let Some((team, mind)) = self.0.as_ref().and_then(|team| Some((team, team.mind()?))) else {
            return Reasons::from_act(act);
        };
        mind.reasons(team.names(), view, act, |compared| Act {
            launches: team.launches(view, &compared.orders),
            message: Some(team.say()),
            ..Act::default()
        })
    }
}

/// Alone, once the game has begun.
#[derive(Clone, Default)]
struct Solo(Option<(Arc<Names>, Mind)>);

impl Bot<PlanetWars> for Solo {
    fn decide(&mut self, view: &View, ask: &Ask, budget: Budget<'_>) -> Act {
        self.ponder(view, ask, budget).0
    }

    fn ponder(&mut self, view: &View, _: &Ask, slice: Budget<'_>) -> (Act, Progress) {
        let (names, mind) = self.game(view);
        let turn = Turn {
            team: vec![names.player(view.you)],
            spared: Vec::new(),
            stance: Stance::Open,
            sight: names.sight(view),
        };
        let orders = mind.turn(turn, slice);
        let act = solo_act(names, view, &orders, &mind.bought);
        (act, mind.progress())
    }

    fn reasons(&mut self, view: &View, ask: &Ask, budget: Budget<'_>) -> Reasons<Act> {
        self.game(view).1.compared = Some(Vec::new());
        let act = self.ponder(view, ask, budget).0;
        let (names, mind) = self.game(view);
        mind.reasons(names, view, act, |compared| {
            solo_act(
                names,
                view,
                &compared.orders,
                &mind.buying(&compared.orders),
            )
        })
    }
}

fn solo_act(names: &Names, view: &View, orders: &[Order], bought: &[u8]) -> Act {
    Act {
        launches: names.launches(view, orders, bought),
        upgrades: names.upgrades(view, bought),
        ..Act::default()
    }
}

impl Solo {
    /// Begins with the first state.
    fn game(&mut self, view: &View) -> &mut (Arc<Names>, Mind) {
        self.0.get_or_insert_with(|| {
            let names = Arc::new(Names::new(view));
            let me = names.player(view.you);
            let mut mind = Mind::new(Arc::clone(&names), &[me], Stance::Open);
            mind.buys = true;
            (names, mind)
        })
    }
}
