//! Players beside the ladder, written from what is known of other authors' programs: how they open, hold,
//! roll up, search, or what they were given as samples. Nobody trained against them.

mod futures;
mod plain;
mod space;
mod tree;

use self::space::{Memory, Order, Space};
use crate::field::Seated;
use games::game::{Bot, Budget};
use games::planetwars::rules::{Act, Ask, PlanetWars, Ruleset, View};
use games::rng::Rng;

/// The stream of a stranger's chance.
const STREAM: u64 = 10 << 32;

/// What a stranger does in a turn: orders, and planets whose growth it buys.
trait Way: Send {
    fn turn(&mut self, space: &Space) -> (Vec<Order>, Vec<usize>);
}

struct Stranger {
    memory: Memory,
    way: Box<dyn Way>,
}

impl Bot<PlanetWars> for Stranger {
    fn decide(&mut self, view: &View, _: &Ask, _: Budget<'_>) -> Act {
        let space = self.memory.see(view);
        let (orders, upgrades) = self.way.turn(&space);
        self.memory.act(&space, &orders, upgrades)
    }
}

/// The stranger of this name, under rules that it knows.
pub(super) fn stranger(name: &str, seed: u64, rules: Ruleset) -> Option<Seated<PlanetWars>> {
    let way: Box<dyn Way> = match name {
        "rusher" => Box::new(plain::Rusher),
        "roller" => Box::new(plain::Roller),
        "tree" => Box::new(tree::Tree::new(Rng::new(seed, STREAM))),
        "futures" => Box::new(futures::Futures),
        "booster" => Box::new(plain::Booster),
        "sabbatical" => Box::new(plain::Sabbatical),
        "threshold" => Box::new(plain::Threshold),
        _ => return None,
    };
    let memory = Memory::new(rules);
    Some(Box::new(Stranger { memory, way }))
}
