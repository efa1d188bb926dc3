//! What a stranger believes: a position of the rules that its own orders advance and that it corrects by what it sees.

use games::smartdog::options::Key;
use games::smartdog::rules::{
    Command, Direction, Dog, DogAction, DogId, Fright, Orders, PUSHES_MAX, Seen, Sheep,
    SheepAction, SmartDog, Spot, View,
};
use std::collections::HashSet;

/// A dog of the belief and its number on the wire.
#[derive(Clone)]
struct Known {
    id: DogId,
    dog: Dog,
}

#[derive(Clone, Default)]
pub(super) struct Memory {
    dogs: Vec<Known>,
    /// The position of the last turn after the own orders.
    last: Option<SmartDog>,
}

impl Memory {
    /// The believed position now.
    pub(super) fn see(&mut self, view: &View) -> SmartDog {
        let ground = &view.ground;
        let (torus, options) = (ground.torus(), ground.options());
        let own = |seen: &&Seen| matches!(seen, Seen::Dog(dog) if dog.owner == view.seat);
        let eyes: Vec<Spot> = view.seen.iter().filter(own).map(Seen::spot).collect();
        let radius = options.get(Key::DogVisibilityR);
        let visible = |spot: Spot| eyes.iter().any(|eye| torus.within(*eye, spot, radius));
        let met = |id: DogId| {
            view.seen
                .iter()
                .any(|seen| matches!(seen, Seen::Dog(dog) if dog.id == id))
        };
        let mut spots = HashSet::new();
        self.dogs.retain(|known| {
            !met(known.id)
                && !visible(known.dog.spot)
                && spots.insert((known.dog.spot.x, known.dog.spot.y))
        });
        let mut sheep: Vec<Sheep> = match &self.last {
            Some(last) => last.sheep().to_vec(),
            None => Vec::new(),
        };
        sheep.retain(|sheep| !visible(sheep.spot));
        for seen in &view.seen {
            match seen {
                Seen::Dog(seen) => {
                    let mut dog = Dog::new(seen.owner, seen.spot);
                    dog.voice = seen.voice;
                    dog.disabled = u32::from(seen.action != DogAction::Move);
                    if seen.action == DogAction::Indignant {
                        dog.fright = Fright::Indignant;
                    }
                    self.dogs.push(Known { id: seen.id, dog });
                }
                Seen::Sheep(seen) => {
                    let turns = match seen.action {
                        SheepAction::Panic => options.get(Key::SheepScaryTurns).max(2) - 1,
                        SheepAction::StandBy | SheepAction::Move => 0,
                    };
                    sheep.push(Sheep::imagine(seen.spot, seen.direction, turns));
                    // Tiles are copies: what stands here at first stands there as well.
                    if view.turn == 1 {
                        sheep.extend(self.copies(view, seen.spot));
                    }
                }
                Seen::Voice(_) => {}
            }
        }
        self.dogs.sort_by_key(|known| known.id);
        let dogs = self.dogs.iter().map(|known| known.dog.clone());
        SmartDog::imagine(ground, view.turn, dogs, sheep, PUSHES_MAX / 100)
    }

    /// The same place on the others' tiles.
    fn copies(&self, view: &View, spot: Spot) -> Vec<Sheep> {
        let tiles = view.ground.tiles();
        let home = tiles.values().iter().find(|tile| tile.contains(spot));
        let Some(home) = home else { return Vec::new() };
        let others = tiles.values().iter().filter(|tile| *tile != home);
        let copy = |x: u16, y: u16| Sheep::imagine(Spot::new(x, y), Direction::Down, 0);
        others
            .map(|tile| {
                let (dx, dy) = (spot.x - home.first.x, spot.y - home.first.y);
                copy(tile.first.x + dx, tile.first.y + dy)
            })
            .collect()
    }

    /// A dog's number on the wire.
    fn id(&self, dog: DogId) -> DogId {
        self.dogs[dog.index()].id
    }

    /// The orders as they go out; the belief goes on from them.
    pub(super) fn order(&mut self, mut game: SmartDog, view: &View, orders: &[Command]) -> Orders {
        for command in orders {
            let played = game.play(view.seat, *command);
            debug_assert!(played.is_ok(), "{played:?}");
        }
        let outer = |command: &Command| match *command {
            Command::Move(dog, way) => Command::Move(self.id(dog), way),
            Command::Bark(dog) => Command::Bark(self.id(dog)),
        };
        let orders = orders.iter().map(outer).collect();
        game.end_all();
        self.last = Some(game);
        orders
    }
}
