//! What the champion believes about his opponents.

use super::mind::Mind;
use super::state::{NOBODY, State, Worth, bits};
use super::terrain::Terrain;
use crate::lighthouses::rules::UPKEEP;

/// Seats that are told apart; those beyond share the last place.
const SEATS: usize = 16;

/// Bins of energy, and how wide they are.
const BINS: usize = 10;
const BIN: f64 = 150.0;

/// The opponents.
#[derive(Clone, Debug)]
pub struct Rivals {
    me: u8,
    players: usize,
    /// Points so far as counted from views, by seat.
    points: [f64; SEATS],
    /// The lighthouses as seen last: owner and energy, and in which round.
    before: Vec<(u8, u32)>,
    round: u32,
    /// Lighthouses times rounds seen, and how many of them fell to attacks that were not mine.
    stood: f64,
    fallen: f64,
    /// The same by energy.
    bins: [(f64, f64); BINS],
}

impl Rivals {
    /// Nothing known of them.
    #[must_use]
    pub fn new(mind: &Mind, me: u8, players: usize) -> Self {
        Self {
            me,
            players,
            points: [0.0; SEATS],
            before: Vec::new(),
            round: 0,
            stood: 0.0,
            fallen: 0.0,
            bins: std::array::from_fn(|bin| {
                let middle = (bin as f64 + 0.5) * BIN;
                let raid = mind.raid * (players.max(1) - 1) as f64;
                let chance = raid * (-middle / mind.strength.max(1.0)).exp();
                (mind.raid_weight, mind.raid_weight * chance)
            }),
        }
    }

    /// Takes in what stands now.
    pub fn see(&mut self, terrain: &Terrain, mind: &Mind, state: &State, round: u32) {
        for (seat, income) in incomes(terrain, state).iter().enumerate() {
            self.points[seat] += f64::from(*income);
        }
        let passed = round.saturating_sub(self.round).min(100);
        let faded = 1.0 - 1.0 / (2.0 * mind.hazard_weight.max(1.0));
        for (at, (owner, energy)) in self.before.iter().enumerate() {
            let left = energy.saturating_sub(passed * UPKEEP);
            if *owner == NOBODY || left == 0 {
                continue;
            }
            self.stood = self.stood * faded + f64::from(passed);
            let fell = state.owner(at) != *owner && state.owner(at) != self.me;
            self.fallen = self.fallen * faded + f64::from(u8::from(fell));
            let bin = &mut self.bins[(left as usize / BIN as usize).min(BINS - 1)];
            bin.0 += f64::from(passed);
            bin.1 += f64::from(u8::from(fell));
        }
        self.before.clear();
        let all = (0..terrain.count).map(|at| (state.owner(at), state.energy(at)));
        self.before.extend(all);
        self.round = round;
    }

    /// The chance that a lighthouse falls to an attack in a round.
    #[must_use]
    pub fn hazard(&self, mind: &Mind) -> f64 {
        if self.players <= 1 {
            return 0.0;
        }
        let fallen = self.fallen + mind.hazard * mind.hazard_weight;
        (mind.fear * fallen / (self.stood + mind.hazard_weight)).clamp(0.0, 0.2)
    }

    /// For how long lighthouses are expected to stand.
    pub fn expect(&self, worth: &mut Worth) {
        // A raid that fells a strong lighthouse would have felled a weak one.
        let mut hazards = self
            .bins
            .map(|(stood, fallen)| (fallen / stood.max(1.0)).clamp(0.0, 1.0));
        for bin in (1..BINS).rev() {
            hazards[bin - 1] = hazards[bin - 1].max(hazards[bin]);
        }
        let hazard = |tens: usize| hazards[(tens * 10 / BIN as usize).min(BINS - 1)];
        let alone = self.players <= 1;
        worth.expect(true, |tens| if alone { 0.0 } else { hazard(tens) });
        // Of two players only I attack the other one's.
        let two = self.players <= 2;
        worth.expect(false, |tens| if two { 0.0 } else { hazard(tens) });
    }

    /// What each player's points are worth.
    pub fn weigh(&self, mind: &Mind, worth: &mut Worth) {
        let others = (0..SEATS).filter(|seat| *seat != usize::from(self.me));
        let leader = others.max_by(|a, b| self.points[*a].total_cmp(&self.points[*b]));
        for (seat, weight) in worth.owners.iter_mut().enumerate() {
            let against = if self.players <= 2 {
                mind.against_one
            } else if Some(seat) == leader {
                mind.against_leader
            } else {
                mind.against_others
            };
            *weight = match seat {
                seat if seat == usize::from(self.me) => 1.0,
                255 => 0.0,
                _ => -against as f32,
            };
        }
    }
}

/// What each seat gets for this round if nothing changes any more.
fn incomes(terrain: &Terrain, state: &State) -> [f32; SEATS] {
    let mut incomes = [0.0; SEATS];
    for at in 0..terrain.count {
        let Some(income) = incomes.get_mut(usize::from(state.owner(at))) else {
            continue;
        };
        *income += 2.0;
        let links = state.links(at);
        for other in bits(links).filter(|other| *other > at) {
            *income += 2.0;
            let thirds = bits(links & state.links(other)).filter(|third| *third > other);
            *income += thirds
                .map(|third| terrain.area(at, other, third))
                .sum::<f32>();
        }
    }
    incomes
}
