//! A stranger that tries its own moves against the enemy's, plays on from each, and takes the best mean.

use super::space::{Order, Space, Way};
use games::planetwars::rules::PlayerId;
use games::rng::Rng;

/// Moves of its own and of the enemy's that are tried.
const OWN: usize = 24;
const THEIRS: usize = 10;
/// Turns that are played on.
const DEPTH: u32 = 10;
/// Goals that a planet considers.
const NEAR: usize = 4;

#[derive(Clone)]
pub(super) struct Tree {
    rng: Rng,
}

impl Tree {
    pub(super) fn new(rng: Rng) -> Self {
        Self { rng }
    }
}

/// The nearest goals of a planet, its owner's own ones included.
fn near(space: &Space, from: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (0..space.planets.len()).filter(|to| *to != from).collect();
    all.sort_by_key(|to| (space.turns(from, *to), *to));
    all.truncate(NEAR);
    all
}

/// Ships that take a planet after n turns; `None` if it is this player's then.
fn need(space: &Space, player: PlayerId, to: usize, turns: u32) -> Option<i64> {
    let (owner, ships) = space.future(to, turns, &[])[turns as usize];
    (owner != player).then_some(ships + 1)
}

/// Every planet takes the nearest planet that it can.
fn greedy(space: &Space, player: PlayerId) -> Vec<Order> {
    let mut orders: Vec<Order> = Vec::new();
    for from in space.places(|planet| planet.owner == player) {
        let mut goals = near(space, from).into_iter();
        let order = goals.find_map(|to| {
            let aimed = orders.iter().any(|order| order.to == to);
            let ships = need(space, player, to, space.turns(from, to)).filter(|_| !aimed)?;
            (ships <= space.planets[from].ships).then_some(Order { from, to, ships })
        });
        orders.extend(order);
    }
    orders
}

/// Moves of a player: nothing, what is nearest, everything against one planet, and some by chance.
fn moves(space: &Space, player: PlayerId, count: usize, rng: &mut Rng) -> Vec<Vec<Order>> {
    let mine = space.places(|planet| planet.owner == player && planet.ships > 0);
    let mut moves = vec![Vec::new(), greedy(space, player)];
    let mut foes = space.places(|planet| planet.owner != player && planet.owner != 0);
    foes.sort_by_key(|to| (space.planets[*to].ships, *to));
    for to in foes.into_iter().take(count / 4) {
        let all = mine.iter().map(|from| Order {
            from: *from,
            to,
            ships: space.planets[*from].ships,
        });
        moves.push(all.collect());
    }
    while moves.len() < count && !mine.is_empty() {
        let mut orders = Vec::new();
        for from in &mine {
            let goals = near(space, *from);
            if goals.is_empty() || rng.chance(0.4) {
                continue;
            }
            let to = goals[rng.below(goals.len() as u32) as usize];
            let all = space.planets[*from].ships;
            let exact = need(space, player, to, space.turns(*from, to)).unwrap_or(all);
            let ships = [all, all - all / 2, exact.min(all)][rng.below(3) as usize];
            orders.push(Order {
                from: *from,
                to,
                ships,
            });
        }
        moves.push(orders);
    }
    moves
}

/// How a state stands for a player: ships, and growth for some turns.
fn standing(space: &Space, player: PlayerId) -> i64 {
    let growth = |of: &dyn Fn(PlayerId) -> bool| -> i64 {
        let planets = space.planets.iter().filter(|planet| of(planet.owner));
        planets.map(|planet| planet.growth).sum()
    };
    let own = |owner| owner == player;
    let theirs = |owner| owner != player && owner != 0;
    let (mine, foes) = (space.ships(own), space.ships(theirs));
    let lives = |ships: i64, sign: i64| if ships > 0 { 0 } else { -sign * 10_000 };
    mine - foes + 10 * (growth(&own) - growth(&theirs)) + lives(mine, 1) + lives(foes, -1)
}

fn owned(player: PlayerId, orders: &[Order]) -> impl Iterator<Item = (PlayerId, Order)> {
    orders.iter().map(move |order| (player, *order))
}

impl Way for Tree {
    fn turn(&mut self, space: &Space) -> (Vec<Order>, Vec<usize>) {
        let me = space.me;
        // The strongest of the others stands for all.
        let rival = space
            .theirs()
            .into_iter()
            .max_by_key(|place| space.planets[*place].ships)
            .map_or(0, |place| space.planets[place].owner);
        let replies = moves(space, rival, THEIRS, &mut self.rng);
        let own = moves(space, me, OWN, &mut self.rng);
        let value = |orders: &Vec<Order>| -> i64 {
            let end = |reply: &Vec<Order>| {
                let both: Vec<_> = owned(me, orders).chain(owned(rival, reply)).collect();
                let mut space = space.after(&both);
                for _ in 1..DEPTH {
                    let (mine, theirs) = (greedy(&space, me), greedy(&space, rival));
                    let both: Vec<_> = owned(me, &mine).chain(owned(rival, &theirs)).collect();
                    space = space.after(&both);
                }
                standing(&space, me)
            };
            replies.iter().map(end).sum()
        };
        // The first of equals.
        let best = own.into_iter().rev().max_by_key(value);
        (best.unwrap_or_default(), Vec::new())
    }
}
