//! What a player can know of a match's end, which it is not shown: the sheep in its pen after the last turn.

use super::options::Key;
use super::rules::{
    Command, Dog, DogAction, DogId, Fright, Orders, PUSHES_MAX, Seen, Sheep, SheepAction, SmartDog,
    Spot, View,
};

/// Sheep as near as this, in cells, may stand in each other's way or frighten each other.
const APART: u32 = 3;
/// Dogs as near as this, in cells, may step into a sheep's way.
const STEP: u32 = 2;

/// The sheep in the own pen at the end of the turn, if nothing out of sight, no other player and not the order
/// in which sheep act can change it. `orders`: all of them were carried out.
#[must_use]
pub fn penned_after(view: &View, orders: &Orders) -> Option<u32> {
    let ground = &view.ground;
    let (torus, options) = (ground.torus(), ground.options());
    if view.turn != options.get(Key::TurnsLimit) {
        return None;
    }
    let (mut dogs, mut labels) = (Vec::new(), Vec::new());
    let (mut sheep, mut rivals): (Vec<Sheep>, Vec<Spot>) = (Vec::new(), Vec::new());
    for seen in &view.seen {
        match seen {
            Seen::Dog(seen) => {
                let mut dog = Dog::new(seen.owner, seen.spot);
                (dog.disabled, dog.fright) = match seen.action {
                    DogAction::Move => (0, dog.fright),
                    DogAction::Panic => (1, Fright::Panic),
                    DogAction::Indignant => (1, Fright::Indignant),
                };
                rivals.extend((seen.owner != view.seat).then_some(seen.spot));
                dogs.push(dog);
                labels.push(seen.id);
            }
            Seen::Sheep(seen) => {
                let runs = u32::from(seen.action == SheepAction::Panic);
                sheep.push(Sheep::imagine(seen.spot, seen.direction, runs));
            }
            Seen::Voice(_) => {}
        }
    }
    let tiles = ground.tiles().len();
    let own = dogs.len() - rivals.len();
    // Every tile has as many sheep and dogs as the own one.
    if sheep.len() != ground.sheep_of_tile() as usize * tiles || rivals.len() != own * (tiles - 1) {
        return None;
    }
    let reach = options.get(Key::DogBarkingR).saturating_add(1).max(STEP);
    let mut near = rivals
        .iter()
        .flat_map(|rival| sheep.iter().map(move |one| (rival, one.spot)));
    if near.any(|(rival, spot)| torus.within(*rival, spot, reach)) {
        return None;
    }
    let mut game = SmartDog::imagine(ground, view.turn, dogs, sheep, PUSHES_MAX);
    for command in orders {
        let at = |id: &DogId| labels.iter().position(|label| label == id);
        let command = match command {
            Command::Move(id, to) => Command::Move(DogId(at(id)? as u16), *to),
            Command::Bark(id) => Command::Bark(DogId(at(id)? as u16)),
        };
        game.play(view.seat, command).ok()?;
    }
    let sheep = game.sheep();
    let acts = |one: &Sheep| one.frightened > 0 || game.strolls(one);
    let alone = |at: usize, one: &Sheep| {
        let mut others = sheep.iter().enumerate();
        !others.any(|(other, near)| other != at && torus.within(near.spot, one.spot, APART))
    };
    let mut acting = sheep.iter().enumerate().filter(|(_, one)| acts(one));
    if !acting.all(|(at, one)| alone(at, one)) {
        return None;
    }
    game.end_all();
    game.penned().get(view.seat).copied()
}
