//! The plan of a turn: steps taken one by one, each time the one that gains most per ship.

use super::board::{Board, Order};
use super::mind::Plan;
use super::steps::{Aim, aims, fleets, late, own, promise};
use crate::rng::Rng;

/// The most steps that one plan takes out of its queue, whether accepted or not.
const OFFERS_MAX: usize = 100_000;

/// A step in the queue.
#[derive(Clone, Copy, Debug)]
struct Offer {
    aim: Aim,
    /// Its gain for its ships: an upper bound, or as computed on the board after this many accepted steps.
    key: i64,
    reckoned: Option<usize>,
}

/// How a plan weights its steps against each other.
#[derive(Clone, Debug)]
pub(super) struct Taste {
    /// Ships that a step costs in itself.
    overhead: i64,
    /// How many planets there are.
    planets: usize,
    /// By player and target: the weight of a step in 256ths; 256 for missing entries.
    likes: Vec<i64>,
}

impl Taste {
    /// Ships that a step costs in itself, in the successive plans of a turn.
    const OVERHEADS: [i64; 3] = [4, 1, 16];
    /// Plans per turn, if the nodes suffice.
    const COUNT: u64 = 11;
    /// How far weights vary up and down, in 256ths.
    const SPREAD: u32 = 90;

    /// The tastes of a turn's plans for the players with numbers up to this one: the first three weight all
    /// steps alike, the others at random from the turn number alone, so that a team has the same tastes.
    pub(super) fn all(turn: u32, players: usize, planets: usize) -> impl Iterator<Item = Self> {
        let plain = Self::OVERHEADS.len() as u64;
        let overheads = Self::OVERHEADS.into_iter().cycle();
        (0..Self::COUNT)
            .zip(overheads)
            .map(move |(number, overhead)| {
                let mut chance = Rng::new(u64::from(turn), number);
                let like = |_| i64::from(256 - Self::SPREAD + chance.below(2 * Self::SPREAD + 1));
                let steps = if number < plain {
                    0
                } else {
                    (players + 1) * planets
                };
                Self {
                    overhead,
                    planets,
                    likes: (0..steps).map(like).collect(),
                }
            })
    }

    /// A step with what it promises, if it promises anything.
    fn offer(&self, board: &Board<'_>, aim: Aim) -> Option<Offer> {
        let (gain, ships) = promise(board, &aim)?;
        Some(Offer {
            aim,
            key: self.key(&aim, gain, ships),
            reckoned: None,
        })
    }

    /// The weight of a gain that takes this many ships.
    fn key(&self, aim: &Aim, gain: i64, ships: i64) -> i64 {
        let at = usize::from(aim.player) * self.planets + usize::from(aim.target);
        let like = self.likes.get(at).copied().unwrap_or(256);
        gain * like / (ships + self.overhead).max(1)
    }
}

/// A plan by each taste, as far as these planets' futures go, and the futures that they took.
pub(super) fn plans(
    board: &Board<'_>,
    tastes: impl Iterator<Item = Taste>,
    allowed: &dyn Fn(u8, u8) -> bool,
    futures: u64,
) -> (Vec<Plan>, u64) {
    let (mut plans, mut left, mut taken) = (Vec::new(), futures, 0);
    for taste in tastes {
        let mut board = board.clone();
        let orders = plan(&mut board, &taste, allowed, left);
        plans.push((board.total(), orders));
        taken += board.nodes;
        left = left.saturating_sub(board.nodes);
        if left < board.nodes {
            break;
        }
    }
    (plans, taken)
}

/// Improves the plan until no step gains any more or the nodes are spent; returns all orders of the team,
/// including those of later turns.
fn plan(
    board: &mut Board<'_>,
    taste: &Taste,
    allowed: &dyn Fn(u8, u8) -> bool,
    nodes: u64,
) -> Vec<Order> {
    let mut orders: Vec<Order> = Vec::new();
    let mut accepted = 0;
    let mut places = own(board);
    let team = board.sides.team.clone();
    let mut queue: Vec<Offer> = Vec::new();
    let mut found: Vec<Aim> = Vec::new();
    for (player, own) in team.iter().zip(&places) {
        for target in 0..board.spots.len() as u8 {
            if allowed(*player, target) {
                aims(board, *player, target, own, &mut found);
            }
        }
    }
    queue.extend(found.drain(..).filter_map(|aim| taste.offer(board, aim)));
    for _ in 0..OFFERS_MAX {
        if board.nodes >= nodes {
            break;
        }
        // The best, the first of equals.
        let offers = queue.iter().enumerate().rev();
        let Some((best, _)) = offers.max_by_key(|(_, offer)| offer.key) else {
            break;
        };
        let offer = queue.remove(best);
        let slot = team.iter().position(|player| *player == offer.aim.player);
        let Some(own_places) = slot.and_then(|slot| places.get(slot)) else {
            continue;
        };
        let Some(step) = fleets(board, &offer.aim, own_places) else {
            // Another step took the ships: perhaps later.
            if offer.reckoned.is_some() || accepted > 0 {
                let again = |other: &Offer| {
                    other.aim.player == offer.aim.player && other.aim.target == offer.aim.target
                };
                if !queue.iter().any(again) {
                    let Aim { player, target, .. } = offer.aim;
                    aims(board, player, target, own_places, &mut found);
                    let later = found.drain(..).filter(|aim| aim.turn > offer.aim.turn);
                    queue.extend(later.filter_map(|aim| taste.offer(board, aim)));
                }
            }
            continue;
        };
        if offer.reckoned != Some(accepted) {
            let mut gain = board.gain(&step);
            if late(board, &offer.aim) {
                gain -= gain.max(0) * board.knobs.late / 16;
            }
            if gain >= board.knobs.least {
                let ships = step.iter().map(|order| i64::from(order.ships)).sum();
                let key = taste.key(&offer.aim, gain.into(), ships);
                queue.push(Offer {
                    key,
                    reckoned: Some(accepted),
                    ..offer
                });
            }
            continue;
        }
        board.accept(&step);
        orders.extend(step);
        accepted += 1;
        places = own(board);
    }
    forward(board, &mut orders, nodes);
    orders
}

/// Sends idle ships towards the other side, planet by planet.
fn forward(board: &mut Board<'_>, orders: &mut Vec<Order>, nodes: u64) {
    let count = board.spots.len();
    let foes: Vec<usize> = (0..count)
        .filter(|place| board.sides.of(board.spots[*place].line.owner[0]) < 0)
        .collect();
    let far = |from: usize| {
        let turns = foes.iter().map(|to| board.chart.turns(from, *to));
        turns.min().unwrap_or_default()
    };
    let far: Vec<usize> = (0..count).map(far).collect();
    let mut sources: Vec<usize> = (0..count)
        .filter(|from| board.sides.of(board.spots[*from].root.owner) > 0)
        .collect();
    sources.sort_unstable_by_key(|from| (std::cmp::Reverse(far[*from]), *from));
    for from in sources {
        if board.nodes >= nodes {
            return;
        }
        let spot = &board.spots[from];
        let (owner, ships) = (spot.root.owner, spot.line.spare[0]);
        if ships < 1 || spot.line.owner[0] != owner {
            continue;
        }
        let chart = board.chart;
        let rots = board.spots[from].root.growth < 0;
        let nearer = |to: &usize| {
            let turns = chart.turns(from, *to);
            let lasts = board.spots[*to].root.growth >= 0;
            if rots && lasts && board.spots[*to].line.owner.get(turns) == Some(&owner) {
                return true;
            }
            let there = board.spots[*to].line.owner.get(turns) == Some(&owner);
            there && far[*to] < far[from] && turns + far[*to] <= far[from] + far[from] / 3 + 1
        };
        let next = (0..count).filter(nearer);
        let Some(to) = next.min_by_key(|to| (chart.turns(from, *to), far[*to], *to)) else {
            continue;
        };
        let order = Order {
            owner,
            from: from as u8,
            to: to as u8,
            ships,
            wait: 0,
        };
        if board.gain(&[order]) >= 0 {
            board.accept(&[order]);
            orders.push(order);
        }
    }
}
