//! Where things start: all tiles are copies, so what is seen on one, and what is known of the pens, holds for all.

use super::World;
use crate::bots::champion::tracked::{SHEEP_MAX, Tracked, rank, tiles};
use crate::bots::sight::Sight;
use crate::known::KnownTile;
use crate::options::Key;
use crate::rules::{Direction, Dog, Ground, Land, SheepAction, Spot, View};
use std::collections::HashSet;
use std::sync::Arc;

impl World {
    /// All dogs and sheep as they stand on a tile that is known.
    pub(super) fn copies_of_map(
        &mut self,
        ground: &Arc<Ground>,
        map: &KnownTile,
    ) -> (Vec<Dog>, Vec<Tracked>) {
        self.origins.clone_from(&map.sheep);
        let (mut dogs, mut sheep) = (Vec::new(), Vec::new());
        for (seat, area) in tiles(ground) {
            let spot = |cell: &(u16, u16)| area.at(cell.0, cell.1);
            dogs.extend(map.dogs.iter().map(|cell| Dog::new(seat, spot(cell))));
            let calm = |cell| Tracked::new(ground, spot(cell));
            sheep.extend(map.sheep.iter().map(calm));
        }
        (dogs, sheep)
    }

    /// Every player's dogs start as the own dogs do.
    pub(super) fn copies_of_own_dogs(
        &self,
        ground: &Arc<Ground>,
        sight: &Sight,
        turn: u32,
    ) -> Vec<Dog> {
        let own: Vec<Spot> = self.roster.sort(sight).iter().map(|dog| dog.spot).collect();
        let Some(home) = ground.tiles().get(self.me) else {
            return own.iter().map(|spot| Dog::new(self.me, *spot)).collect();
        };
        let mut dogs = Vec::new();
        for (seat, area) in tiles(ground) {
            if turn > 1 && seat != self.me {
                continue;
            }
            dogs.extend(own.iter().map(|spot| {
                let dx = i32::from(area.first.x) - i32::from(home.first.x);
                let dy = i32::from(area.first.y) - i32::from(home.first.y);
                Dog::new(seat, ground.torus().offset(*spot, dx, dy))
            }));
        }
        dogs
    }

    /// Puts the sheep into each pen that start there by the rules: those that are in sight on any tile, and the rest on
    /// cells out of sight, which are guesses.
    pub(super) fn guess_penned(&mut self, view: &View, sight: &Sight) -> Vec<Tracked> {
        let ground = &view.ground;
        let torus = ground.torus();
        let Some(home) = ground.tiles().get(self.me).filter(|_| view.turn == 1) else {
            return Vec::new();
        };
        let visible = self.look(view, sight);
        let seen: HashSet<Spot> = sight.sheep.iter().map(|sheep| sheep.spot).collect();
        let tiles = tiles(ground);
        let pen = |spot: &Spot| home.contains(*spot) && ground.land(*spot) == Land::Pen(self.me);
        let cells = torus.spots().filter(pen);
        let cells = cells.map(|spot| (spot.x - home.first.x, spot.y - home.first.y));
        let most = (ground.penned_of_tile() as usize).min(SHEEP_MAX / tiles.len().max(1));
        let (mut sure, mut unseen) = (Vec::new(), Vec::new());
        for cell in cells {
            let copies = || tiles.iter().map(|(_, area)| area.at(cell.0, cell.1));
            if copies().any(|spot| seen.contains(&spot)) {
                sure.push(cell);
            } else if !copies().any(|spot| torus.contains(spot) && visible[torus.index(spot)]) {
                unseen.push(cell);
            }
        }
        sure.truncate(most);
        unseen.truncate(most - sure.len());
        let copies = |cell: &(u16, u16)| {
            let copies = tiles.iter().map(|(_, area)| area.at(cell.0, cell.1));
            copies
                .map(|spot| Tracked::new(ground, spot))
                .collect::<Vec<_>>()
        };
        let sheep = sure.iter().chain(&unseen).flat_map(copies).collect();
        self.origins = sure;
        self.guesses = unseen;
        sheep
    }

    /// A sheep that still stands where it started reveals a start on every tile.
    pub(super) fn copy_origins(&mut self, view: &View, sight: &Sight, sheep: &mut Vec<Tracked>) {
        let ground = &view.ground;
        let period = ground.options().get(Key::SheepStandBy).saturating_add(1);
        let most = ground.sheep_of_tile() as usize;
        let tiles = tiles(ground);
        for seen in &sight.sheep {
            if view.turn > period
                || self.origins.len() >= most
                || seen.direction != Direction::Down
                || seen.action == SheepAction::Panic
            {
                continue;
            }
            let Some((seat, area)) = tiles.iter().find(|(_, area)| area.contains(seen.spot)) else {
                continue;
            };
            let cell = (seen.spot.x - area.first.x, seen.spot.y - area.first.y);
            // One that has been driven here did not start here.
            let here = sheep.iter().find(|one| one.sheep.spot == seen.spot);
            let driven = here.is_some_and(|one| one.rank != rank(&tiles, seen.spot));
            if driven || self.origins.contains(&cell) {
                continue;
            }
            self.origins.push(cell);
            let penned = matches!(ground.land(seen.spot), Land::Pen(_));
            let guessed = self.guesses.iter().position(|guess| *guess == cell);
            let guess = match guessed {
                Some(at) => Some(self.guesses.swap_remove(at)),
                None if penned => self.guesses.pop(),
                None => None,
            };
            for (other, area) in &tiles {
                let spot = area.at(cell.0, cell.1);
                let guessed = guess.map(|guess| rank(&tiles, area.at(guess.0, guess.1)));
                let moved = guessed.and_then(|rank| sheep.iter_mut().find(|one| one.rank == rank));
                if let Some(moved) = moved {
                    // It started here, not where it was guessed.
                    *moved = Tracked::new(ground, spot);
                    continue;
                }
                let inside = ground.torus().contains(spot) && area.contains(spot);
                if other != seat && inside && ground.land(spot).is_open() {
                    sheep.push(Tracked::new(ground, spot));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::KnownMaps;
    use crate::map::Map;
    use crate::options::Options;
    use crate::rules::Sheep;
    use crate::rules::{Command, DogId, Orders, Players, Setup, SmartDog};
    use drover_game::game::Seat;

    /// The belief of the first seat, whose dog sees and barks two cells far.
    fn believed(rows: &str) -> (SmartDog, World) {
        let options = [(Key::DogVisibilityR, 2), (Key::DogBarkingR, 2)];
        let options = (options.into_iter()).fold(Options::default(), |options, (key, value)| {
            options.with(key, value).unwrap()
        });
        let game = SmartDog::begin(&Setup {
            map: Map::read(rows).unwrap(),
            players: Players::Two,
            options,
        });
        let view = game.seen_by(Seat(0));
        let world = World::new(&view, &KnownMaps::none(), &[]);
        (game, world)
    }

    fn penned(game: &SmartDog, seat: Seat) -> usize {
        let land = |sheep: &&Sheep| game.ground().land(sheep.spot) == Land::Pen(seat);
        game.sheep().iter().filter(land).count()
    }

    #[test]
    fn each_pen_is_believed_to_hold_its_known_number_of_sheep() {
        for rows in [
            // In sight: none, some, all of them.
            "@........\n.........\n......ooo\n......o--",
            "....@....\n.........\n...oooooo\n...---ooo",
            ".ooo.....\n..@......\n.........\n.........",
        ] {
            let (game, world) = believed(rows);
            for seat in [Seat(0), Seat(1)] {
                let reported = game.ground().penned_of_tile() as usize;
                assert_eq!(penned(&world.game, seat), reported, "{rows}");
            }
        }
    }

    #[test]
    fn a_driven_sheep_did_not_start_where_it_stands() {
        // One sheep below the dog, and one out of sight.
        let (mut game, mut world) =
            believed("....@....\n....*....\n.........\n.........\n*........\n.........");
        let orders = Orders::from_slice(&[Command::Bark(DogId(0))]);
        game.play(Seat(0), orders[0]).unwrap();
        world.order(&orders);
        game.end_all();
        let driven = Spot { x: 4, y: 2 };
        assert_eq!(game.sheep()[0].spot, driven);
        assert_eq!(game.sheep()[0].frightened, 0, "calm again");
        world.begin_turn(&game.seen_by(Seat(0)));
        assert_eq!(world.origins, [(4, 1)]);
        let spots: Vec<Spot> = world.game.sheep().iter().map(|one| one.spot).collect();
        assert_eq!(spots, [driven, Spot { x: 13, y: 1 }]);
    }
}
