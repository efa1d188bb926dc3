//! A stranger as a bot: dog by dog it tries every step and bark, and takes what leaves the best position when all
//! is calm again.

use super::aim::{Aim, GUARD, HERDER, Purpose, ROBBER};
use super::memory::Memory;
use crate::bots::Seated;
use games::game::{Bot, Budget, Game as _};
use games::smartdog::options::Key;
use games::smartdog::rules::{Ask, Command, DogId, Orders, SmartDog, View};

/// The stranger of this name.
pub(crate) fn stranger(name: &str) -> Option<Seated<SmartDog>> {
    let aim = match name {
        "herder-robber" => HERDER,
        "robber" => ROBBER,
        "guard" => GUARD,
        _ => return None,
    };
    Some(Box::new(Ply {
        aim,
        memory: Memory::default(),
        purpose: None,
    }))
}

#[derive(Clone)]
struct Ply {
    aim: Aim,
    memory: Memory,
    /// What the seat that it plays wants.
    purpose: Option<Purpose>,
}

impl Bot<SmartDog> for Ply {
    fn decide(&mut self, view: &View, _: &Ask, _: Budget<'_>) -> Orders {
        let game = self.memory.see(view);
        let aim = self.aim;
        let purpose = self
            .purpose
            .get_or_insert_with(|| Purpose::new(aim, view.seat, &view.ground));
        let mut acts = Vec::new();
        game.acts(view.seat, &mut acts);
        let mut orders = Vec::new();
        for (at, _) in (0u16..)
            .zip(game.dogs())
            .filter(|(_, dog)| dog.owner == view.seat)
        {
            let mut best = (value(purpose, &game, view, &orders, &[]), Orders::new());
            for act in acts
                .iter()
                .filter(|act| act.first().is_some_and(|first| dog(first) == DogId(at)))
            {
                let value = value(purpose, &game, view, &orders, act);
                if value > best.0 + 1e-9 {
                    best = (value, act.clone());
                }
            }
            let tried = best.1.iter().copied();
            orders = allowed(&game, view, orders.iter().copied().chain(tried));
        }
        self.memory.order(game, view, &orders)
    }
}

const fn dog(command: &Command) -> DogId {
    match command {
        Command::Move(dog, _) | Command::Bark(dog) => *dog,
    }
}

/// Those commands that are not refused, played one after the other.
fn allowed(game: &SmartDog, view: &View, orders: impl Iterator<Item = Command>) -> Vec<Command> {
    let mut game = game.clone();
    orders
        .filter(|command| game.play(view.seat, *command).is_ok())
        .collect()
}

/// The position after these commands and as many quiet turns as sheep run.
fn value(
    purpose: &Purpose,
    game: &SmartDog,
    view: &View,
    orders: &[Command],
    act: &[Command],
) -> f64 {
    let mut game = game.clone();
    for command in orders.iter().chain(act) {
        let _ = game.play(view.seat, *command);
    }
    game.end_all();
    let dogs = purpose.dogs(&game);
    let runs = game.ground().options().get(Key::SheepScaryTurns).min(12);
    for _ in 0..=runs {
        game.end_all();
    }
    dogs + purpose.sheep(&game)
}

#[cfg(test)]
mod tests {
    use super::stranger;
    use games::arena::play_by;
    use games::contest::{Advice, Contest as _};
    use games::game::{Budget, Seat};
    use games::smartdog::map::Map;
    use games::smartdog::options::Options;
    use games::smartdog::rules::{Command, Players, Setup, SmartDog};

    const MAP: &str = "{\"turnsLimit\": 60, \"dogVisibilityR\": 6, \"dogBarkingR\": 3, \"sheepScaryTurns\": 1, \
        \"dogScaryTurns\": 2, \"sheepStandBy\": 4}\n\
        ..........\n.---......\n.-oo...*..\n.---......\n....@.....\n..*.......\n..........\n";

    #[test]
    fn strangers_order_nothing_illegal_herd_and_rob() {
        let setup = Setup {
            map: Map::read(MAP).unwrap(),
            players: Players::try_from(2).unwrap(),
            options: Options::default(),
        };
        // Sheep in the own pen and in that of a rival that stands; each has two at first.
        let penned = |name: &str| {
            let stand = SmartDog::bot("stand", 1, Advice::None).unwrap();
            let mut bots = [stranger(name).unwrap(), stand];
            let mut barks = 0;
            let end = play_by::<SmartDog>(&setup, &mut bots, |_, bot, view, ask| {
                let act = bot.decide(view, ask, Budget::nodes(1));
                let bark = |command: &&Command| matches!(command, Command::Bark(_));
                barks += act.iter().filter(bark).count();
                act
            });
            assert_eq!(end.refused.values(), [0, 0], "{name}");
            assert!(barks > 0, "{name}");
            let penned = end.game.penned();
            (penned[Seat(0)], penned[Seat(1)])
        };
        assert!(penned("robber").1 < 2);
        assert!(penned("herder-robber").0 > 2);
        assert!(penned("guard").0 > 2);
        assert!(stranger("nobody").is_none());
    }
}
