//! A stranger as a bot: its way of playing, and what it remembers.

use super::space::{Memory, Way};
use super::{futures, plain, sketch, tree};
use crate::bots::Seated;
use games::game::{Bot, Budget};
use games::planetwars::rules::{Act, Ask, PlanetWars, Ruleset, View};
use games::rng::Rng;

/// The stream of a stranger's chance.
const STREAM: u64 = 10 << 32;

#[derive(Clone)]
struct Stranger<W> {
    memory: Memory,
    way: W,
}

impl<W: Way + Clone + 'static> Bot<PlanetWars> for Stranger<W> {
    fn decide(&mut self, view: &View, _: &Ask, _: Budget<'_>) -> Act {
        let space = self.memory.see(view);
        let (orders, upgrades) = self.way.turn(&space);
        self.memory.act(&space, &orders, upgrades)
    }
}

/// The stranger of this name, under rules that it knows; those that end in `-team` are members of a team.
pub(crate) fn stranger(
    name: &str,
    seed: u64,
    rules: Ruleset,
    size: usize,
) -> Option<Seated<PlanetWars>> {
    let memory = |team| Memory::new(rules, team);
    Some(match name {
        "rusher" => seated(plain::Rusher, memory(1)),
        "rusher-team" => seated(plain::Rusher, memory(size)),
        "roller" => seated(plain::Roller, memory(1)),
        "roller-team" => seated(plain::Roller, memory(size)),
        "tree" => seated(tree::Tree::new(Rng::new(seed, STREAM)), memory(1)),
        "futures" => seated(futures::Futures, memory(1)),
        "sketch" => seated(sketch::Sketch, memory(1)),
        "booster" => seated(plain::Booster, memory(1)),
        "sabbatical" => seated(plain::Sabbatical, memory(1)),
        "threshold" => seated(plain::Threshold, memory(1)),
        _ => return None,
    })
}

fn seated<W: Way + Clone + 'static>(way: W, memory: Memory) -> Seated<PlanetWars> {
    Box::new(Stranger { memory, way })
}

#[cfg(test)]
mod tests {
    use super::stranger;
    use crate::planetwars::close::{near, shrinking};
    use games::arena::play_by;
    use games::game::Budget;
    use games::planetwars::rules::{PlanetWars, Ruleset, Setup};

    #[test]
    fn strangers_order_nothing_illegal_and_do_something() {
        for name in [
            "rusher",
            "roller",
            "rusher-team",
            "roller-team",
            "tree",
            "sketch",
            "futures",
            "booster",
            "sabbatical",
            "threshold",
        ] {
            let mut orders = 0;
            for planets in [near(3), near(4), shrinking(3), shrinking(5)] {
                let setup = Setup::duel(
                    planets,
                    Ruleset {
                        rounds: 30,
                        ..Ruleset::MZ2015
                    },
                );
                let bot = |seed| stranger(name, seed, setup.ruleset, 1).unwrap();
                let mut bots = [bot(1), bot(2)];
                let end = play_by::<PlanetWars>(&setup, &mut bots, |_, bot, view, ask| {
                    let act = bot.decide(view, ask, Budget::nodes(1));
                    orders += act.launches.len() + act.upgrades.len();
                    act
                });
                assert_eq!(end.refused.values(), [0, 0], "{name}");
            }
            assert!(orders > 3, "{name}: {orders}");
        }
        assert!(stranger("nobody", 1, Ruleset::TEAM, 1).is_none());
    }
}
