//! A stranger after the published notes of the winner of 2010: the boards and moves of `sketch`, a horizon as far as the
//! fleets in flight and the fronts ask for, and a search of both sides' moves until the third planet.

use super::sketch::{Board, choices, now};
use super::space::{Order, Space, Way};
use games::planetwars::rules::{NEUTRAL, PlayerId};

/// Turns looked ahead, at least and at most.
const HORIZON: std::ops::RangeInclusive<usize> = 20..=40;
/// Heads that moves are combined from.
const HEADS: usize = 5;
/// The opening lasts until there are as many planets.
const OPENING: usize = 3;
/// Turns of both sides that it searches, and what either side may do in each.
const TURNS: usize = 2;
const WIDTH: usize = 4;

/// As far as the last fleet that is in flight flies, and one more from anywhere to anywhere of what is held.
fn horizon(space: &Space) -> usize {
    let landing = space.coming.iter().map(|coming| coming.after as usize);
    let held = space.places(|planet| planet.owner != NEUTRAL);
    let ways = held
        .iter()
        .flat_map(|from| held.iter().map(|to| space.turns(*from, *to) as usize));
    let far = landing.max().unwrap_or_default() + ways.max().unwrap_or_default();
    far.clamp(*HORIZON.start(), *HORIZON.end())
}

/// What a player may do in a turn: the best of its choices.
fn best(space: &Space, count: usize) -> Vec<Vec<Order>> {
    let mut found = choices(&Board::new(space, horizon(space)), HEADS);
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.truncate(count);
    found.iter().map(|(_, launches)| now(launches)).collect()
}

/// The score for us after n turns in which we know no better, and they answer what we do.
fn search(space: &Space, foe: PlayerId, turns: usize, most: &mut Vec<Order>) -> i64 {
    if turns == 0 {
        return Board::new(space, horizon(space)).score();
    }
    let mut theirs = space.clone();
    theirs.me = foe;
    let replies = best(&theirs, WIDTH);
    let mut top = i64::MIN;
    for orders in best(space, WIDTH) {
        let mut least = i64::MAX;
        for reply in &replies {
            let ours = orders.iter().map(|order| (space.me, *order));
            let both: Vec<_> = ours
                .chain(reply.iter().map(|order| (foe, *order)))
                .collect();
            least = least.min(search(&space.after(&both), foe, turns - 1, &mut Vec::new()));
            if least <= top {
                break;
            }
        }
        if least > top {
            (top, *most) = (least, orders);
        }
    }
    top
}

/// The winner's way.
#[derive(Clone)]
pub(super) struct Futures;

impl Way for Futures {
    fn turn(&mut self, space: &Space) -> (Vec<Order>, Vec<usize>) {
        let foe = space
            .theirs()
            .first()
            .map(|place| space.planets[*place].owner);
        let mut orders = Vec::new();
        match foe.filter(|_| space.mine().len() < OPENING) {
            Some(foe) => {
                search(space, foe, TURNS, &mut orders);
            }
            None => orders = best(space, 1).pop().unwrap_or_default(),
        }
        (orders, Vec::new())
    }
}
