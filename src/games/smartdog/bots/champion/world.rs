//! The player's belief of the whole position: every sheep and dog it has met, and those inferred because all
//! tiles are copies, advanced by the exact rules and corrected by what is seen.

mod origins;
mod pack;
mod recall;

use super::arrival::Arrival;
use super::flock::correct_sheep;
use super::hidden::Hidden;
use super::reply::{Model, Replies};
use super::tracked::{Rank, Tracked};
use crate::bots::sight::{Roster, Sight};
use crate::known::KnownMaps;
use crate::options::Key;
use crate::rules::{Command, Dog, DogId, Orders, Sheep, SmartDog, Spot, View};
use drover_game::game::Seat;
use std::collections::HashSet;

/// The most sheep asked aside in a simulated turn: a search must not hang where the rules might.
pub(super) const PUSHES_MAX: u32 = 3_000;
/// The most missed turns that the belief is advanced by, however long the gap.
const GAP_MAX: u32 = 16;

/// The believed position at the beginning of a turn.
#[derive(Clone, Debug)]
pub(super) struct World {
    pub(super) game: SmartDog,
    pub(super) me: Seat,
    /// Numbers on the wire, by place in `game.dogs()`.
    pub(super) ids: Vec<Option<DogId>>,
    /// The turn in which each dog was last in sight or barking, by place; 0: never.
    pub(super) met: Vec<u32>,
    pub(super) roster: Roster,
    /// The orders of this turn.
    ordered: Orders,
    /// The turn in which each cell was last in sight; 0: never.
    pub(super) last_seen: Vec<u32>,
    /// Cells of the tile on which sheep started, relative to its corner.
    pub(super) origins: Vec<(u16, u16)>,
    /// Cells of pens on which sheep are only guessed to have started.
    pub(super) guesses: Vec<(u16, u16)>,
    /// The rank of each believed sheep in the order in which sheep act: that in which their tiles were made.
    pub(super) ranks: Vec<Rank>,
    pub(super) replies: Replies,
    /// Who comes first, if that is observed.
    pub(super) arrival: Option<Arrival>,
}

impl World {
    /// The belief at the first view.
    pub(super) fn new(view: &View, known: &KnownMaps, models: &'static [Model]) -> Self {
        let ground = &view.ground;
        let mut world = Self {
            game: SmartDog::imagine(ground, view.turn, [], [], PUSHES_MAX),
            me: view.seat,
            ids: Vec::new(),
            met: Vec::new(),
            roster: Roster::default(),
            ordered: Orders::new(),
            last_seen: vec![0; ground.torus().area()],
            origins: Vec::new(),
            guesses: Vec::new(),
            ranks: Vec::new(),
            replies: Replies::new(ground, view.seat, models),
            arrival: None,
        };
        let sight = Sight::from_view(view);
        world.roster.meet(&sight);
        let (dogs, sheep) = match known.recognise(view) {
            Some(map) => world.copies_of_map(ground, &map),
            None => (
                world.copies_of_own_dogs(ground, &sight, view.turn),
                world.guess_penned(view, &sight),
            ),
        };
        world.ids = vec![None; dogs.len()];
        world.met = vec![0; dogs.len()];
        world.correct(view, &sight, dogs, sheep);
        world.replies.forecast(&world.game);
        world
    }

    /// A turn begins.
    pub(super) fn begin_turn(&mut self, view: &View) {
        let sight = Sight::from_view(view);
        self.roster.meet(&sight);
        let gap = view.turn.saturating_sub(self.game.turn());
        if gap == 1 {
            self.replies.judge(&self.game, &self.met, &self.ids, &sight);
        }
        let able = self.able();
        for turn in 0..gap.min(GAP_MAX) {
            let ordered = std::mem::take(&mut self.ordered);
            let received = (turn + 1 == gap).then_some(&sight);
            self.advance(&ordered, received);
        }
        let mut dogs = self.game.dogs().to_vec();
        if gap == 1 {
            self.freeze(&mut dogs, &able, &sight);
        }
        let sheep = self.game.sheep().iter().zip(&self.ranks).enumerate();
        let sheep = sheep.map(|(number, (sheep, rank))| Tracked {
            sheep: sheep.clone(),
            rank: *rank,
            number: Some(number),
        });
        let sheep = sheep.collect();
        self.correct(view, &sight, dogs, sheep);
        self.replies.forecast(&self.game);
    }

    /// These commands were sent.
    pub(super) fn order(&mut self, orders: &Orders) {
        self.ordered = orders.clone();
    }

    /// The reply model in use.
    pub(super) fn replies(&self) -> &Replies {
        &self.replies
    }

    /// How many sheep of the whole world are unaccounted for.
    pub(super) fn missing(&self) -> usize {
        let ground = self.game.ground();
        let all = ground.sheep_of_tile() as usize * ground.tiles().len();
        all.saturating_sub(self.game.sheep().len())
    }

    pub(super) fn index_of(&self, id: DogId) -> Option<usize> {
        self.ids.iter().position(|known| *known == Some(id))
    }

    /// The command with the believed position's dog numbers.
    pub(super) fn inner(&self, command: Command) -> Option<Command> {
        let inner = |id: DogId| Some(DogId(self.index_of(id)? as u16));
        Some(match command {
            Command::Move(id, way) => Command::Move(inner(id)?, way),
            Command::Bark(id) => Command::Bark(inner(id)?),
        })
    }

    /// Makes dogs and sheep agree with what is seen, and brings the belief to this turn.
    fn correct(&mut self, view: &View, sight: &Sight, mut dogs: Vec<Dog>, mut sheep: Vec<Tracked>) {
        let visible = self.look(view, sight);
        let mut taken = vec![false; visible.len()];
        let torus = view.ground.torus();
        let standing = sight.own.iter().chain(&sight.foreign).map(|dog| dog.spot);
        for spot in standing.chain(sight.sheep.iter().map(|sheep| sheep.spot)) {
            taken[torus.index(spot)] = true;
        }
        let mut hidden = Hidden {
            ground: &view.ground,
            visible: &visible,
            taken,
        };
        self.correct_dogs(view.turn, sight, &mut dogs, &mut hidden);
        self.copy_origins(view, sight, &mut sheep);
        correct_sheep(view, sight, &mut sheep, &mut hidden);
        // Of what is believed to stand on one cell only one stays.
        let mut spots: HashSet<Spot> = dogs.iter().map(|dog| dog.spot).collect();
        let open = |spot: Spot| torus.contains(spot) && view.ground.land(spot).is_open();
        sheep.retain(|one| open(one.sheep.spot) && spots.insert(one.sheep.spot));
        sheep.sort_by_key(|one| one.rank);
        self.ranks = sheep.iter().map(|one| one.rank).collect();
        let sheep = sheep.into_iter().map(|one| (one.number, one.sheep));
        let sheep = renumbered(sheep.collect(), self.game.sheep().len());
        self.game = SmartDog::imagine(&view.ground, view.turn, dogs, sheep, PUSHES_MAX);
        debug_assert_eq!(self.game.dogs().len(), self.ids.len());
        debug_assert_eq!(self.game.sheep().len(), self.ranks.len());
    }

    /// The cells in sight.
    pub(super) fn look(&mut self, view: &View, sight: &Sight) -> Vec<bool> {
        let torus = view.ground.torus();
        let radius = view.ground.options().get(Key::DogVisibilityR);
        let mut visible = vec![false; torus.area()];
        let reach = |size: u16| radius.min(u32::from(size) / 2 + 1) as i32;
        for dog in &sight.own {
            for dx in -reach(torus.cols())..=reach(torus.cols()) {
                for dy in -reach(torus.rows())..=reach(torus.rows()) {
                    let spot = torus.offset(dog.spot, dx, dy);
                    if torus.within(dog.spot, spot, radius) {
                        visible[torus.index(spot)] = true;
                    }
                }
            }
        }
        for (seen, visible) in self.last_seen.iter_mut().zip(&visible) {
            if *visible {
                *seen = view.turn;
            }
        }
        visible
    }

    /// The orders with the dogs' numbers on the wire.
    pub(super) fn outer(&self, orders: &Orders) -> Orders {
        let outer = |command: &Command| {
            Some(match *command {
                Command::Move(dog, way) => Command::Move((*self.ids.get(dog.index())?)?, way),
                Command::Bark(dog) => Command::Bark((*self.ids.get(dog.index())?)?),
            })
        };
        orders.iter().filter_map(outer).collect()
    }
}
/// Sheep that get new numbers, in their order: each has its number in the position before, which had n sheep.
pub(super) fn renumbered(sheep: Vec<(Option<usize>, Sheep)>, before: usize) -> Vec<Sheep> {
    let mut numbers = vec![None; before];
    for (new, (old, _)) in sheep.iter().enumerate() {
        if let Some(number) = old.and_then(|old| numbers.get_mut(old)) {
            *number = Some(new);
        }
    }
    let sheep = sheep.into_iter().map(|(_, mut sheep)| {
        sheep.renumber(|old| numbers.get(old).copied().flatten());
        sheep
    });
    sheep.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::Map;
    use crate::options::Options;
    use crate::rules::{Direction, Players, Setup};

    const ME: Seat = Seat(0);

    /// A match of two on bare tiles of this many columns, with one dog and this many sheep a tile; sight is 6 cells.
    fn begun(cols: usize, sheep: usize) -> SmartDog {
        let row = |things: String| format!("{things:.<cols$}\n");
        let rows = [
            row(String::new()),
            row(format!("{:.<1$}@", "", 8.min(cols - 1))),
            row(format!("{}{}", "-".repeat(2), "*".repeat(sheep))),
        ];
        let options = Options::default();
        SmartDog::begin(&Setup {
            map: Map::read(&rows.concat()).unwrap(),
            players: Players::Two,
            options: options.with(Key::DogVisibilityR, 6).unwrap(),
        })
    }

    /// The position with the dogs of `game` and sheep on these cells.
    fn with_sheep(game: &SmartDog, sheep: &[(u16, u16)]) -> SmartDog {
        let sheep = sheep.iter().map(|(x, y)| Spot { x: *x, y: *y });
        let sheep = sheep.map(|spot| Sheep::imagine(spot, Direction::Down, 0));
        let dogs = game.dogs().iter().cloned();
        SmartDog::imagine(game.ground(), game.turn(), dogs, sheep, PUSHES_MAX)
    }

    /// What is believed at the sight of `truth` by a player that believed in sheep on these cells.
    fn corrected(truth: &SmartDog, believed: &[(u16, u16)]) -> Vec<(u16, u16)> {
        let view = truth.seen_by(ME);
        let mut world = World::new(&view, &KnownMaps::none(), &[]);
        world.game = with_sheep(truth, believed);
        let sheep = world.game.sheep().iter();
        world.ranks = sheep
            .map(|sheep| Tracked::new(truth.ground(), sheep.spot).rank)
            .collect();
        world.begin_turn(&view);
        let sheep = world.game.sheep().iter();
        sheep.map(|sheep| (sheep.spot.x, sheep.spot.y)).collect()
    }

    #[test]
    fn a_sheep_that_comes_into_sight_is_not_doubled() {
        // The dog at (8, 1) sees from column 2 to 14. One sheep is not where it was believed to be, at the left edge; one was
        // believed just beyond the right edge, and comes into sight there.
        let truth = with_sheep(&begun(24, 2), &[(14, 1)]);
        let believed = corrected(&truth, &[(2, 1), (15, 1)]);
        assert_eq!(believed.len(), 2, "{believed:?}");
        assert!(believed.contains(&(14, 1)), "{believed:?}");
        assert!(!believed.contains(&(15, 1)), "{believed:?}");
    }

    #[test]
    fn of_too_many_sheep_those_go_that_are_not_where_they_were_believed() {
        // Two sheep in all: one believed in sight, where it is not, the other in the rival's pen, and one comes into sight.
        let truth = with_sheep(&begun(24, 1), &[(13, 1)]);
        let believed = corrected(&truth, &[(3, 1), (25, 2)]);
        assert_eq!(believed, [(13, 1), (25, 2)]);
    }

    #[test]
    fn a_dog_that_was_able_and_is_frozen_stays_so_for_all_its_turns() {
        let game = begun(6, 0);
        let mut world = World::new(&game.seen_by(ME), &KnownMaps::none(), &[]);
        // Nobody known barked, in the second turn either.
        for (turn, left) in [(2, 4), (3, 3)] {
            let mut dogs = game.dogs().to_vec();
            dogs[1].disabled = left;
            let truth = SmartDog::imagine(game.ground(), turn, dogs, [], PUSHES_MAX);
            world.begin_turn(&truth.seen_by(ME));
            assert_eq!(world.game.dogs()[1].disabled, left, "turn {turn}");
        }
    }
}
