//! Close quarters: a search over both sides' moves of the next turns with exact battles, each side taking
//! what has done best against the other's, where two players have few planets between them.

use super::aims::Guess;
use super::board::Sides;
use super::chart::Chart;
use super::habit::{Style, habit};
use super::line::TURNS;
use super::moves;
use super::plan::{Compared, Plan};
use super::rehearsal::{Rehearsal, State};
use super::ships::Move;
use super::ships::Order;
use drover_game::rng::Rng;

/// Games played on in a turn, and turns in each, unless the game ends sooner.
const GAMES: u32 = 1_000;
const DEPTH: u32 = 20;
/// How boldly moves are tried that have done less well.
const BOLD: f64 = 0.3;
/// How far that varies by chance, up and down.
const CHANCE: f64 = 0.25;
/// As many turns of one planet, played on, count as one planet's future.
const FUTURE: u64 = 8;
/// How much better than the best plan by its board a move must have done to be preferred to it.
const MARGIN: f64 = 0.05;
/// This many quiet turns say nothing about the next one.
const QUIET: u32 = 2;
/// No node yet.
const NONE: u32 = u32::MAX;

/// From here on every game played on has a stream of chance: where hidden fleets go, which moves are tried and
/// by which habits it goes on.
const GAME_STREAM: u64 = 3 << 32;

/// What a side may do, and how that has done.
#[derive(Clone, Debug)]
struct Choice {
    moves: Vec<Vec<Order>>,
    tried: Vec<f64>,
    won: Vec<f64>,
    /// Whether it is one in the present state, where all moves are tried from the start.
    present: bool,
}

impl Choice {
    fn new(moves: Vec<Vec<Order>>) -> Self {
        let none = vec![0.0; moves.len()];
        Self {
            moves,
            tried: none.clone(),
            won: none,
            present: false,
        }
    }

    /// The move to try: what has done well or was tried little, among the first few until it was tried often.
    fn pick(&self, rng: &mut Rng) -> usize {
        let all: f64 = self.tried.iter().sum();
        let mean = self.won.iter().sum::<f64>() / all.max(1.0);
        let root = (all + 1.0).sqrt();
        let few = if self.present {
            usize::MAX
        } else {
            1 + all.sqrt() as usize
        };
        let (mut best, mut most) = (0, f64::MIN);
        let done = self.tried.iter().zip(&self.won);
        for (at, (tried, won)) in done.enumerate().take(few) {
            // As if each had once done as the mean. Without chance both sides of a symmetric map would always do
            // the same.
            let bold = BOLD * rng.between(1.0 - CHANCE, 1.0 + CHANCE);
            let value = (won + mean) / (tried + 1.0) + bold * root / (tried + 1.0);
            if value > most {
                (best, most) = (at, value);
            }
        }
        best
    }

    fn learn(&mut self, at: usize, value: f64) {
        self.tried[at] += 1.0;
        self.won[at] += value;
    }
}

#[derive(Clone, Debug)]
struct Node {
    choices: [Choice; 2],
    /// By our move and theirs.
    next: Vec<u32>,
}

impl Node {
    fn new(moves: [Vec<Vec<Order>>; 2]) -> Self {
        let next = vec![NONE; moves[0].len() * moves[1].len()];
        let choices = moves.map(Choice::new);
        Self { choices, next }
    }
}

/// The plans' orders that leave now, each once, and then what else may be done.
fn root(plans: &[Plan], others: Vec<Vec<Order>>) -> Vec<Vec<Order>> {
    let mut moves: Vec<Vec<Order>> = Vec::new();
    let mut best: Vec<&Plan> = plans.iter().collect();
    best.sort_by_key(|(worth, _)| std::cmp::Reverse(*worth));
    let now = best.into_iter().map(|(_, orders)| {
        let mut orders = orders.clone();
        orders.retain(|order| order.wait == 0);
        orders
    });
    for orders in now.chain(others) {
        if !moves.contains(&orders) {
            moves.push(orders);
        }
    }
    moves
}

/// The two players of a game of two, ours first.
pub(super) fn two(sides: &Sides) -> Option<[u8; 2]> {
    let mut foes = (1..sides.side.len() as u8).filter(|player| sides.of(*player) < 0);
    let (ours, theirs) = (*sides.team.first()?, foes.next()?);
    let only = sides.team.len() == 1 && foes.next().is_none() && sides.side.len() == 3;
    only.then_some([ours, theirs])
}

/// Turns between the nearest planets of two players.
pub(super) fn near(chart: &Chart, owners: &[u8], players: [u8; 2]) -> usize {
    let of = |player: u8| {
        let owned = owners.iter().enumerate();
        owned.filter(move |(_, owner)| **owner == player)
    };
    let turns = of(players[0])
        .flat_map(|(one, _)| of(players[1]).map(move |(other, _)| chart.turns(one, other)));
    turns.min().unwrap_or(usize::MAX)
}

/// The share of games in which a player does nothing that has done nothing for n turns: none up to
/// [`QUIET`] of them.
fn idle_share(quiet: u32) -> f64 {
    f64::from(quiet.saturating_sub(QUIET)) / f64::from(quiet + QUIET)
}

/// A hidden fleet, and how likely it goes to each of its goals.
#[derive(Clone, Debug)]
pub(super) struct Unseen {
    pub(super) guess: Guess,
    /// By goal: how likely, relative to the others.
    pub(super) shares: Vec<u32>,
}

/// A search that may be interrupted after every game that it plays on.
#[derive(Clone, Debug)]
pub(super) struct Search {
    rehearsal: Rehearsal,
    now: State,
    plans: Vec<Plan>,
    /// What was seen of the other's fleets and may go to several places, in this turn.
    unseen: Vec<Unseen>,
    turn: u32,
    /// In which share of the games the other does nothing.
    idle_share: f64,
    nodes: Vec<Node>,
    /// Turns in each game.
    depth: u32,
    played: u32,
    /// Planets' turns that a game takes, counting those that anybody has or may want, and that may still be
    /// played.
    game: u64,
    left: u64,
}

impl Search {
    /// A search for the plan to follow among these and those of the enemy, which computes as much as n
    /// planets' futures take.
    pub(super) fn new(
        rehearsal: Rehearsal,
        now: State,
        [plans, foes]: [Vec<Plan>; 2],
        (unseen, turn): (Vec<Unseen>, u32),
        quiet: u32,
        left: u64,
    ) -> Self {
        let futures = rehearsal.futures(&now);
        let hidden = hidden(&rehearsal, now.planets(), &unseen, turn);
        // What is hidden from us is not from the other.
        let none = vec![moves::Hidden::default(); now.planets()];
        let [ours, theirs] = [(0, &hidden), (1, &none)]
            .map(|(side, hidden)| moves::now(&rehearsal, (&now, &futures), side, hidden));
        let (ours, theirs) = (root(&plans, ours), root(&foes, theirs));
        let mut node = Node::new([ours, theirs]);
        for choice in &mut node.choices {
            choice.present = true;
        }
        let depth = DEPTH.min(rehearsal.ending.rounds);
        Self {
            game: u64::from(depth) * rehearsal.useful(&now) as u64,
            depth,
            nodes: vec![node],
            rehearsal,
            now,
            plans,
            unseen,
            turn,
            idle_share: idle_share(quiet),
            played: 0,
            left: left.saturating_mul(FUTURE),
        }
    }

    /// Searches until it is done, or must stop; says whether it is done.
    pub(super) fn run(&mut self, stop: &dyn Fn() -> bool) -> bool {
        while self.played < GAMES && self.left > 0 {
            if stop() {
                return false;
            }
            self.play();
            self.played += 1;
        }
        true
    }

    /// Plays one game on, and learns from it.
    fn play(&mut self) {
        let (rehearsal, nodes) = (&self.rehearsal, &mut self.nodes);
        let mut state = self.now.clone();
        let mut rng = Rng::new(u64::from(self.turn), GAME_STREAM + u64::from(self.played));
        scatter(rehearsal, &mut state, &self.unseen, self.turn, &mut rng);
        // The other may go on doing nothing, whatever may be said against it.
        let idle = self.idle_share > 0.0 && rng.chance(self.idle_share);
        let mut path: Vec<(usize, [usize; 2])> = Vec::new();
        let mut at = 0;
        while state.turn() < self.depth {
            let mut picks = [0, 1].map(|side| nodes[at].choices[side].pick(&mut rng));
            if idle {
                let mut moves = nodes[at].choices[1].moves.iter();
                picks[1] = moves.position(Vec::is_empty).unwrap_or(picks[1]);
            }
            path.push((at, picks));
            for side in [0, 1] {
                for order in &nodes[at].choices[side].moves[picks[side]] {
                    rehearsal.depart(&mut state, order);
                }
            }
            rehearsal.pass(&mut state);
            let slot = picks[0] * nodes[at].choices[1].moves.len() + picks[1];
            let next = nodes[at].next[slot];
            if next == NONE {
                nodes[at].next[slot] = nodes.len() as u32;
                let futures = rehearsal.futures(&state);
                let both = [0, 1].map(|side| moves::later(rehearsal, &state, &futures, side));
                nodes.push(Node::new(both));
                break;
            }
            at = next as usize;
        }
        let styles = [0, 1].map(|_| Style::drawn(state.planets(), &mut rng));
        while state.turn() < self.depth {
            let futures = rehearsal.futures(&state);
            let both = [0, 1].map(|side: u8| {
                if side == 1 && idle {
                    return Vec::new();
                }
                let style = &styles[usize::from(side)];
                habit(rehearsal, &state, &futures, side, style)
            });
            for order in both.iter().flatten() {
                rehearsal.depart(&mut state, order);
            }
            rehearsal.pass(&mut state);
        }
        let value = rehearsal.standing(&state);
        for (at, picks) in path {
            nodes[at].choices[0].learn(picks[0], value);
            if !idle {
                nodes[at].choices[1].learn(picks[1], -value);
            }
        }
        self.left = self.left.saturating_sub(self.game);
    }

    /// As many planets' futures as it has played on so far.
    pub(super) fn futures(&self) -> u64 {
        u64::from(self.played) * self.game / FUTURE
    }

    /// What it may do, with how that has done so far.
    pub(super) fn compared(&self) -> Vec<Compared> {
        let choice = &self.nodes[0].choices[0];
        let done = choice.tried.iter().zip(&choice.won);
        let all = choice.moves.iter().zip(done);
        all.map(|(orders, (tried, won))| Compared {
            orders: self.whole(orders).clone(),
            value: (*tried > 0.0).then(|| won / tried),
            tried: Some(*tried as u64),
        })
        .collect()
    }

    /// The plan that begins with these orders, which goes on as it was meant to; else these alone.
    fn whole<'a>(&'a self, moves: &'a Vec<Order>) -> &'a Vec<Order> {
        let mut plans = self.plans.iter();
        let whole =
            plans.find(|(_, orders)| orders.iter().filter(|order| order.wait == 0).eq(moves));
        whole.map_or(moves, |(_, orders)| orders)
    }

    /// The plan to follow as far as is known: the best by its board if nothing was played.
    pub(super) fn best(&self) -> Vec<Order> {
        let choice = &self.nodes[0].choices[0];
        let tried = (0..choice.moves.len()).rev();
        let best = tried.max_by(|one, other| choice.tried[*one].total_cmp(&choice.tried[*other]));
        let mut best = best.unwrap_or_default();
        let mean = |at: usize| choice.won[at] / choice.tried[at].max(1.0);
        if mean(best) - mean(0) < MARGIN {
            best = 0;
        }
        self.whole(&choice.moves[best]).clone()
    }
}

/// By place and turn from now: ships of hidden fleets of the other that may land, each fleet on all its goals. Ours that
/// did not leave as ordered threaten nothing.
fn hidden(
    rehearsal: &Rehearsal,
    planets: usize,
    unseen: &[Unseen],
    turn: u32,
) -> Vec<moves::Hidden> {
    let mut hidden = vec![moves::Hidden::default(); planets];
    let guesses = unseen.iter().map(|unseen| &unseen.guess);
    for guess in guesses.filter(|guess| rehearsal.side(guess.owner) == 1) {
        for goal in &guess.goals {
            let to = usize::from(goal.to);
            let lands = rehearsal.chart.lands(guess.launched, guess.from, to);
            let after = lands.saturating_sub(turn as usize);
            let sum = hidden.get_mut(to).and_then(|hidden| hidden.get_mut(after));
            if let Some(sum) = sum {
                *sum = sum.saturating_add(guess.ships);
            }
        }
    }
    hidden
}

/// A goal by chance, with these shares.
fn drawn(Unseen { guess, shares }: &Unseen, rng: &mut Rng) -> Option<usize> {
    let mut left = rng.below(shares.iter().sum::<u32>().max(1));
    let mut goals = guess.goals.iter().zip(shares);
    let found = goals.find(|(_, share)| {
        let here = left < **share;
        left = left.saturating_sub(**share);
        here
    });
    found.map(|(goal, _)| usize::from(goal.to))
}

/// Hidden fleets land somewhere, more likely where it is more likely.
fn scatter(rehearsal: &Rehearsal, state: &mut State, unseen: &[Unseen], turn: u32, rng: &mut Rng) {
    for fleet in unseen {
        let Some(to) = drawn(fleet, rng) else {
            continue;
        };
        let guess = &fleet.guess;
        let lands = rehearsal.chart.lands(guess.launched, guess.from, to);
        let after = lands.saturating_sub(turn as usize);
        if (1..TURNS).contains(&after) {
            let landing = Move {
                turn: after as u8,
                owner: guess.owner,
                ships: guess.ships,
            };
            rehearsal.add(state, to, landing);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::aims::{Goal, Holder};
    use super::super::rehearsal::tests::opened;
    use super::*;
    use crate::rules::Ruleset;

    #[test]
    fn goals_are_drawn_by_their_shares() {
        let holder = Holder::Free;
        let goals = [7, 2, 5].map(|to| Goal {
            doubt: 0,
            to,
            holder,
        });
        let guess = Guess {
            owner: 2,
            from: 0,
            ships: 5,
            launched: 0,
            all: false,
            goals: goals.to_vec(),
        };
        let mut rng = Rng::new(1, 0);
        let mut drawn = [0; 8];
        let fleet = Unseen {
            guess: guess.clone(),
            shares: vec![600, 300, 100],
        };
        for _ in 0..10_000 {
            drawn[super::drawn(&fleet, &mut rng).unwrap()] += 1;
        }
        let [first, second, third] = goals.map(|goal| drawn[usize::from(goal.to)]);
        assert!(first > 5_500 && second > 2_500 && third > 700, "{drawn:?}");
        let none = Unseen {
            guess: Guess {
                goals: Vec::new(),
                ..guess
            },
            shares: Vec::new(),
        };
        assert_eq!(super::drawn(&none, &mut rng), None);
    }

    #[test]
    fn only_the_others_hidden_fleets_may_land_on_ours() {
        let (rehearsal, state) = opened("P 1 0 0 1 1 9\nP 2 3 0 1 2 9\n", Ruleset::TEAM, 0);
        for (owner, ships) in [(1, 0), (2, 5)] {
            let goal = Goal {
                doubt: 0,
                to: 0,
                holder: Holder::Ours,
            };
            let guess = Guess {
                owner,
                from: 1,
                ships: 5,
                launched: 0,
                all: false,
                goals: vec![goal],
            };
            let fleet = Unseen {
                guess,
                shares: vec![1],
            };
            let hidden = hidden(&rehearsal, state.planets(), &[fleet], 0);
            assert_eq!(hidden[0][3], ships, "of player {owner}");
        }
    }

    #[test]
    fn an_enemy_is_idle_in_more_games_the_longer_it_was_quiet() {
        let shares = [0, QUIET, 6, 12].map(idle_share);
        assert_eq!(shares, [0.0, 0.0, 0.5, 5.0 / 7.0]);
    }
}
