//! The champion's beliefs about its opponents.

use super::knobs::Knobs;
use super::state::{NOBODY, POINTS, State, bits};
use super::terrain::Terrain;
use super::wear::{Seen, Wear};
use super::worth::Worth;
use crate::rules::{PLAYERS, UPKEEP};
use drover_game::reasons::Belief;

/// Seats that are distinguished: as many as may play.
const SEATS: usize = *PLAYERS.end();

/// Upper ends of the energies counted together; the last bin is open.
const BINS: [u32; 12] = [
    100, 200, 350, 500, 700, 900, 1200, 1600, 2200, 3000, 4500, 9000,
];

/// The energies of lighthouses whose falls beliefs are shown by.
const SHOWN: [u32; 3] = [100, 500, 1600];

/// Falls of lighthouses in one energy bin: how many, and in how many rounds times players that could have
/// felled one.
#[derive(Clone, Copy, Debug, Default)]
struct Falls {
    chances: f64,
    fallen: f64,
}

/// The opponents.
#[derive(Clone, Debug)]
pub struct Rivals {
    me: u8,
    players: usize,
    /// Points so far, as counted from views, by seat.
    points: [f64; SEATS],
    /// Points a round of late, by seat.
    incomes: [f64; SEATS],
    /// The lighthouses as last seen, and in which round.
    before: Vec<Seen>,
    round: u32,
    falls: [Falls; BINS.len()],
    wear: Wear,
}

/// The bin for lighthouses of this energy.
fn bin(energy: u32) -> usize {
    let place = BINS.iter().position(|most| energy <= *most);
    place.unwrap_or(BINS.len() - 1)
}

impl Rivals {
    /// Nothing known about them.
    #[must_use]
    pub fn new(knobs: &Knobs, me: u8, players: usize) -> Self {
        let mut least = 0;
        let falls = BINS.map(|most| {
            let middle = f64::from(least + most) / 2.0;
            least = most;
            let raid = knobs.raid * (-middle / knobs.strength.max(1.0)).exp();
            Falls {
                chances: knobs.raid_weight,
                fallen: knobs.raid_weight * (raid + knobs.siege),
            }
        });
        Self {
            me,
            players,
            points: [0.0; SEATS],
            incomes: [0.0; SEATS],
            before: Vec::new(),
            round: 0,
            falls,
            wear: Wear::default(),
        }
    }

    /// The own last act put energy into a lighthouse.
    pub fn put(&mut self, at: usize, strength: u32) {
        self.wear.put(at, strength);
    }

    /// How many opponents may attack a lighthouse of this owner.
    fn raiders(&self, owner: u8) -> usize {
        let others = self.players.max(1) - 1;
        others.saturating_sub(usize::from(owner != self.me))
    }

    /// Takes in the present state.
    pub fn see(&mut self, knobs: &Knobs, terrain: &Terrain, state: &State, round: u32) {
        let passed = round.saturating_sub(self.round).min(100);
        let kept = (-f64::from(passed) / knobs.memory.max(1.0)).exp();
        for (seat, income) in incomes(terrain, state).iter().enumerate() {
            let income = f64::from(*income);
            self.points[seat] += income;
            self.incomes[seat] = kept * self.incomes[seat] + (1.0 - kept) * income;
        }
        self.wear.see(knobs, self.me, &self.before, state, passed);
        for at in 0..self.before.len() {
            let Seen { owner, energy } = self.before[at];
            let left = energy.saturating_sub(passed * UPKEEP);
            let raiders = self.raiders(owner);
            if owner == NOBODY || left == 0 || raiders == 0 {
                continue;
            }
            let fell = state.owner(at) != owner && state.owner(at) != self.me;
            let falls = &mut self.falls[bin(left)];
            falls.chances += f64::from(passed) * raiders as f64;
            falls.fallen += f64::from(u8::from(fell));
        }
        self.before.clear();
        let seen = |at| Seen {
            owner: state.owner(at),
            energy: state.energy(at),
        };
        self.before.extend((0..terrain.count).map(seen));
        self.round = round;
    }

    /// By energy bin: the probability that one of them fells such a lighthouse in a round.
    fn chances(&self) -> [f64; BINS.len()] {
        // A raid that fells a strong lighthouse would have felled a weak one.
        let mut chances = self
            .falls
            .map(|falls| (falls.fallen / falls.chances.max(1.0)).clamp(0.0, 1.0));
        for bin in (1..BINS.len()).rev() {
            chances[bin - 1] = chances[bin - 1].max(chances[bin]);
        }
        chances
    }

    /// What is believed of each opponent, and of how long lighthouses stand against all of them.
    #[must_use]
    pub fn beliefs(&self, terrain: &Terrain, state: &State) -> Vec<Belief> {
        let incomes = incomes(terrain, state);
        let others = (0..self.players.min(SEATS)).filter(|seat| *seat != usize::from(self.me));
        let mut beliefs: Vec<Belief> = others
            .flat_map(|seat| {
                let income = f64::from(incomes[seat]);
                let points = self.points[seat];
                [
                    Belief::amount(
                        seat,
                        "points (counted from what was seen)",
                        points,
                        "points",
                    ),
                    Belief::amount(seat, "income if nothing changes", income, "points a round"),
                ]
            })
            .collect();
        let raiders = self.raiders(self.me);
        if raiders > 0 {
            let chances = self.chances();
            beliefs.extend(SHOWN.map(|energy| {
                let falls = (chances[bin(energy)] * raiders as f64).min(1.0);
                let what = format!("fell a lighthouse of {energy} energy in a round");
                Belief::likely("all", what, falls)
            }));
        }
        beliefs
    }

    /// How long lighthouses are expected to stand.
    pub fn expect(&self, knobs: &Knobs, worth: &mut Worth) {
        self.wear.expect(knobs, worth);
        let chances = self.chances();
        for mine in [true, false] {
            let raiders = self.raiders(if mine { self.me } else { NOBODY });
            worth.expect(mine, |tens| {
                let chance = chances[bin(tens as u32 * UPKEEP)];
                (chance * raiders as f64).min(1.0)
            });
        }
    }

    /// How far a player's share of all points of late is above an equal one: 0 up to that, 1 if nobody else scored.
    fn excess(&self, seat: usize) -> f64 {
        let all: f64 = self.incomes.iter().sum();
        let income = self.incomes.get(seat).copied().unwrap_or_default();
        let equal = 1.0 / self.players.max(2) as f64;
        ((income / all.max(1.0) - equal) / (1.0 - equal)).max(0.0)
    }

    /// The value of each player's points.
    pub fn weigh(&self, knobs: &Knobs, worth: &mut Worth) {
        for (seat, weight) in worth.owners.iter_mut().enumerate() {
            let against = if self.players <= 2 {
                knobs.against_one
            } else {
                knobs.against_excess * self.excess(seat)
            };
            *weight = match seat {
                seat if seat == usize::from(self.me) => 1.0,
                255 => 0.0,
                _ => -against as f32,
            };
        }
    }
}

/// What each seat scores for this round if nothing changes any more.
fn incomes(terrain: &Terrain, state: &State) -> [f32; SEATS] {
    let mut incomes = [0.0; SEATS];
    for at in 0..terrain.count {
        let Some(income) = incomes.get_mut(usize::from(state.owner(at))) else {
            continue;
        };
        *income += POINTS;
        let links = state.links(at);
        for other in bits(links).filter(|other| *other > at) {
            *income += POINTS;
            let thirds = bits(links & state.links(other)).filter(|third| *third > other);
            *income += thirds
                .map(|third| terrain.area(at, other, third))
                .sum::<f32>();
        }
    }
    incomes
}
