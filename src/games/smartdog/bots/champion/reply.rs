//! What the others are expected to do: the rules of the official kit, which most play by, or what else has
//! predicted their dogs better: nothing, herding or raiding.

use super::greedy::{Greedy, PenTables, Role};
use crate::bots::shipped::{Scene, Sites};
use crate::bots::sight::Sight;
use crate::options::Key;
use crate::rules::{Command, Dog, DogId, Fright, Ground, SmartDog, Spot};
use drover_game::game::{Seat, Seats};
use drover_game::reasons::Belief;
use smallvec::SmallVec;
use std::sync::Arc;

/// What all other players are expected to order in a turn, in order.
pub(super) type Expected = SmallVec<[(Seat, Command); 16]>;

/// The factor by which older hits are discounted at each new observation.
const MEMORY: f32 = 0.9;
/// The head start of the kit's rules, in hits.
const PRIOR: f32 = 2.0;

/// A way of playing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// By the rules of the official kit.
    Kit,
    /// Not at all.
    Stands,
    /// By what serves its pen best at once.
    Herds,
    /// The same, others' pens first.
    Raids,
}

impl Model {
    const fn what(self) -> &'static str {
        match self {
            Self::Kit => "plays by the official kit's rules",
            Self::Stands => "stands",
            Self::Herds => "herds, and robs what is near",
            Self::Raids => "raids pens first",
        }
    }
}

/// What a model says of a dog: where it will stand, and whether it barks.
type Forecast = (Spot, bool);

/// How well each model predicted a player's dogs.
type Record = SmallVec<[f32; 4]>;

/// Models of all other players.
#[derive(Clone, Debug)]
pub(super) struct Replies {
    me: Seat,
    /// The models that are tried; among equals the first one counts.
    models: &'static [Model],
    records: Seats<Record>,
    sites: Vec<Sites>,
    /// What each player knows of the ground, if a model needs it.
    tables: Arc<Vec<PenTables>>,
    /// By dog: what each model says that it does.
    forecasted: Vec<SmallVec<[Forecast; 4]>>,
    dogs: Vec<(DogId, Spot)>,
    sheep: Vec<Spot>,
    enemies: Vec<Spot>,
}

impl Replies {
    pub(super) fn new(ground: &Ground, me: Seat, models: &'static [Model]) -> Self {
        let players = ground.tiles().len();
        let greedy = |model: &Model| matches!(model, Model::Herds | Model::Raids);
        let tables = (0..players).filter(|_| models.iter().any(greedy));
        let tables = tables.map(|seat| PenTables::new(ground, Seat(seat as u8)));
        let prior = |model: &Model| if *model == Model::Kit { PRIOR } else { 0.0 };
        Self {
            me,
            models,
            records: Seats::from_fn(players, |_| models.iter().map(prior).collect()),
            sites: vec![Sites::default(); players],
            tables: Arc::new(tables.collect()),
            forecasted: Vec::new(),
            dogs: Vec::new(),
            sheep: Vec::new(),
            enemies: Vec::new(),
        }
    }

    /// How well each model predicts each other player: its share of all models' hits, by steps and barks.
    pub(super) fn beliefs(&self) -> Vec<Belief> {
        let others = self.records.iter().filter(|(seat, _)| *seat != self.me);
        let of = |(seat, record): (Seat, &Record)| -> Vec<Belief> {
            let all: f32 = record.iter().sum();
            let models = self.models.iter().zip(record);
            let even = 1.0 / self.models.len() as f32;
            let share = |hits: &f32| if all > 0.0 { hits / all } else { even };
            let about = u32::from(seat.0) + 1;
            models
                .map(|(model, hits)| Belief::likely(about, model.what(), share(hits).into()))
                .collect()
        };
        others.flat_map(of).collect()
    }

    /// The model that has predicted a player best.
    fn model(&self, seat: Seat) -> Option<Model> {
        let mut best = None;
        for (model, hits) in self.models.iter().zip(self.records.get(seat)?) {
            if best.is_none_or(|(_, most)| *hits > most) {
                best = Some((*model, *hits));
            }
        }
        best.map(|(model, _)| model)
    }

    /// What a player knows of the ground; `None` if no model needs it.
    pub(super) fn tables(&self, seat: Seat) -> Option<&PenTables> {
        self.tables.get(seat.index())
    }

    fn others(&self) -> impl Iterator<Item = Seat> + use<> {
        let me = self.me;
        let seats = (0..self.records.len()).map(|seat| Seat(seat as u8));
        seats.filter(move |seat| *seat != me)
    }

    /// What all other players are expected to order now; only for dogs whose place is `wanted`.
    pub(super) fn orders(&mut self, game: &SmartDog, wanted: &dyn Fn(usize) -> bool) -> Expected {
        let mut expected = Expected::new();
        for seat in self.others() {
            if let Some(model) = self.model(seat) {
                self.by(model, game, seat, wanted, &mut expected);
            }
        }
        expected
    }

    fn by(
        &mut self,
        model: Model,
        game: &SmartDog,
        seat: Seat,
        wanted: &dyn Fn(usize) -> bool,
        expected: &mut Expected,
    ) {
        match model {
            Model::Stands => {}
            Model::Kit => self.kit(game, seat, wanted, expected),
            Model::Herds | Model::Raids => {
                let Some(tables) = self.tables.get(seat.index()) else {
                    return;
                };
                let dogs = (0u16..).map(DogId).zip(game.dogs());
                let free = |dog: &Dog| dog.suffers() != Some(Fright::Panic);
                let asked = |(id, dog): &(DogId, &Dog)| {
                    dog.owner == seat && free(dog) && wanted(id.index())
                };
                let mut dogs = dogs.filter(asked).peekable();
                if dogs.peek().is_none() {
                    return;
                }
                let role = match model {
                    Model::Raids => Role::Raids,
                    _ => Role::Herds,
                };
                let rival = Greedy::new(game, seat, tables, role);
                for (id, dog) in dogs {
                    expected.extend(
                        rival
                            .deed(id, dog)
                            .into_iter()
                            .map(|command| (seat, command)),
                    );
                }
            }
        }
    }

    /// Predicts this turn for [`Self::judge`].
    pub(super) fn forecast(&mut self, game: &SmartDog) {
        let stand = |dog: &Dog| SmallVec::from_elem((dog.spot, false), self.models.len());
        self.forecasted = game.dogs().iter().map(stand).collect();
        let torus = game.ground().torus();
        for (at, model) in self.models.iter().enumerate() {
            let mut expected = Expected::new();
            for seat in self.others() {
                self.by(*model, game, seat, &|_| true, &mut expected);
            }
            for (seat, command) in expected {
                if game.allows(seat, command).is_err() {
                    continue;
                }
                let (Command::Move(dog, _) | Command::Bark(dog)) = command;
                let forecasts = self.forecasted.get_mut(dog.index());
                let Some((spot, barks)) = forecasts.and_then(|all| all.get_mut(at)) else {
                    continue;
                };
                match command {
                    Command::Move(_, way) => *spot = torus.next(*spot, way),
                    Command::Bark(_) => *barks = true,
                }
            }
        }
    }

    /// Compares the predictions for the believed position with what is seen one turn later. Only dogs whose places were
    /// known count: `met` is the turn in which each dog was last in sight or barking, `ids` its number on the wire.
    pub(super) fn judge(
        &mut self,
        game: &SmartDog,
        met: &[u32],
        ids: &[Option<DogId>],
        sight: &Sight,
    ) {
        for seen in &sight.foreign {
            let at = ids.iter().position(|id| *id == Some(seen.id));
            let Some(at) = at.filter(|at| met.get(*at) == Some(&game.turn())) else {
                continue;
            };
            let Some(forecasted) = self.forecasted.get(at) else {
                continue;
            };
            // Where all say the same nothing is learnt.
            let alike = forecasted.windows(2).all(|pair| pair[0] == pair[1]);
            if alike || self.records.get(seen.owner).is_none() {
                continue;
            }
            let record = &mut self.records[seen.owner];
            for (hits, (spot, barks)) in record.iter_mut().zip(forecasted) {
                // Half a hit for the place, half a one for the bark.
                let right = u8::from(seen.spot == *spot) + u8::from(seen.voice == *barks);
                *hits = *hits * MEMORY + f32::from(right) / 2.0;
            }
        }
    }

    fn kit(
        &mut self,
        game: &SmartDog,
        seat: Seat,
        wanted: &dyn Fn(usize) -> bool,
        expected: &mut Expected,
    ) {
        self.dogs.clear();
        let all = (0u16..).map(DogId).zip(game.dogs());
        let own = all.filter(|(_, dog)| dog.owner == seat);
        self.dogs.extend(own.map(|(id, dog)| (id, dog.spot)));
        let dogs = game.dogs();
        let free = |id: DogId| {
            let dog = dogs.get(id.index());
            wanted(id.index()) && dog.is_some_and(|dog| dog.suffers() != Some(Fright::Panic))
        };
        if !self.dogs.iter().any(|(id, _)| free(*id)) {
            return;
        }
        let ground = game.ground();
        let torus = ground.torus();
        let radius = ground.options().get(Key::DogVisibilityR);
        let dogs = &self.dogs;
        let sees = |spot: Spot| dogs.iter().any(|(_, dog)| torus.within(*dog, spot, radius));
        self.sheep.clear();
        let spots = game.sheep().iter().map(|sheep| sheep.spot);
        self.sheep.extend(spots.filter(|spot| sees(*spot)));
        self.enemies.clear();
        let met = |dog: &&Dog| dog.owner != seat && (dog.voice || sees(dog.spot));
        self.enemies
            .extend(game.dogs().iter().filter(met).map(|dog| dog.spot));
        let Some(sites) = self.sites.get_mut(seat.index()) else {
            return;
        };
        let scene = Scene {
            ground,
            you: seat,
            dogs: &self.dogs,
            sheep: &self.sheep,
            enemies: &self.enemies,
            taken: &|spot| game.is_taken(spot),
        };
        let orders = scene.orders(sites, &free);
        expected.extend(orders.into_iter().map(|command| (seat, command)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bots::champion::world::World;
    use crate::known::KnownMaps;
    use crate::map::Map;
    use crate::options::Options;
    use crate::rules::{Players, Setup};

    const ME: Seat = Seat(0);
    const RIVAL: Seat = Seat(1);

    /// A match of two: the rival's dog is in sight of the own one, and has a sheep to herd.
    fn begun() -> SmartDog {
        SmartDog::begin(&Setup {
            map: Map::read("-....\n....*\n@....\n.....\n.....\n").unwrap(),
            players: Players::Two,
            options: Options::default().with(Key::DogVisibilityR, 6).unwrap(),
        })
    }

    fn believed(game: &SmartDog, models: &'static [Model]) -> World {
        World::new(&game.seen_by(ME), &KnownMaps::none(), models)
    }

    fn hits(world: &World) -> &[f32] {
        &world.replies().records[RIVAL]
    }

    #[test]
    fn models_are_judged_by_dogs_in_sight_one_turn_later() {
        let mut game = begun();
        let mut world = believed(&game, &[Model::Stands, Model::Herds]);
        assert_eq!(hits(&world), [0.0, 0.0]);
        game.end_all();
        world.begin_turn(&game.seen_by(ME));
        let judged = hits(&world).to_vec();
        assert!(judged[0] >= 1.0 && judged[1] < 1.0, "it stood: {judged:?}");
        for _ in 0..3 {
            game.end_all();
        }
        world.begin_turn(&game.seen_by(ME));
        assert_eq!(hits(&world), judged, "turns were missed");
    }

    #[test]
    fn barks_distinguish_models_that_predict_the_same_step() {
        let mut game = begun();
        let mut world = believed(&game, &[Model::Stands, Model::Herds]);
        let stand = game.dogs()[1].spot;
        world.replies.forecasted[1] = SmallVec::from_slice(&[(stand, false), (stand, true)]);
        game.play(RIVAL, Command::Bark(DogId(1))).unwrap();
        game.end_all();
        world.begin_turn(&game.seen_by(ME));
        assert_eq!(hits(&world), [0.5, 1.0]);
    }
}
