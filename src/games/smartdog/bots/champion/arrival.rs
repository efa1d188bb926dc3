//! Whether own commands arrive before the others', as far as the sheep show: a hub may take its players in turn, and
//! one that thinks longer comes later.

use smallvec::SmallVec;

/// The factor by which older observations are discounted at each new one.
const MEMORY: f32 = 0.95;
/// From how many observations one way more than the other way on they are believed.
const SURE: f32 = 1.5;

/// What was observed.
#[derive(Clone, Debug)]
pub(super) struct Arrival {
    /// By turn modulo players: observations that own commands came first, less those that the others' did.
    leads: SmallVec<[f32; 4]>,
}

impl Arrival {
    pub(super) fn new(players: usize) -> Self {
        Self {
            leads: SmallVec::from_elem(0.0, players.max(1)),
        }
    }

    fn place(&self, turn: u32) -> usize {
        turn as usize % self.leads.len()
    }

    /// Whether own commands come first in this turn, if it is known.
    pub(super) fn is_first(&self, turn: u32) -> Option<bool> {
        let lead = self.leads.get(self.place(turn)).copied()?;
        (lead.abs() > SURE).then_some(lead > 0.0)
    }

    /// Whether the others' commands are taken to come before the own ones in this turn: unless it is known otherwise,
    /// because a player that thinks comes late.
    pub(super) fn others_first(observed: Option<&Self>, turn: u32) -> bool {
        observed.and_then(|arrival| arrival.is_first(turn)) != Some(true)
    }

    /// Takes in a turn: how much of it is not explained if own commands came first, and if the others' did.
    pub(super) fn learn(&mut self, turn: u32, first: usize, last: usize) {
        let place = self.place(turn);
        if let Some(lead) = self.leads.get_mut(place).filter(|_| first != last) {
            *lead = *lead * MEMORY + if first < last { 1.0 } else { -1.0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_that_come_in_turn_are_known_to() {
        let mut arrival = Arrival::new(2);
        assert_eq!(arrival.is_first(1), None);
        assert!(Arrival::others_first(Some(&arrival), 1));
        assert!(Arrival::others_first(None, 1));
        for turn in 1..=8 {
            let (first, last) = if turn % 2 == 1 { (0, 2) } else { (1, 0) };
            arrival.learn(turn, first, last);
        }
        assert_eq!(arrival.is_first(9), Some(true));
        assert_eq!(arrival.is_first(10), Some(false));
        assert!(!Arrival::others_first(Some(&arrival), 9));
        // What fits both ways says nothing.
        let before = arrival.clone();
        arrival.learn(9, 3, 3);
        assert_eq!(arrival.leads, before.leads);
    }
}
