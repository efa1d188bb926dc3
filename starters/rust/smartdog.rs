//! Plays smart-dog: each dog goes to the far side of a sheep, seen from its pen, and barks it home.

use crate::{Bot, Json, Random, Turn};

pub struct SmartDog;

type Spot = (i64, i64);

const WAYS: [(&str, Spot); 4] = [("up", (0, -1)), ("left", (-1, 0)), ("down", (0, 1)), ("right", (1, 0))];

fn spot(thing: &Json) -> Spot {
    (thing["spot"]["x"].integer(), thing["spot"]["y"].integer())
}

impl Bot for SmartDog {
    fn decide(&mut self, turn: &mut Turn) -> String {
        let (view, seen) = (turn.view, &turn.view["seen"].items);
        let meadow = Meadow::new(view);
        let radius = view["ground"]["options"]["dogBarkingR"].integer();
        let pen = b'1' + view["seat"].integer() as u8;
        let cells = (0..).zip(&meadow.land).filter(|(_, cell)| **cell == pen);
        let home: Vec<Spot> = cells.map(|(at, _)| (at % meadow.cols, at / meadow.cols)).collect();
        let dogs = seen.iter().filter(|thing| thing.has("dog")).map(|thing| &thing["dog"]);
        let sheep: Vec<Spot> =
            seen.iter().filter(|thing| thing.has("sheep")).map(|thing| spot(&thing["sheep"])).collect();
        let strays: Vec<Spot> = sheep.iter().copied().filter(|at| !home.contains(at)).collect();
        let mut taken: Vec<Spot> = dogs.clone().map(spot).chain(sheep.iter().copied()).collect();
        let mut orders: Vec<String> = Vec::new();
        for dog in dogs {
            // A dog in panic neither moves nor barks.
            if dog["owner"].raw != view["seat"].raw || dog["action"].is("panic") {
                continue;
            }
            let mut here = spot(dog);
            let goal = meadow.goal(here, &strays, &home);
            let ways = WAYS.iter().map(|(way, step)| (*way, meadow.moved(here, *step)));
            let free: Vec<(&str, Spot)> =
                ways.filter(|(_, to)| !taken.contains(to) && !meadow.is_closed(*to)).collect();
            if !free.is_empty() && goal != Some(here) {
                let (way, to) = match goal {
                    Some(goal) => *free.iter().min_by_key(|(_, to)| meadow.apart(*to, goal)).unwrap(),
                    None => wander(&free, dog["id"].integer() + view["turn"].integer() / 10, &mut turn.random),
                };
                orders.push(format!("{{\"move\":[{},\"{}\"]}}", dog["id"], way));
                here = to;
                taken.push(here);
            }
            let reached = sheep.iter().filter(|at| meadow.apart(here, **at) <= radius * radius);
            let gain: i64 = reached.map(|at| if strays.contains(at) { 1 } else { -1 }).sum();
            // An indignant one moves, but does not bark.
            if goal == Some(here) && dog["action"].is("move") && gain > 0 {
                orders.push(format!("{{\"bark\":{}}}", dog["id"]));
            }
        }
        format!("[{}]", orders.join(","))
    }
}

/// Ten turns the same way, if that is possible.
fn wander<'a>(free: &[(&'a str, Spot)], number: i64, random: &mut Random) -> (&'a str, Spot) {
    let (usual, _) = WAYS[number as usize % WAYS.len()];
    let straight = free.iter().find(|(way, _)| *way == usual);
    *straight.unwrap_or(&free[random.below(free.len())])
}

struct Meadow {
    cols: i64,
    rows: i64,
    land: Vec<u8>,
}

impl Meadow {
    fn new(view: &Json) -> Meadow {
        let ground = &view["ground"];
        Meadow {
            cols: ground["torus"]["cols"].integer(),
            rows: ground["torus"]["rows"].integer(),
            land: ground["land"].text().into_bytes(),
        }
    }

    /// Where a bark drives the nearest sheep towards the pen: sheep run straight away from it.
    fn goal(&self, here: Spot, strays: &[Spot], home: &[Spot]) -> Option<Spot> {
        let prey = *strays.iter().min_by_key(|at| self.apart(here, **at))?;
        let pen = *home.iter().min_by_key(|at| self.apart(prey, **at))?;
        let (dx, dy) = self.way(prey, pen);
        let step = if dx.abs() > dy.abs() {
            (if dx > 0 { -1 } else { 1 }, 0)
        } else {
            (0, if dy > 0 { -1 } else { 1 })
        };
        Some(self.moved(prey, step))
    }

    fn is_closed(&self, (x, y): Spot) -> bool {
        matches!(self.land[(y * self.cols + x) as usize], b'#' | b'^')
    }

    fn moved(&self, (x, y): Spot, (dx, dy): Spot) -> Spot {
        ((x + dx).rem_euclid(self.cols), (y + dy).rem_euclid(self.rows))
    }

    /// How far it is in a straight line, squared.
    fn apart(&self, one: Spot, other: Spot) -> i64 {
        let (dx, dy) = self.way(one, other);
        dx * dx + dy * dy
    }

    /// How far it is to the right and down, round the world's borders if that is shorter.
    fn way(&self, one: Spot, other: Spot) -> Spot {
        let short = |apart: i64, size: i64| (apart + size / 2).rem_euclid(size) - size / 2;
        (short(other.0 - one.0, self.cols), short(other.1 - one.1, self.rows))
    }
}
