//! What the champion believes about his opponents.

use super::mind::Mind;
use super::state::{State, Worth, bits};
use super::terrain::Terrain;

/// Seats that are told apart; those beyond share the last place.
const SEATS: usize = 16;

/// The opponents.
#[derive(Clone, Debug)]
pub struct Rivals {
    me: u8,
    players: usize,
    /// Points so far as counted from views, by seat.
    points: [f64; SEATS],
}

impl Rivals {
    /// Nothing known of them.
    #[must_use]
    pub fn new(me: u8, players: usize) -> Self {
        Self {
            me,
            players,
            points: [0.0; SEATS],
        }
    }

    /// Takes in what stands now.
    pub fn see(&mut self, terrain: &Terrain, state: &State) {
        for (seat, income) in incomes(terrain, state).iter().enumerate() {
            self.points[seat] += f64::from(*income);
        }
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
