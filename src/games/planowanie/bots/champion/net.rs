//! The learnt net: what it adds to the tables' value of a card. Two hidden layers of plain `f32`, summed in a
//! fixed order, so that every machine computes the same.

use super::inputs::{INPUTS, Outlook};
use super::policy::{self, Context, Policy};
use crate::planowanie::bots::position::{Layout, Mask, Position};
use crate::rng::Rng;
use smallvec::SmallVec;

/// Units of the first hidden layer.
pub const WIDE: usize = 64;
/// Units of the second hidden layer.
pub const NARROW: usize = 32;
/// The entry that stands for a weight of 1 in the text of a table.
const UNIT: f32 = 1024.0;
/// The row of the first layer for the tables' opinion of the card, and for the constant.
const OPINION: usize = INPUTS;
const CONSTANT: usize = INPUTS + 1;
/// Deal's numbers of cards in an opinion of 1.
const OPINION_UNIT: f32 = 0.1;
/// How many entries the weights are.
pub const ENTRIES: usize = (INPUTS + 2) * WIDE + (WIDE + 1) * NARROW + NARROW;

/// All weights; gradients and moments have the same shape.
#[derive(Clone)]
pub struct Net {
    /// One row an input, then the opinion's and the constant's.
    first: Vec<[f32; WIDE]>,
    /// One row a unit of the first hidden layer, then the constant's.
    second: Vec<[f32; NARROW]>,
    last: [f32; NARROW],
}

/// The hidden layers for one card.
#[derive(Clone)]
pub struct Layers {
    wide: [f32; WIDE],
    narrow: [f32; NARROW],
    /// What the net adds, in deal's numbers of cards.
    pub value: f32,
}

#[inline]
fn add<const N: usize>(sum: &mut [f32; N], row: &[f32; N], times: f32) {
    for (sum, weight) in sum.iter_mut().zip(row) {
        *sum += weight * times;
    }
}

#[inline]
fn plus<const N: usize>(sum: &mut [f32; N], row: &[f32; N]) {
    for (sum, weight) in sum.iter_mut().zip(row) {
        *sum += weight;
    }
}

impl Net {
    /// A net whose every weight is 0.
    #[must_use]
    pub fn blank() -> Self {
        Self {
            first: vec![[0.0; WIDE]; INPUTS + 2],
            second: vec![[0.0; NARROW]; WIDE + 1],
            last: [0.0; NARROW],
        }
    }

    /// A net that adds nothing yet, but can learn.
    #[must_use]
    pub fn fresh(rng: &mut Rng) -> Self {
        let mut net = Self::blank();
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
    pub fn read(entries: &[i16]) -> Self {
        let mut net = Self::blank();
        let weights = net.parts_mut().into_iter().flatten();
        for (weight, entry) in weights.zip(entries) {
            *weight = f32::from(*entry) / UNIT;
        }
        net
    }

    /// The entries of the weights.
    #[must_use]
    pub fn entries(&self) -> Vec<i16> {
        let rounded = |weight: &f32| (weight * UNIT).round().clamp(-4040.0, 4040.0) as i16;
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
    pub fn situation<M: Mask>(
        &self,
        layout: &Layout<M>,
        position: &Position<M>,
        outlook: &Outlook<'_, M>,
    ) -> [f32; WIDE] {
        let mut sum = self.first[CONSTANT];
        outlook.situation(layout, position, |input| {
            plus(&mut sum, &self.first[input]);
        });
        sum
    }

    /// The hidden layers and the value for a card. `opinion` is the tables' value of the card compared with the
    /// best one, in deal's numbers of cards.
    #[inline]
    #[must_use]
    pub fn card<M: Mask>(
        &self,
        layout: &Layout<M>,
        position: &Position<M>,
        outlook: &Outlook<'_, M>,
        situation: &[f32; WIDE],
        (card, opinion): (u8, f32),
    ) -> Layers {
        let mut wide = *situation;
        outlook.card(layout, position, card, |input| {
            plus(&mut wide, &self.first[input]);
        });
        add(&mut wide, &self.first[OPINION], opinion / OPINION_UNIT);
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
        let outlook = Outlook::new(&context, position);
        let situation = self.situation(layout, position, &outlook);
        let mut most = i32::MIN;
        for (card, worth) in &mut advice {
            let opinion = (*card, *worth as f32 / policy::UNIT);
            let layers = self.card(layout, position, &outlook, &situation, opinion);
            *worth += (layers.value * policy::UNIT) as i32;
            most = most.max(*worth);
        }
        for (_, worth) in &mut advice {
            *worth -= most;
        }
        advice
    }

    /// Adds to this gradient what an error of `net`'s value for a card calls for, and to `shared` what it calls for
    /// in the sums that all cards share.
    pub fn blame<M: Mask>(
        &mut self,
        net: &Net,
        (layout, position, outlook): (&Layout<M>, &Position<M>, &Outlook<'_, M>),
        (card, opinion): (u8, f32),
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
        plus(&mut self.second[WIDE], &narrow);
        let mut wide = [0.0f32; WIDE];
        for (at, wide) in wide.iter_mut().enumerate() {
            if layers.wide[at] > 0.0 {
                add(&mut self.second[at], &narrow, layers.wide[at]);
                let products = net.second[at].iter().zip(&narrow);
                *wide = products.map(|(weight, error)| weight * error).sum();
            }
        }
        outlook.card(layout, position, card, |input| {
            plus(&mut self.first[input], &wide);
        });
        add(&mut self.first[OPINION], &wide, opinion / OPINION_UNIT);
        plus(shared, &wide);
    }

    /// Adds to this gradient what the cards of a decision called for in the sums they share.
    pub fn blame_situation<M: Mask>(
        &mut self,
        (layout, position, outlook): (&Layout<M>, &Position<M>, &Outlook<'_, M>),
        shared: &[f32; WIDE],
    ) {
        plus(&mut self.first[CONSTANT], shared);
        outlook.situation(layout, position, |input| {
            plus(&mut self.first[input], shared);
        });
    }
}
