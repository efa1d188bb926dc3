//! One mind: what a player, or a team that plans as one, remembers of a game, and its plan for a turn.

mod purchases;
mod quarters;
mod reasons;

use super::board::{Board, Sides};
use super::calibration::Calibration;
use super::change::Change;
use super::chart::{Chart, Names, Sight};
use super::contact::Search;
use super::ending::{Ending, ROUNDS};
use super::knobs::{CHAMPION, Knobs};
use super::ledger::Ledger;
use super::line::{Root, TURNS};
use super::plan::{Compared, Plan};
use super::planner::{self, Taste};
use super::replies;
use super::ships::Fleet;
use super::ships::Move;
use super::ships::NOBODY;
use super::ships::Order;
use super::upgrades::{self, Offer};
use drover_game::game::{Budget, Progress};
use std::collections::VecDeque;
use std::sync::Arc;

/// Planets' futures per node.
const PLANETS: u64 = 8;
/// Nodes that the search there takes at least, and at most: with these, all its games on 16 planets.
const CLOSE_NODES: u64 = 500;
const SEARCH_NODES: u64 = 5_000;
/// At most as many turns without time are planned once there is time. What was ordered longer ago is not known
/// then, and what is planned without knowing it may not be what was ordered.
const MISSED_MAX: usize = ROUNDS as usize;
/// As many turns are made up for whenever there is any time, to the end, so that there is an end to it however
/// little time a turn has.
const MADE_UP_LEAST: usize = 2;

/// In as many last turns a player that is behind fears sieges less and less.
const LAST: u32 = 40;

/// After this many turns in which nothing on our side moved, sieges are no longer feared.
const PATIENCE: i32 = 8;

/// Whom a mind plays for and against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stance {
    /// All others are enemies.
    Open,
    /// Others may be allies: only neutral planets nearest to the own home are taken, and only attackers are
    /// fought.
    Wary,
    /// The same, but all neutral planets may be taken.
    Guarded,
}

/// Nodes for a turn's plans, unless fewer are given: a team's members must plan alike, on any machine.
const NODES: u64 = 2_000;

/// What a mind is to plan.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    /// Whom it plays for.
    pub(super) team: Vec<u8>,
    /// Mates that plan for themselves.
    pub(super) spared: Vec<u8>,
    /// Whom it plays against.
    pub(super) stance: Stance,
    /// The state.
    pub(super) sight: Sight,
}

/// A mind.
#[derive(Clone, Debug)]
pub(super) struct Mind {
    names: Arc<Names>,
    team: Vec<u8>,
    spared: Vec<u8>,
    stance: Stance,
    calibration: Calibration,
    /// Fleets.
    pub(super) ledger: Ledger,
    before: Option<Sight>,
    /// Consecutive turns without an order and without a fleet in flight.
    frozen: i32,
    /// By place: whose home is nearest, and whose it is, in the first state.
    cells: Vec<u8>,
    homes: Vec<u8>,
    /// Nodes for a turn's plans.
    nodes: u64,
    /// Whether it may buy growth, and whether that was seen to be for sale.
    pub(super) buys: bool,
    sold: bool,
    /// Planets whose growth was bought in the last plan: before all else, and with what it leaves idle.
    cheap: Vec<u8>,
    offers: Vec<Offer>,
    pub(super) bought: Vec<u8>,
    /// Turns for which there was no time yet.
    missed: VecDeque<Turn>,
    /// What is not searched to the end yet in the last state.
    search: Option<Search>,
    /// What was compared for the last state, if that is kept.
    pub(super) compared: Option<Vec<Compared>>,
    /// Planets' futures computed since the last state was given, also to make up for earlier turns.
    futures: u64,
}

impl Mind {
    /// A mind at the start of a game that plays for these.
    pub(super) fn new(names: Arc<Names>, team: &[u8], stance: Stance) -> Self {
        Self {
            calibration: Calibration::new(&names),
            names,
            team: team
                .iter()
                .copied()
                .filter(|mate| *mate != NOBODY)
                .collect(),
            spared: Vec::new(),
            stance,
            ledger: Ledger::default(),
            before: None,
            frozen: 0,
            cells: Vec::new(),
            homes: Vec::new(),
            nodes: NODES,
            buys: false,
            sold: false,
            cheap: Vec::new(),
            offers: Vec::new(),
            bought: Vec::new(),
            missed: VecDeque::new(),
            search: None,
            compared: None,
            futures: 0,
        }
    }

    /// Plans a turn within the budget: the orders for the whole team, or none if there is no time. The orders
    /// due in turns without time are then planned first. Called again with the same turn it thinks on.
    pub(super) fn turn(&mut self, turn: Turn, budget: Budget<'_>) -> Vec<Order> {
        if !self.thinks_of(&turn.sight) {
            self.futures = 0;
            self.missed.push_back(turn);
        }
        self.think_on(budget)
    }

    /// Nodes used since the last state was given, also to make up for earlier turns.
    pub(super) fn used(&self) -> u64 {
        self.futures / PLANETS
    }

    /// Whether it has not thought about this state to the end.
    pub(super) fn thinks_of(&self, sight: &Sight) -> bool {
        let searched = self.before.as_ref().filter(|_| self.search.is_some());
        let last = self.missed.back().map(|turn| &turn.sight);
        last.or(searched) == Some(sight)
    }

    /// Whether more thinking improves the last turn's plan.
    pub(super) fn progress(&self) -> Progress {
        if self.missed.is_empty() && self.search.is_none() {
            Progress::Done
        } else {
            Progress::More
        }
    }

    /// Thinks on about the last turn, as [`Mind::turn`].
    pub(super) fn think_on(&mut self, budget: Budget<'_>) -> Vec<Order> {
        if budget.nodes > 0 {
            self.nodes = budget.nodes;
        }
        if self.missed.is_empty() {
            return self.search(budget.stop);
        }
        self.bought.clear();
        if budget.nodes == 0 || (budget.stop)() {
            while self.missed.len() > MISSED_MAX
                && let Some(turn) = self.missed.pop_front()
            {
                self.adopt(turn);
            }
            return Vec::new();
        }
        for made_up in 1.. {
            let Some(turn) = self.missed.pop_front() else {
                break;
            };
            self.adopt(turn);
            if self.missed.is_empty() {
                return self.decide(self.nodes, budget.stop);
            }
            // To the end, as when it was ordered; what a turn takes is bounded by its nodes.
            self.decide(self.nodes, &|| false);
            self.bought.clear();
            if made_up >= MADE_UP_LEAST && (budget.stop)() {
                break;
            }
        }
        Vec::new()
    }

    /// The timing that fits best so far.
    #[cfg(test)]
    pub(crate) fn timing(&self) -> super::timing::Timing {
        self.calibration.chart().timing
    }

    pub(super) fn sides(&self) -> Sides {
        let attacked = &self.ledger.attacked;
        Sides::new(self.names.players(), &self.team, |player| {
            let attacked = attacked.get(usize::from(player)).copied();
            let foe = self.stance == Stance::Open || attacked.unwrap_or_default();
            foe && !self.spared.contains(&player)
        })
    }

    /// Takes in a state: accounts for whatever left or landed since the previous one.
    pub(super) fn see(&mut self, now: Sight) {
        self.search = None;
        for fleet in &self.ledger.ordered {
            self.calibration.launched(*fleet);
        }
        if let Some(before) = &self.before {
            self.sold |= before
                .growth
                .iter()
                .zip(&now.growth)
                .any(|(old, new)| old < new);
            let before = &before.paid(&now);
            self.calibration.saw(before, &now);
            let sides = self.sides();
            let moves = !self.ledger.ordered.is_empty() || !self.ledger.fleets.is_empty();
            self.frozen = if moves {
                0
            } else {
                PATIENCE.min(self.frozen + 1)
            };
            self.ledger.saw(Change {
                chart: self.calibration.chart(),
                sides: &sides,
                before,
                now: &now,
            });
            self.calibration.forget(&self.ledger.stayed, before.turn);
        } else {
            self.calibration.assume(&now);
            self.settle_cells(&now);
        }
        self.before = Some(now);
    }

    fn settle_cells(&mut self, first: &Sight) {
        let chart = self.calibration.chart();
        let homes: Vec<usize> = (0..first.owner.len())
            .filter(|place| first.owner[*place] != NOBODY)
            .collect();
        let nearest = |place: usize| {
            let homes = homes.iter();
            let key = |home: &&usize| (chart.turns(**home, place), first.owner[**home]);
            homes
                .min_by_key(key)
                .map_or(NOBODY, |home| first.owner[*home])
        };
        self.cells = (0..first.owner.len()).map(nearest).collect();
        self.homes.clone_from(&first.owner);
    }

    /// Merges these minds, which play for one player each and have seen the same last state.
    pub(super) fn merge(minds: &[Self], team: &[u8]) -> Option<Self> {
        let mut merged = minds.first()?.clone();
        merged.team = team.to_vec();
        for mind in minds.iter().skip(1) {
            merged.calibration.join(&mind.calibration);
            merged.ledger.fleets.extend(&mind.ledger.fleets);
            merged.ledger.join_attacked(&mind.ledger);
        }
        merged
            .ledger
            .guesses
            .retain(|guess| !team.contains(&guess.owner));
        Some(merged)
    }

    /// Takes in a turn's state, for this team and in this way from now on.
    fn adopt(&mut self, turn: Turn) {
        self.stance = turn.stance;
        self.spared = turn.spared;
        if self.team != turn.team {
            let guesses = &mut self.ledger.guesses;
            guesses.retain(|guess| !turn.team.contains(&guess.owner));
            self.team = turn.team;
        }
        // Merged minds have seen it before.
        if self.before.as_ref() != Some(&turn.sight) {
            self.see(turn.sight);
        }
    }

    /// Leaves these mates alone, who plan for themselves.
    pub(super) fn spare(&mut self, mates: Vec<u8>) {
        self.spared = mates;
    }

    /// The orders for the whole team in the last state, recorded as given.
    pub(super) fn order(&mut self, nodes: u64) -> Vec<Order> {
        self.futures = 0;
        self.decide(nodes, &|| false)
    }

    /// The same after what was made up for, or what is found of them before it must stop.
    fn decide(&mut self, nodes: u64, stop: &dyn Fn() -> bool) -> Vec<Order> {
        let orders = self.plan(nodes);
        if self.search.is_some() {
            return self.search(stop);
        }
        self.ordered(&orders);
        orders
    }

    /// What a search has found, recorded as given; there is nothing left of it once it is done.
    fn search(&mut self, stop: &dyn Fn() -> bool) -> Vec<Order> {
        let Some(mut search) = self.search.take() else {
            return Vec::new();
        };
        let before = search.futures();
        let done = search.run(stop);
        self.futures += search.futures() - before;
        let orders = search.best();
        if let Some(compared) = &mut self.compared {
            *compared = search.compared();
        }
        self.search = Some(search).filter(|_| !done);
        self.ordered(&orders);
        orders
    }

    /// By place: the landings of all fleets that are known in this state.
    fn landings(&self, now: &Sight) -> Vec<Vec<Move>> {
        let chart = self.calibration.chart();
        let count = now.owner.len();
        let turn = now.turn as usize;
        let mut landings: Vec<Vec<Move>> = vec![Vec::new(); count];
        for shown in now.fleets.iter().flatten() {
            if usize::from(shown.landing.turn) < TURNS
                && let Some(landings) = landings.get_mut(usize::from(shown.to))
            {
                landings.push(shown.landing);
            }
        }
        let known = self.ledger.fleets.iter();
        for fleet in known.take_while(|_| now.fleets.is_none()) {
            let (owner, ships, to) = (fleet.owner, fleet.ships, usize::from(fleet.to));
            let after = chart
                .lands(fleet.launched, fleet.from, to)
                .saturating_sub(turn);
            if (1..TURNS).contains(&after)
                && let Some(landings) = landings.get_mut(to)
            {
                let turn = after as u8;
                landings.push(Move { turn, owner, ships });
            }
        }
        landings
    }

    /// The orders for the whole team in the last state, unless there is something to search.
    fn plan(&mut self, nodes: u64) -> Vec<Order> {
        self.cheap.clear();
        self.offers.clear();
        let Some(now) = self.before.as_ref() else {
            return Vec::new();
        };
        let sides = self.sides();
        let chart = self.calibration.chart();
        let ending = Ending::from_timing(chart.timing, now);
        let knobs = self.knobs(now, &sides, ending);
        let (roots, landings) = (roots(now, chart), self.landings(now));
        let mut board = Board::new(chart, &sides, &knobs, &roots, landings, ending);
        if let Some(player) = self.buyer(now) {
            self.cheap = upgrades::cheap(&board, player);
            for place in &self.cheap {
                board.buy(usize::from(*place));
            }
            self.offers = self.offered(&board, player);
        }
        self.menace(now, &mut board);
        board.settle();
        let (plans, taken) = self.plans(now, &board, nodes);
        self.futures += taken;
        if let Some(players) = self.close(&board, nodes) {
            let futures = nodes.min(SEARCH_NODES) * PLANETS;
            let (foes, taken) = replies::plans(&board, players, &knobs, now.turn);
            self.futures += taken;
            self.search = Some(self.searched(&board, players, [plans, foes], futures));
            return Vec::new();
        }
        if let Some(compared) = &mut self.compared {
            *compared = plans.iter().map(Compared::by_board).collect();
        }
        // The first of equals.
        let best = plans.into_iter().rev().max_by_key(|(worth, _)| *worth);
        best.map(|(_, orders)| orders).unwrap_or_default()
    }

    /// While both sides wait for the other to weaken itself, the fear shrinks from turn to turn, and so it does for
    /// a player that is behind in the end.
    fn knobs(&self, now: &Sight, sides: &Sides, ending: Ending) -> Knobs {
        let mut knobs = CHAMPION;
        knobs.menace = knobs.menace * (PATIENCE - self.frozen).max(0) / PATIENCE;
        if self.behind(now, sides, ending) {
            knobs.menace = knobs.menace * ending.rounds as i32 / LAST as i32;
        }
        knobs
    }

    /// Hidden fleets of enemies threaten all their goals.
    fn menace(&self, now: &Sight, board: &mut Board<'_>) {
        let hidden = now.fleets.is_none();
        let guesses = self.ledger.guesses.iter().filter(|_| hidden);
        for guess in guesses.filter(|guess| board.sides.of(guess.owner) < 0) {
            for goal in &guess.goals {
                let to = usize::from(goal.to);
                let due = board.chart.lands(guess.launched, guess.from, to);
                let after = due.saturating_sub(now.turn as usize);
                board.menace(to, after, guess.ships);
            }
        }
    }

    /// Whether a player of the team may take a planet.
    fn may_take(&self, now: &Sight, chart: &Chart, player: u8, target: u8) -> bool {
        let target = usize::from(target);
        let free = now.owner.get(target) == Some(&NOBODY);
        if self.stance == Stance::Wary && free {
            return self.cells.get(target) == Some(&player);
        }
        // What is nearer to a mate that plans for itself is left to it.
        let nearest = |whose: &[u8]| {
            let of = now.owner.iter().enumerate();
            let of = of.filter(|(_, owner)| whose.contains(owner));
            of.map(|(from, _)| chart.turns(from, target)).min()
        };
        let theirs = nearest(&self.spared).filter(|_| free);
        theirs.is_none_or(|theirs| nearest(&self.team).is_some_and(|ours| ours < theirs))
    }

    /// Several plans with different tastes, as far as the nodes go, and the planets' futures that they took.
    fn plans(&self, now: &Sight, board: &Board<'_>, nodes: u64) -> (Vec<Plan>, u64) {
        let allowed = |player, target| self.may_take(now, board.chart, player, target);
        let futures = nodes.min(NODES).saturating_mul(PLANETS);
        let tastes = Taste::all(now.turn, self.names.players(), now.owner.len());
        planner::plans(board, tastes, &allowed, futures)
    }

    /// Records which orders the team gave in the last state.
    fn ordered(&mut self, orders: &[Order]) {
        self.bought = self.buying(orders);
        let launched = self.before.as_ref().map_or(0, |sight| sight.turn);
        self.ledger.ordered.clear();
        for order in orders.iter().filter(|order| order.wait == 0) {
            let fleet = Fleet {
                owner: order.owner,
                from: order.from,
                to: order.to,
                ships: order.ships,
                launched,
            };
            self.ledger.ordered.push(fleet);
        }
    }
}

/// The planets of a state.
pub(super) fn roots(now: &Sight, chart: &Chart) -> Vec<Root> {
    let planets = now.owner.iter().zip(&now.ships).zip(&now.growth);
    let roots = planets.map(|((owner, ships), growth)| Root {
        owner: *owner,
        ships: *ships,
        growth: *growth,
        grows_first: chart.timing.grows_first,
    });
    roots.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map;
    use crate::rules::{PlanetWars, Ruleset, Setup};
    use drover_game::game::{Game as _, Seat};

    /// A player that has attacked one of a team has attacked the team.
    #[test]
    fn a_merged_mind_knows_who_attacked_any_of_the_team() {
        let planets = "P 1 0 0 1 1 9\nP 2 9 0 1 2 9\nP 3 0 9 1 3 9\nP 4 9 9 1 4 9\n";
        let setup = Setup {
            planets: map::read(planets).unwrap(),
            players: vec![1, 2, 3, 4],
            teams: vec![0, 0, 1, 1],
            ruleset: Ruleset::TEAM,
        };
        let view = PlanetWars::start(&setup).view(Seat(0));
        let names = Arc::new(Names::new(&view));
        let minds = [(1, vec![]), (2, vec![false, false, false, true, false])];
        let minds = minds.map(|(player, attacked)| {
            let mut mind = Mind::new(Arc::clone(&names), &[player], Stance::Wary);
            mind.ledger.attacked = attacked;
            mind
        });
        let mut merged = Mind::merge(&minds, &[1, 2]).unwrap();
        merged.stance = Stance::Guarded;
        let sides = merged.sides();
        assert_eq!([1, 2, 3, 4].map(|player| sides.of(player)), [1, 1, -1, 0]);
    }
}
