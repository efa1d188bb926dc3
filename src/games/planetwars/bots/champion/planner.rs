//! The plan of a turn: steps taken one by one, each time the one that gains most per ship.

use super::board::Board;
use super::plan::Plan;
use super::ships::Order;
use super::steps::{Aim, aims, fleets, late, own, promise};
use drover_game::rng::Rng;

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

    /// The steps of a new plan.
    fn first(
        &self,
        board: &Board<'_>,
        allowed: &dyn Fn(u8, u8) -> bool,
        places: &[Vec<u8>],
    ) -> Vec<Offer> {
        let mut found: Vec<Aim> = Vec::new();
        for (player, own) in board.sides.team.iter().zip(places) {
            for target in 0..board.spots.len() as u8 {
                if allowed(*player, target) {
                    aims(board, *player, target, own, &mut found);
                }
            }
        }
        let offers = found.into_iter().filter_map(|aim| self.offer(board, aim));
        offers.collect()
    }

    /// Queues what may be done later with the same aim, unless something with that aim is queued.
    fn later(&self, board: &Board<'_>, aim: &Aim, own: &[u8], queue: &mut Vec<Offer>) {
        let again =
            |other: &Offer| (other.aim.player, other.aim.target) == (aim.player, aim.target);
        if queue.iter().any(again) {
            return;
        }
        let mut found = Vec::new();
        aims(board, aim.player, aim.target, own, &mut found);
        let later = found.into_iter().filter(|later| later.turn > aim.turn);
        queue.extend(later.filter_map(|later| self.offer(board, later)));
    }

    /// A step with what it gains on the board, on which n were accepted, if that is enough.
    fn reckoned(
        &self,
        board: &mut Board<'_>,
        aim: Aim,
        step: &[Order],
        accepted: usize,
    ) -> Option<Offer> {
        let mut gain = board.gain(step);
        if late(board, &aim) {
            gain -= gain.max(0) * board.knobs.late / 16;
        }
        let ships = step.iter().map(|order| i64::from(order.ships)).sum();
        (gain >= board.knobs.least).then(|| Offer {
            aim,
            key: self.key(&aim, gain.into(), ships),
            reckoned: Some(accepted),
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
    let mut queue = taste.first(board, allowed, &places);
    for _ in 0..OFFERS_MAX {
        if board.nodes >= nodes {
            break;
        }
        let Some(offer) = take_best(&mut queue) else {
            break;
        };
        let slot = team.iter().position(|player| *player == offer.aim.player);
        let Some(own_places) = slot.and_then(|slot| places.get(slot)) else {
            continue;
        };
        let Some(step) = fleets(board, &offer.aim, own_places) else {
            // Another step took the ships: perhaps later.
            if offer.reckoned.is_some() || accepted > 0 {
                taste.later(board, &offer.aim, own_places, &mut queue);
            }
            continue;
        };
        if offer.reckoned != Some(accepted) {
            queue.extend(taste.reckoned(board, offer.aim, &step, accepted));
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

/// Takes the best out of a queue, the first of equals.
fn take_best(queue: &mut Vec<Offer>) -> Option<Offer> {
    let offers = queue.iter().enumerate().rev();
    let (best, _) = offers.max_by_key(|(_, offer)| offer.key)?;
    Some(queue.remove(best))
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
            let there = board.spots[*to].line.owner.get(turns) == Some(&owner);
            if !there || board.is_spared(owner, *to) || !board.ending.counts(turns) {
                return false;
            }
            let saved = rots && board.spots[*to].root.growth >= 0;
            let onward = turns + far[*to] <= far[from] + far[from] / 3 + 1;
            saved || (far[*to] < far[from] && onward)
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

#[cfg(test)]
mod tests {
    use super::super::board::Sides;
    use super::super::calibration::Calibration;
    use super::super::chart::Names;
    use super::super::ending::Ending;
    use super::super::knobs::CHAMPION;
    use super::super::mind::roots;
    use super::super::ships::Move;
    use super::*;
    use crate::map;
    use crate::rules::{PlanetWars, Ruleset, Setup};
    use drover_game::game::{Game as _, Seat};

    const LONG: Ending = Ending {
        rounds: 100,
        flight_counts: true,
    };

    /// A board on which players 1 and 2 are a team and 3 is the enemy, with these landings on the first planet.
    fn check(planets: &str, landings: &[Move], ending: Ending, look: impl Fn(&mut Board<'_>)) {
        let setup = Setup {
            planets: map::read(planets).unwrap(),
            players: vec![1, 2, 3],
            teams: vec![0, 0, 1],
            ruleset: Ruleset::TEAM,
        };
        let view = PlanetWars::start(&setup).view(Seat(0));
        let names = Names::new(&view);
        let calibration = Calibration::new(&names);
        let chart = calibration.chart();
        let sides = Sides::new(3, &[1, 2], |player| player == 3);
        let roots = roots(&names.sight(&view), chart);
        let mut all = vec![Vec::new(); roots.len()];
        all[0] = landings.to_vec();
        let mut board = Board::new(chart, &sides, &CHAMPION, &roots, all, ending);
        board.settle();
        look(&mut board);
    }

    /// The first planet is one's own or a mate's, will be one's own when a fleet has landed, and lies on the way.
    #[test]
    fn idle_ships_move_up_to_own_planets_but_not_to_those_of_mates() {
        for (owner, sent) in [(2, true), (1, false)] {
            let planets =
                format!("P 1 0 0 1 {owner} 5\nP 2 -3 0 1 2 20\nP 3 9 0 1 3 20\nP 4 0 30 1 1 1\n");
            let landing = Move {
                turn: 1,
                owner: 2,
                ships: 50,
            };
            check(&planets, &[landing], LONG, |board| {
                let mut orders = Vec::new();
                forward(board, &mut orders, u64::MAX);
                let moved = orders.iter().any(|order| (order.from, order.to) == (1, 0));
                assert_eq!(moved, sent, "of player {owner}: {orders:?}");
            });
        }
    }

    /// The enemy will take the first planet in two turns.
    #[test]
    fn what_an_enemy_will_have_is_no_aim_while_it_is_a_mates() {
        for (owner, aimed) in [(0, true), (1, false)] {
            let planets =
                format!("P 1 0 0 1 {owner} 5\nP 2 -3 0 1 2 90\nP 3 9 0 1 3 20\nP 4 0 30 1 1 1\n");
            let landing = Move {
                turn: 2,
                owner: 3,
                ships: 50,
            };
            check(&planets, &[landing], LONG, |board| {
                let mut found = Vec::new();
                aims(board, 2, 0, &[1], &mut found);
                assert_eq!(!found.is_empty(), aimed, "of player {owner}: {found:?}");
            });
        }
    }

    /// Where ships in flight do not count in the end, none leave that would not land before it.
    #[test]
    fn idle_ships_stay_if_they_would_be_in_flight_in_the_end() {
        let planets = "P 1 0 0 1 2 5\nP 2 -3 0 1 2 20\nP 3 9 0 1 3 20\nP 4 0 30 1 1 1\n";
        for (rounds, flight_counts, sent) in [(2, true, true), (2, false, false), (3, false, true)]
        {
            let ending = Ending {
                rounds,
                flight_counts,
            };
            check(planets, &[], ending, |board| {
                let mut orders = Vec::new();
                forward(board, &mut orders, u64::MAX);
                let moved = orders.iter().any(|order| (order.from, order.to) == (1, 0));
                assert_eq!(moved, sent, "{ending:?}: {orders:?}");
            });
        }
    }
}
