//! What the others are expected to do: the rules of the official kit, which most play by, or nothing, for
//! those whose dogs these rules do not predict.

use crate::game::{Seat, Seats};
use crate::reasons::Belief;
use crate::smartdog::bots::shipped::{Scene, Sites};
use crate::smartdog::bots::sight::Sight;
use crate::smartdog::options::Key;
use crate::smartdog::rules::{Command, Dog, DogId, Fright, Ground, SmartDog, Spot};
use smallvec::SmallVec;

/// What all other players are expected to order in a turn, in order.
pub(super) type Expected = SmallVec<[(Seat, Command); 16]>;

/// The factor by which older hits are discounted at each new observation.
const MEMORY: f32 = 0.9;
/// The head start of the kit's rules, in hits.
const PRIOR: f32 = 2.0;

/// How well a player's dogs were predicted.
#[derive(Clone, Copy, Debug)]
struct Record {
    kit: f32,
    stands: f32,
}

/// Models of all other players.
#[derive(Clone, Debug)]
pub(super) struct Replies {
    me: Seat,
    records: Seats<Record>,
    sites: Vec<Sites>,
    /// By dog: where it stood and where the kit would have sent it.
    foretold: Vec<(Spot, Spot)>,
    /// Dogs that were in sight last turn.
    sure: Vec<bool>,
    dogs: Vec<(DogId, Spot)>,
    sheep: Vec<Spot>,
    enemies: Vec<Spot>,
}

impl Replies {
    pub(super) fn new(ground: &Ground, me: Seat) -> Self {
        let players = ground.tiles().len();
        Self {
            me,
            records: Seats::from_fn(players, |_| Record {
                kit: PRIOR,
                stands: 0.0,
            }),
            sites: vec![Sites::default(); players],
            foretold: Vec::new(),
            sure: Vec::new(),
            dogs: Vec::new(),
            sheep: Vec::new(),
            enemies: Vec::new(),
        }
    }

    /// How well each other player is predicted by the kit's rules, as a share of its dogs' steps.
    pub(super) fn beliefs(&self) -> Vec<Belief> {
        let others = self.records.iter().filter(|(seat, _)| *seat != self.me);
        let kind = |(seat, record): (Seat, &Record)| {
            let all = record.kit + record.stands;
            let kit = if all > 0.0 { record.kit / all } else { 0.5 };
            let what = "plays by the official kit's rules, rather than standing";
            Belief::likely(u32::from(seat.0) + 1, what, kit.into())
        };
        others.map(kind).collect()
    }

    fn plays_kit(&self, seat: Seat) -> bool {
        self.records
            .get(seat)
            .is_some_and(|record| record.kit >= record.stands)
    }

    /// What all other players are expected to order now; only for dogs whose place is `wanted`.
    pub(super) fn orders(&mut self, game: &SmartDog, wanted: &dyn Fn(usize) -> bool) -> Expected {
        let mut expected = Expected::new();
        for seat in (0..self.records.len()).map(|seat| Seat(seat as u8)) {
            if seat != self.me && self.plays_kit(seat) {
                self.kit(game, seat, wanted, &mut expected);
            }
        }
        expected
    }

    /// Predicts this turn for [`Self::judge`].
    pub(super) fn foretell(&mut self, game: &SmartDog) {
        self.foretold = game.dogs().iter().map(|dog| (dog.spot, dog.spot)).collect();
        let mut expected = Expected::new();
        for seat in (0..self.records.len()).map(|seat| Seat(seat as u8)) {
            if seat != self.me {
                self.kit(game, seat, &|_| true, &mut expected);
            }
        }
        let torus = game.ground().torus();
        for (seat, command) in expected {
            let Command::Move(dog, way) = command else {
                continue;
            };
            if game.allows(seat, command).is_err() {
                continue;
            }
            if let Some((from, to)) = self.foretold.get_mut(dog.index()) {
                *to = torus.next(*from, way);
            }
        }
    }

    /// Compares the prediction with what is seen.
    pub(super) fn judge(&mut self, ids: &[Option<DogId>], sight: &Sight) {
        let mut sure = vec![false; ids.len()];
        for seen in &sight.foreign {
            let Some(at) = ids.iter().position(|id| *id == Some(seen.id)) else {
                continue;
            };
            sure[at] = true;
            let Some((from, to)) = self.foretold.get(at).copied() else {
                continue;
            };
            if from == to || !self.sure.get(at).copied().unwrap_or(false) {
                continue;
            }
            if self.records.get(seen.owner).is_some() {
                let record = &mut self.records[seen.owner];
                record.kit = record.kit * MEMORY + f32::from(u8::from(seen.spot == to));
                record.stands = record.stands * MEMORY + f32::from(u8::from(seen.spot == from));
            }
        }
        self.sure = sure;
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
