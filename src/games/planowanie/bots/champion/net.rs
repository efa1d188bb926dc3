//! The learnt net: what it adds to the tables' value of a card. Two hidden layers of plain `f32`, summed in a
//! fixed order, so that every machine computes the same.

use super::entries;
use super::inputs::{Features, INPUTS};
use super::policy::{self, Context, Policy};
use crate::bots::position::{Layout, Mask, Position};
use drover_game::rng::Rng;
use smallvec::SmallVec;

/// Units of the first hidden layer.
pub const WIDE: usize = 64;
/// Units of the second hidden layer.
pub const NARROW: usize = 32;
/// The entry that stands for a weight of 1 in the text of a table.
const UNIT: f32 = 1024.0;
/// The row of the first layer for the tables' opinion of the card, and for the bias.
const OPINION: usize = INPUTS;
const BIAS: usize = INPUTS + 1;
/// The net is given opinions in tenths of the deal's number of cards.
const OPINION_UNIT: f32 = 0.1;
/// How many entries the weights are.
pub const ENTRIES: usize = (INPUTS + 2) * WIDE + (WIDE + 1) * NARROW + NARROW;

/// All weights; gradients and moments have the same shape.
#[derive(Clone)]
pub struct Net {
    /// One row an input, then the opinion's and the bias's.
    first: Vec<[f32; WIDE]>,
    /// One row a unit of the first hidden layer, then the bias's.
    second: Vec<[f32; NARROW]>,
    last: [f32; NARROW],
}

/// The hidden layers for one card.
#[derive(Clone)]
pub struct Layers {
    card: u8,
    /// The tables' value of the card compared with the best one, in deal's numbers of cards.
    pub opinion: f32,
    wide: [f32; WIDE],
    narrow: [f32; NARROW],
    /// What the net adds, in deal's numbers of cards.
    pub value: f32,
}

#[inline]
fn add_scaled<const N: usize>(sum: &mut [f32; N], row: &[f32; N], times: f32) {
    for (sum, weight) in sum.iter_mut().zip(row) {
        *sum += weight * times;
    }
}

#[inline]
fn add<const N: usize>(sum: &mut [f32; N], row: &[f32; N]) {
    for (sum, weight) in sum.iter_mut().zip(row) {
        *sum += weight;
    }
}

impl Net {
    /// A net whose every weight is 0.
    #[must_use]
    pub fn zeros() -> Self {
        Self {
            first: vec![[0.0; WIDE]; INPUTS + 2],
            second: vec![[0.0; NARROW]; WIDE + 1],
            last: [0.0; NARROW],
        }
    }

    /// A net that adds nothing yet, but can learn.
    #[must_use]
    pub fn random(rng: &mut Rng) -> Self {
        let mut net = Self::zeros();
        for row in &mut net.first {
            *row = std::array::from_fn(|_| rng.between(-0.2, 0.2) as f32);
        }
        for row in &mut net.second[..WIDE] {
            *row = std::array::from_fn(|_| rng.between(-0.2, 0.2) as f32);
        }
        net
    }

    /// The weights of the text's entries.
    #[must_use]
    pub fn from_entries(entries: &[i16]) -> Self {
        let mut net = Self::zeros();
        let weights = net.parts_mut().into_iter().flatten();
        for (weight, entry) in weights.zip(entries) {
            *weight = f32::from(*entry) / UNIT;
        }
        net
    }

    /// The entries of the weights.
    #[must_use]
    pub fn entries(&self) -> Vec<i16> {
        let rounded = |weight: &f32| entries::as_entry(weight * UNIT);
        let first = self.first.as_flattened().iter();
        let second = self.second.as_flattened().iter();
        first.chain(second).chain(&self.last).map(rounded).collect()
    }

    /// All weights, by layer.
    pub fn parts_mut(&mut self) -> [&mut [f32]; 3] {
        [
            self.first.as_flattened_mut(),
            self.second.as_flattened_mut(),
            &mut self.last,
        ]
    }

    /// The first layer's sums over what all cards of a decision share.
    #[inline]
    #[must_use]
    pub fn situation<M: Mask>(&self, features: &Features<'_, M>) -> [f32; WIDE] {
        let mut sum = self.first[BIAS];
        features.situation(|input| add(&mut sum, &self.first[input]));
        sum
    }

    /// The hidden layers and the value for a card. `opinion` is the tables' value of the card compared with the
    /// best one, in deal's numbers of cards.
    #[inline]
    #[must_use]
    pub fn card<M: Mask>(
        &self,
        features: &Features<'_, M>,
        situation: &[f32; WIDE],
        card: u8,
        opinion: f32,
    ) -> Layers {
        let mut wide = *situation;
        features.card(card, |input| add(&mut wide, &self.first[input]));
        add_scaled(&mut wide, &self.first[OPINION], opinion / OPINION_UNIT);
        let mut narrow = self.second[WIDE];
        let (mut active, mut count) = ([0u8; WIDE], 0usize);
        for (at, unit) in wide.iter_mut().enumerate() {
            *unit = unit.max(0.0);
            active[count & (WIDE - 1)] = at as u8;
            count += usize::from(*unit > 0.0);
        }
        for half in 0..2 {
            let mut sum = [0.0f32; NARROW / 2];
            sum.copy_from_slice(&narrow[half * NARROW / 2..][..NARROW / 2]);
            for at in &active[..count] {
                let at = usize::from(*at) & (WIDE - 1);
                let row = &self.second[at].as_chunks::<{ NARROW / 2 }>().0[half];
                for (sum, weight) in sum.iter_mut().zip(row) {
                    *sum += weight * wide[at];
                }
            }
            narrow[half * NARROW / 2..][..NARROW / 2].copy_from_slice(&sum);
        }
        let mut parts = [0.0f32; 4];
        for (units, weights) in narrow.chunks_exact_mut(4).zip(self.last.chunks_exact(4)) {
            for ((part, unit), weight) in parts.iter_mut().zip(units).zip(weights) {
                *unit = unit.max(0.0);
                *part += *unit * weight;
            }
        }
        Layers {
            card,
            opinion,
            wide,
            narrow,
            value: (parts[0] + parts[1]) + (parts[2] + parts[3]),
        }
    }

    /// Each card of a set, from the lowest, with its value compared with the best one's: the tables' and what the
    /// net adds.
    #[inline]
    #[must_use]
    pub fn advice<M: Mask>(
        &self,
        policy: &Policy,
        layout: &Layout<M>,
        position: &Position<M>,
        cards: M,
    ) -> SmallVec<[(u8, i32); 16]> {
        let context = Context::new(layout, position);
        let mut advice = policy.opinions(layout, &context, cards);
        let features = Features::new(layout, position, &context);
        let situation = self.situation(&features);
        for (card, worth) in &mut advice {
            let layers = self.card(&features, &situation, *card, *worth as f32 / policy::UNIT);
            *worth += (layers.value * policy::UNIT) as i32;
        }
        policy::compare(&mut advice);
        advice
    }

    /// Adds to this gradient what an error of `net`'s value for a card calls for, and to `shared` what it calls for
    /// in the sums that all cards share.
    pub fn backward<M: Mask>(
        &mut self,
        net: &Net,
        features: &Features<'_, M>,
        layers: &Layers,
        error: f32,
        shared: &mut [f32; WIDE],
    ) {
        let mut narrow = [0.0f32; NARROW];
        for (at, narrow) in narrow.iter_mut().enumerate() {
            if layers.narrow[at] > 0.0 {
                self.last[at] += error * layers.narrow[at];
                *narrow = error * net.last[at];
            }
        }
        add(&mut self.second[WIDE], &narrow);
        let mut wide = [0.0f32; WIDE];
        for (at, wide) in wide.iter_mut().enumerate() {
            if layers.wide[at] > 0.0 {
                add_scaled(&mut self.second[at], &narrow, layers.wide[at]);
                let products = net.second[at].iter().zip(&narrow);
                *wide = products.map(|(weight, error)| weight * error).sum();
            }
        }
        features.card(layers.card, |input| add(&mut self.first[input], &wide));
        let opinion = layers.opinion / OPINION_UNIT;
        add_scaled(&mut self.first[OPINION], &wide, opinion);
        add(shared, &wide);
    }

    /// Adds to this gradient what the cards of a decision called for in the sums they share.
    pub fn backward_situation<M: Mask>(
        &mut self,
        features: &Features<'_, M>,
        shared: &[f32; WIDE],
    ) {
        add(&mut self.first[BIAS], shared);
        features.situation(|input| add(&mut self.first[input], shared));
    }
}

#[cfg(test)]
mod tests {
    use super::super::inputs::SITUATION;
    use super::super::table::SHIPPED;
    use super::*;
    use crate::cards::Deck;
    use drover_game::game::Seat;

    /// Positions of deals played at random, by two to four players.
    fn positions(layout: &Layout<u64>) -> Vec<Position<u64>> {
        let mut rng = Rng::new(5, 0);
        let mut positions = Vec::new();
        for players in [2, 3, 4, 4] {
            let mut position = Position::fresh(players, 9, Seat(0));
            let mut deck: Vec<u8> = (0..52).collect();
            rng.shuffle(&mut deck);
            for (seat, cards) in deck.chunks(9).take(players).enumerate() {
                position.hands[seat] = cards.iter().fold(0, |hand, card| hand | 1 << card);
                position.need[seat] = rng.below(5) as i8;
            }
            while !position.is_over() {
                positions.push(position);
                let mut choice = position.distinct(layout);
                for _ in 0..rng.below(choice.count()) {
                    choice.pop();
                }
                position.play(layout, choice.lowest());
            }
        }
        positions
    }

    #[test]
    fn what_others_hold_changes_nothing() {
        let layout = Layout::new(&Deck::contest());
        let mut compared = 0;
        for position in positions(&layout) {
            let cards = position.distinct(&layout);
            let own = usize::from(position.turn);
            let players = usize::from(position.players);
            let [one, two] = [(own + 1) % players, (own + players - 1) % players];
            let mut other = position;
            other.hands.swap(one, two);
            let advice = |position| {
                SHIPPED
                    .net
                    .advice(&SHIPPED.policy, &layout, position, cards)
            };
            assert_eq!(advice(&position), advice(&other));
            compared += usize::from(players > 2 && cards.count() > 1);
        }
        assert!(compared > 20, "{compared}");
    }

    #[test]
    fn inputs_keep_to_their_part() {
        let layout = Layout::new(&Deck::contest());
        for position in positions(&layout) {
            let context = Context::new(&layout, &position);
            let features = Features::new(&layout, &position, &context);
            features.situation(|input| assert!(input < SITUATION));
            let mut cards = position.distinct(&layout);
            while let Some(card) = cards.pop() {
                features.card(card, |input| {
                    assert!((SITUATION..INPUTS).contains(&input));
                });
            }
        }
    }

    /// The last of three plays with as little to fear as the last of four.
    #[test]
    fn a_place_in_the_trick_follows_from_the_remaining_players() {
        let layout = Layout::<u64>::new(&Deck::contest());
        let mut places = std::collections::BTreeMap::new();
        for position in positions(&layout) {
            let context = Context::new(&layout, &position);
            let mut situation = Vec::new();
            Features::new(&layout, &position, &context).situation(|input| situation.push(input));
            let after = position.players - 1 - position.laid;
            let leads = position.laid == 0;
            places
                .entry((leads, after))
                .or_insert_with(Vec::new)
                .push(situation[3]);
        }
        let [lead, last, third, second] = [(true, 3), (false, 0), (false, 1), (false, 2)]
            .map(|place| places.remove(&place).unwrap());
        let first = lead[0];
        for (message, expected) in [(lead, 0), (second, 1), (third, 2), (last, 3)] {
            assert!(
                message.iter().all(|input| *input == first + expected),
                "{expected}"
            );
        }
    }
}
