//! Plays Lighthouses: walks to the nearest lighthouse that it can take, takes it, and connects what it can.

use crate::{Bot, Json, Turn};
use std::collections::{HashMap, VecDeque};

#[derive(Default)]
pub struct Lighthouses {
    seat: String,
    width: i64,
    island: Vec<u8>,
    lighthouses: Vec<i64>,
}

impl Bot for Lighthouses {
    /// Keeps the chart. A restarted program is sent it again.
    fn seen(&mut self, event: &Json) {
        if event.has("begins") {
            let chart = &event["begins"][0];
            self.seat = event["begins"][1].to_string();
            self.width = chart["width"].integer();
            self.lighthouses = chart["lighthouses"].items.iter().map(Json::integer).collect();
            let rows = chart["rows"].items.iter().map(|row| row.text().into_bytes());
            self.island = rows.flatten().collect();
        }
    }

    fn decide(&mut self, turn: &mut Turn) -> String {
        let (view, acts) = (turn.view, &turn.acts.items);
        if turn.ask.is("prepare") {
            return "\"pass\"".to_owned();
        }
        let (here, energy) = (view["position"].integer(), view["energy"].integer());
        if let Some(connect) = acts.iter().find(|act| act.has("connect")) {
            return connect.to_string();
        }
        // The cells of lighthouses that can be taken, and their energy.
        let beacons = view["beacons"].items.iter().zip(&self.lighthouses);
        let mut goals: HashMap<i64, i64> = beacons
            .filter(|(beacon, _)| beacon["owner"].raw != self.seat && beacon["energy"].integer() < energy)
            .map(|(beacon, cell)| (*cell, beacon["energy"].integer()))
            .collect();
        if let Some(weakest) = goals.remove(&here) {
            let attacks = acts.iter().filter(|act| act.has("attack"));
            let strongest = attacks.max_by_key(|act| act["attack"].integer());
            if let Some(attack) = strongest.filter(|act| act["attack"].integer() > weakest) {
                return attack.to_string();
            }
        }
        let step = self.step(here, &goals);
        let there: HashMap<i64, i64> =
            view["seen"].items.iter().map(|seen| (seen[0].integer(), seen[1].integer())).collect();
        // A step on the way is best, then one to where energy lies.
        let goodness = |act: &&Json| {
            let (dx, dy) = (act["move"]["dx"].integer(), act["move"]["dy"].integer());
            let to = here + dy * self.width + dx;
            (Some(to) == step, there.get(&to).copied().unwrap_or(0))
        };
        let moves = acts.iter().filter(|act| act.has("move"));
        // Of several that are best the first one.
        moves.rev().max_by_key(goodness).map_or("\"pass\"".to_owned(), Json::to_string)
    }
}

impl Lighthouses {
    /// The first step of a shortest way to one of these cells.
    fn step(&self, here: i64, goals: &HashMap<i64, i64>) -> Option<i64> {
        let mut first: HashMap<i64, i64> = HashMap::new();
        first.insert(here, here);
        let mut waiting = VecDeque::from([here]);
        while let Some(cell) = waiting.pop_front() {
            if goals.contains_key(&cell) {
                return first.get(&cell).copied();
            }
            for dy in -1..=1 {
                for dx in -1..=1 {
                    let to = cell + dy * self.width + dx;
                    // The island has water all around it.
                    if self.island[to as usize] == b'#' && !first.contains_key(&to) {
                        let step = if cell == here { to } else { first[&cell] };
                        first.insert(to, step);
                        waiting.push_back(to);
                    }
                }
            }
        }
        None
    }
}
