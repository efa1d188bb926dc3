//! The champion in a team of strangers: first it learns who they are, then each member plans for all.

use super::chart::{Names, Sight};
use super::mind::{Mind, Stance, Turn};
use super::ships::NOBODY;
use super::ships::Order;
use crate::bots::ring::Ring;
use crate::rules::{Launch, View};
use drover_game::game::{Budget, Progress};
use std::sync::Arc;

/// Nodes of a plan before the team is known. Few planets are within reach then, and the plans of mates are
/// computed again.
const WARY_NODES: u64 = 200;

/// Until this turn others may be allies if the team is not proved complete (spec, section C).
const STRANGERS_UNTIL: u32 = 25;

/// What a player knows about its game.
#[derive(Clone, Debug)]
pub(crate) struct Team {
    names: Arc<Names>,
    me: u8,
    ring: Ring,
    /// States so far, until the team is known.
    seen: Vec<Sight>,
    /// Minds of the players known to be in the team, including its own, each planning alone.
    minds: Vec<(u8, Mind)>,
    /// The mind that plans for all, once the team is known.
    whole: Option<Mind>,
    /// Whether minds keep what they compare.
    keeps: bool,
}

impl Team {
    /// A player at the start of a game.
    pub(crate) fn new(view: &View) -> Self {
        let names = Arc::new(Names::new(view));
        let me = names.player(view.you);
        Self {
            ring: Ring::new(view),
            me,
            seen: Vec::new(),
            minds: Vec::new(),
            whole: None,
            keeps: false,
            names,
        }
    }

    /// From now on minds keep what they compare.
    pub(crate) fn keep(&mut self) {
        self.keeps = true;
        for mind in self
            .minds
            .iter_mut()
            .map(|(_, mind)| mind)
            .chain(&mut self.whole)
        {
            mind.compared = Some(Vec::new());
        }
    }

    /// The mind whose plan the own orders are from.
    pub(super) fn mind(&self) -> Option<&Mind> {
        let own = self.minds.iter().find(|(player, _)| *player == self.me);
        self.whole.as_ref().or(own.map(|(_, mind)| mind))
    }

    /// The names by which its minds know planets and players.
    pub(super) fn names(&self) -> &Names {
        &self.names
    }

    /// The player's own share of the orders, as sent.
    pub(crate) fn launches(&self, view: &View, orders: &[Order]) -> Vec<Launch> {
        self.names.launches(view, orders, &[])
    }

    /// The word to send.
    pub(crate) fn say(&self) -> u32 {
        self.ring.say()
    }

    /// Players of the team that were seen to order something unexpected, once the team is known.
    #[cfg(test)]
    pub(crate) fn astray(&self) -> Option<&[u8]> {
        let mind = self.whole.as_ref()?;
        Some(&mind.ledger.astray)
    }

    /// The timing that fits best so far, once the team is known.
    #[cfg(test)]
    pub(crate) fn timing(&self) -> Option<super::timing::Timing> {
        self.whole.as_ref().map(Mind::timing)
    }

    /// Takes in a state and returns the orders of the whole team as far as it is known.
    pub(crate) fn turn(&mut self, view: &View, budget: Budget<'_>) -> Vec<Order> {
        let sight = self.names.sight(view);
        if let Some(mind) = self.whole.as_mut().filter(|mind| mind.thinks_of(&sight)) {
            return mind.think_on(budget);
        }
        self.ring.receive(view);
        let mut team: Vec<u8> = self
            .ring
            .mates()
            .iter()
            .map(|mate| self.names.player(*mate))
            .collect();
        team.push(self.me);
        team.sort_unstable();
        team.dedup();
        team.retain(|mate| *mate != NOBODY);
        let guests = self.ring.guests().iter();
        let guests = guests.map(|guest| self.names.player(*guest));
        let spared: Vec<u8> = guests.filter(|guest| !team.contains(guest)).collect();
        if self.whole.is_none() {
            self.rehearse(&team, sight.clone());
            if self.ring.settled() {
                let minds: Vec<Mind> = self.minds.drain(..).map(|(_, mind)| mind).collect();
                self.whole = Mind::merge(&minds, &team);
                self.seen.clear();
            }
        }
        if let Some(mind) = &mut self.whole {
            // A player not known to be in the team is an enemy later on.
            let late = view.turn >= STRANGERS_UNTIL && !self.ring.grows();
            let sure = self.ring.complete() || self.ring.silent() || late;
            let stance = if sure { Stance::Open } else { Stance::Guarded };
            let turn = Turn {
                team,
                spared,
                stance,
                sight,
            };
            return mind.turn(turn, budget);
        }
        let mut own = Vec::new();
        for (player, mind) in &mut self.minds {
            // Mates plan for themselves, too, until the team is known.
            let mates = team.iter().filter(|mate| *mate != player);
            mind.spare(mates.chain(&spared).copied().collect());
            let orders = mind.order(WARY_NODES);
            if *player == self.me {
                own = orders;
            }
        }
        own
    }

    /// Whether more thinking improves the last turn's orders.
    pub(crate) fn progress(&self) -> Progress {
        self.whole.as_ref().map_or(Progress::Done, Mind::progress)
    }

    /// Replays to the minds of all known mates what they have seen, and what they must have ordered.
    fn rehearse(&mut self, team: &[u8], sight: Sight) {
        for (_, mind) in &mut self.minds {
            mind.see(sight.clone());
        }
        for player in team {
            if self.minds.iter().any(|(known, _)| known == player) {
                continue;
            }
            let mut mind = Mind::new(Arc::clone(&self.names), &[*player], Stance::Wary);
            mind.compared = self.keeps.then(Vec::new);
            for seen in &self.seen {
                mind.see(seen.clone());
                mind.order(WARY_NODES);
            }
            mind.see(sight.clone());
            self.minds.push((*player, mind));
        }
        self.minds.sort_unstable_by_key(|(player, _)| *player);
        self.seen.push(sight);
    }
}
