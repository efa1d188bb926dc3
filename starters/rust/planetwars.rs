//! Plays Planet Wars: every strong planet takes the planet near it that pays best.

use crate::{Bot, Turn};

pub struct PlanetWars;

impl Bot for PlanetWars {
    fn decide(&mut self, turn: &mut Turn) -> String {
        let (planets, you) = (&turn.view["planets"].items, turn.view["you"].integer());
        let own = turn.view["fleets"].items.iter().filter(|fleet| fleet["owner"].integer() == you);
        let mut aimed: Vec<i64> = own.map(|fleet| fleet["to"].integer()).collect();
        let mut launches: Vec<String> = Vec::new();
        for planet in planets.iter().filter(|planet| planet["owner"].integer() == you) {
            let mut best = (0.0, 0, 0);
            for other in planets {
                let [owner, growth, id] = ["owner", "growth", "id"].map(|key| other[key].integer());
                let [dx, dy] = ["x", "y"].map(|key| planet[key].number() - other[key].number());
                let turns = dx.hypot(dy).ceil() as i64;
                let ships = other["ships"].integer() + if owner == 0 { 0 } else { growth * turns } + 1;
                let pays = (growth as f64 + 0.1) / (ships + turns) as f64;
                let fits = owner != you && !aimed.contains(&id) && ships < planet["ships"].integer();
                if fits && pays > best.0 {
                    best = (pays, id, ships);
                }
            }
            let (pays, to, ships) = best;
            if pays > 0.0 {
                aimed.push(to);
                launches.push(format!("{{\"from\":{},\"to\":{},\"ships\":{}}}", planet["id"], to, ships));
            }
        }
        let launches = launches.join(",");
        format!("{{\"launches\":[{}],\"upgrades\":[],\"message\":null}}", launches)
    }
}
