//! A position as it is shown: one schema for the hub and for players.

use crate::options::Key;
use crate::rules::{
    Direction, DogAction, DogId, Ground, Land, Players, Seen, SheepAction, SmartDog, Spot, Torus,
    View,
};
use drover_game::card::Curves;
use drover_game::game::Seat;
use drover_game::scene::Scene;
use serde::{Deserialize, Serialize};

/// Worlds of more cells are shown without their landscape, and not drawn.
pub const CELLS_MAX: usize = 16_384;

/// A position, as it is shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The turn, from 1.
    pub turn: u32,
    /// Turns of the match.
    pub turns: u32,
    /// The player that sees this, from 1; `None`: everything is shown.
    pub viewer: Option<u8>,
    /// Rows from the top, a letter a cell: `.` grass, `#` fence or wall, `^` tree, a digit the pen of that
    /// player. Empty in worlds of more than [`CELLS_MAX`] cells.
    pub landscape: Vec<String>,
    /// How far a dog sees, in cells.
    pub sight: u32,
    /// How far a bark reaches sheep and dogs, in cells.
    pub bark: u32,
    /// Sheep that started on each tile.
    pub sheep_of_tile: u32,
    /// Every player, in order.
    pub players: Vec<PlayerState>,
    /// The dogs that are seen.
    pub dogs: Vec<DogState>,
    /// The sheep that are seen.
    pub sheep: Vec<SheepState>,
    /// Where dogs stand that barked last turn and are not seen.
    pub voices: Vec<Spot>,
}

/// How a player stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayerState {
    /// The player, from 1.
    pub player: u8,
    /// Sheep in its pen. A viewer knows those of its own as it saw its cells last.
    pub penned: Option<u32>,
    /// Its points, from −10 to 10, to two places.
    pub points: Option<f64>,
    /// Whether it has forfeited.
    pub forfeited: Option<bool>,
}

/// A dog.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DogState {
    /// Its number on the wire.
    pub number: u64,
    /// Its player, from 1.
    pub player: u8,
    /// Its column, from 0 at the left.
    pub x: u16,
    /// Its row, from 0 at the top.
    pub y: u16,
    /// `move`: able; `panic`: neither moves nor barks; `indignant`: does not bark.
    pub action: DogAction,
    /// Turns for which that lasts, this one included; 0: able. Viewers do not know it.
    pub frozen: Option<u32>,
    /// Whether it barked last turn.
    pub barked: bool,
}

/// A sheep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SheepState {
    /// Its column, from 0 at the left.
    pub x: u16,
    /// Its row, from 0 at the top.
    pub y: u16,
    /// `standBy`, `move` or `panic`.
    pub action: SheepAction,
    /// Where it looks.
    pub direction: Direction,
}

impl State {
    fn new(
        ground: &Ground,
        turn: u32,
        seen: &[Seen],
        number: impl Fn(DogId) -> Option<u64>,
    ) -> Self {
        let options = ground.options();
        let players = 0..ground.tiles().len() as u8;
        let drawn = ground.torus().area() <= CELLS_MAX;
        let mut state = Self {
            turn,
            turns: options.get(Key::TurnsLimit),
            viewer: None,
            landscape: if drawn {
                ground.rows().collect()
            } else {
                Vec::new()
            },
            sight: options.get(Key::DogVisibilityR),
            bark: options.get(Key::DogBarkingR),
            sheep_of_tile: ground.sheep_of_tile(),
            players: players
                .map(|seat| PlayerState {
                    player: seat + 1,
                    penned: None,
                    points: None,
                    forfeited: None,
                })
                .collect(),
            dogs: Vec::new(),
            sheep: Vec::new(),
            voices: Vec::new(),
        };
        for seen in seen {
            match seen {
                Seen::Dog(dog) => state.dogs.extend(number(dog.id).map(|number| DogState {
                    number,
                    player: dog.owner.0 + 1,
                    x: dog.spot.x,
                    y: dog.spot.y,
                    action: dog.action,
                    frozen: None,
                    barked: dog.voice,
                })),
                Seen::Sheep(sheep) => state.sheep.push(SheepState {
                    x: sheep.spot.x,
                    y: sheep.spot.y,
                    action: sheep.action,
                    direction: sheep.direction,
                }),
                Seen::Voice(spot) => state.voices.push(*spot),
            }
        }
        state
    }

    /// Everything there is.
    #[must_use]
    pub fn whole(game: &SmartDog, first_dog: u64) -> Self {
        let number = |dog: DogId| Some(first_dog.saturating_add(u64::from(dog.0)));
        let mut state = Self::new(game.ground(), game.turn(), &game.everything(), number);
        for (shown, dog) in state.dogs.iter_mut().zip(game.dogs()) {
            shown.frozen = Some(dog.disabled);
        }
        let (penned, hundredths) = (game.penned(), game.hundredths());
        for (seat, player) in (0..).map(Seat).zip(&mut state.players) {
            player.penned = penned.get(seat).copied();
            player.points = hundredths.get(seat).map(|points| *points as f64 / 100.0);
            player.forfeited = game.has_forfeited(seat);
        }
        state
    }

    /// What a player sees and receives; `penned` and `points` are its own, as far as it knows.
    #[must_use]
    pub fn seen(
        view: &View,
        number: impl Fn(DogId) -> Option<u64>,
        penned: Option<u32>,
        points: Option<f64>,
    ) -> Self {
        let mut state = Self::new(&view.ground, view.turn, &view.seen, number);
        state.viewer = Some(view.seat.0 + 1);
        if let Some(own) = state.players.get_mut(view.seat.index()) {
            (own.penned, own.points) = (penned, points);
        }
        state
    }

    /// The scene of it. `over`: how the match ended, in a sentence.
    #[must_use]
    pub fn scene(&self, over: Option<&str>) -> Scene {
        let title = match over {
            Some(over) => format!("Turn {} was the last: {over}", self.turn),
            None => self.title(),
        };
        Scene::new(self.turn.saturating_sub(1), title, self)
    }

    /// The turn; what happens in it is [`super::news()`].
    pub(super) fn title(&self) -> String {
        format!("Turn {} of {} begins", self.turn, self.turns)
    }

    /// The size of the world and the landscape's cells, row by row; `None` if it cannot be drawn.
    pub(super) fn field(&self) -> Option<(Torus, Vec<Land>)> {
        let rows = u16::try_from(self.landscape.len()).ok()?;
        let cols = self.landscape.first()?.chars().count();
        let players = Players::try_from(u8::try_from(self.players.len()).ok()?).ok()?;
        let letters = || self.landscape.iter().map(|row| row.chars().count());
        let even = letters().all(|letters| letters == cols);
        let area = cols.checked_mul(usize::from(rows))?;
        if cols == 0 || !even || area > CELLS_MAX {
            return None;
        }
        let cells = self.landscape.iter().flat_map(|row| row.chars());
        let land = cells.map(|letter| Land::from_letter(letter, players));
        Some((Torus::new(u16::try_from(cols).ok()?, rows), land.collect()))
    }
}

/// What is counted over a match: points as results have them.
pub const CURVES: Curves = Curves {
    turn: "turn",
    names: &["Points"],
    figures: |state, _| {
        let state = State::deserialize(state).ok()?;
        let points = state.players.iter();
        let points = points.map(|player| player.points.map(hundredths));
        Some(vec![points.collect()])
    },
};

/// Points as results count them, in hundredths.
pub(super) fn hundredths(points: f64) -> i64 {
    (points * 100.0).round() as i64
}
