//! Which learnt type each rival is, from its observed acts. Every observation multiplies the weight of each
//! type by how likely that type would have acted this way; a floor under every likelihood keeps any type from
//! being ruled out by one act.

use super::belief::bid_of;
use super::playout::Coin;
use crate::bots::face;
use crate::bots::policy::{Chance, Limits};
use crate::bots::styles::{KINDS, Style, best_other};
use crate::cards::{Animal, Compass, PLAYERS, Purse};
use crate::message::Goods;
use crate::rules::{Act, Ask};
use crate::view::View;

/// No single act is less likely than this under any type.
const FLOOR: f32 = 0.02;
/// How many values of the noise on a limit are tried.
const GRID: usize = 9;
/// How many bids of a style are compared with one seen.
const TRIES: u32 = 12;
/// The weight of evidence: one rival's acts are not independent given a type that only resembles it.
const TRUST: f32 = 0.8;

/// The weight of each type for one rival.
#[derive(Clone, Debug)]
pub struct Reading {
    logs: Vec<f32>,
    /// What of `logs` is expected and was not observed.
    expected: Vec<f32>,
    /// How many acts were read so far.
    pub acts: u32,
}

/// One rival's part in an auction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Part {
    /// Its highest bid, 0 if none.
    pub bid: u16,
    /// The price it would not exceed, if it passed.
    pub passed: Option<u16>,
    /// Raises by the minimum.
    pub steps: u8,
    /// Raises by more than the minimum.
    pub jumps: u8,
}

impl Part {
    /// The rival answered `bid` at `price`.
    pub fn add(&mut self, bid: u16, price: u16) {
        if bid <= price {
            self.passed = Some(price);
            return;
        }
        self.bid = bid;
        if bid == price.saturating_add(10) {
            self.steps = self.steps.saturating_add(1);
        } else {
            self.jumps = self.jumps.saturating_add(1);
        }
    }
}

impl Default for Reading {
    /// Before anything was seen.
    fn default() -> Self {
        Self {
            logs: KINDS.iter().map(|kind| kind.prior.ln()).collect(),
            expected: vec![0.0; KINDS.len()],
            acts: 0,
        }
    }
}

impl Reading {
    /// Starts from these weights instead, as far as they go, whatever was observed since.
    pub fn prefer(&mut self, weights: &[f32]) {
        let logs = self.logs.iter_mut().zip(&mut self.expected);
        for ((log, expected), weight) in logs.zip(weights) {
            let before = std::mem::replace(expected, weight.max(1e-6).ln());
            *log += *expected - before;
        }
    }

    /// The probability of each type.
    #[must_use]
    pub fn weights(&self) -> Vec<f32> {
        let most = self.logs.iter().copied().fold(f32::MIN, f32::max);
        let raw: Vec<f32> = self.logs.iter().map(|log| (log - most).exp()).collect();
        let sum: f32 = raw.iter().sum();
        raw.into_iter().map(|weight| weight / sum).collect()
    }

    /// The most likely type and its probability.
    #[must_use]
    pub fn best(&self) -> (usize, f32) {
        self.weights()
            .into_iter()
            .enumerate()
            .fold(
                (0, 0.0),
                |best, (at, weight)| {
                    if weight > best.1 { (at, weight) } else { best }
                },
            )
    }

    fn learn(&mut self, likelihood: impl Fn(&Style) -> f32) {
        self.acts += 1;
        for (log, kind) in self.logs.iter_mut().zip(KINDS) {
            let likely = FLOOR + (1.0 - FLOOR) * likelihood(&kind.style).clamp(0.0, 1.0);
            *log += TRUST * likely.ln();
        }
    }

    /// The rival bid this way in an auction of `card`, with `cash` in hand.
    pub fn auction(
        &mut self,
        part: Part,
        card: Animal,
        claims: &[f32; PLAYERS],
        seat: usize,
        cash: u16,
    ) {
        self.learn(|style| match style {
            Style::Filler => f32::from(u8::from(part.bid == 0)),
            Style::Random => {
                let raises = i32::from(part.steps) + i32::from(part.jumps);
                0.5f32.powi(raises + 1) * 0.25f32.powi(raises)
            }
            Style::Face => {
                let limit = face::limit(card).min(cash) / 10 * 10;
                within(limit, part) * if part.jumps > 0 { 0.0 } else { 1.0 }
            }
            Style::Profile(profile) => {
                let mut sum = 0.0;
                for point in 0..GRID {
                    let noise = profile.noise * (2.0 * (point as f32 + 0.5) / GRID as f32 - 1.0);
                    let (limit, _) =
                        profile.limits_at(claims[seat], best_other(claims, seat), cash, noise);
                    let fits = within(limit, part);
                    let steps = i32::from(part.steps);
                    let jumps = i32::from(part.jumps);
                    sum += if profile.jump {
                        let room = (f32::from(limit) / 20.0).max(1.0);
                        fits * room.recip().powi(steps + jumps)
                    } else {
                        fits * 0.02f32.powi(jumps)
                    };
                }
                sum / GRID as f32
            }
        });
    }

    /// As auctioneer the rival bought, or sold, at a price.
    pub fn pre_empt(
        &mut self,
        bought: bool,
        price: u16,
        card: Animal,
        claims: &[f32; PLAYERS],
        seat: usize,
        cash: u16,
    ) {
        let says = |limit: u16| if (price <= limit) == bought { 1.0 } else { 0.0 };
        self.learn(|style| match style {
            Style::Filler => f32::from(u8::from(!bought)),
            Style::Random => 0.5,
            Style::Face => says(face::limit(card).min(cash)),
            Style::Profile(profile) => {
                let mut sum = 0.0;
                for point in 0..GRID {
                    let noise = profile.noise * (2.0 * (point as f32 + 0.5) / GRID as f32 - 1.0);
                    let others = best_other(claims, seat);
                    sum += says(profile.limits_at(claims[seat], others, cash, noise).1);
                }
                sum / GRID as f32
            }
        });
    }

    /// On its turn, seeing `view`, the rival auctioned (`None`) or traded.
    pub fn turn(&mut self, view: &View, traded: Option<(Compass, Animal)>, coin: &Coin) {
        let mut options = 0;
        for animal in Animal::all() {
            for rival in Compass::RIVALS {
                options += u32::from(view.stake(rival, animal) > 0);
            }
        }
        if options == 0 || (view.deck_empty() && options == 1) {
            return;
        }
        self.learn(|style| {
            if let Style::Random = style {
                let start = if view.deck_empty() { 1.0 } else { 0.5 };
                return match traded {
                    None => 1.0 - start,
                    Some(_) => start / options as f32,
                };
            }
            let mut limits = Limits::NONE;
            let act = style.act(view, &Ask::Turn, &mut limits, &mut coin.clone());
            match (act, traded) {
                (Act::Trade { .. }, None) => 0.0,
                (
                    Act::Trade {
                        opponent, animal, ..
                    },
                    Some((rival, wanted)),
                ) => match (opponent == Some(rival), animal == Some(wanted)) {
                    (true, true) => 1.0,
                    (_, true) => 0.4,
                    _ => 0.05,
                },
                (_, traded) => f32::from(u8::from(traded.is_none())),
            }
        });
    }

    /// In a trade the rival bid these cards.
    pub fn bid(&mut self, view: &View, goods: Goods, seen: Purse, coin: &Coin) {
        self.learn(|style| {
            let mut coin = *coin;
            let mut sum = 0.0;
            for _ in 0..TRIES {
                let bid = bid_of(style, view, goods, &mut coin);
                let (a, b) = (f32::from(bid.value()), f32::from(seen.value()));
                let apart = (a - b).abs() / (20.0 + 0.15 * a.max(b));
                sum += (1.0 - apart).max(0.0);
            }
            sum / TRIES as f32
        });
    }

    /// A type drawn by probability; `weights` come from [`Reading::weights`]. Where their sum falls short of the number
    /// drawn, the last that has weight.
    #[must_use]
    pub fn draw(weights: &[f32], chance: &mut impl Chance) -> usize {
        let mut left = chance.unit() as f32;
        for (at, weight) in weights.iter().enumerate() {
            left -= weight;
            if left < 0.0 {
                return at;
            }
        }
        let last = weights.iter().rposition(|weight| *weight > 0.0);
        last.unwrap_or(0)
    }
}

/// How well a limit explains the bids.
fn within(limit: u16, part: Part) -> f32 {
    let low = part.bid <= limit;
    let high = part
        .passed
        .is_none_or(|price| limit < price.saturating_add(10));
    f32::from(u8::from(low && high))
}

#[cfg(test)]
mod tests {
    use super::{Chance, Reading};

    /// Always the same number.
    struct Always(f64);

    impl Chance for Always {
        fn unit(&mut self) -> f64 {
            self.0
        }

        fn below(&mut self, _: u32) -> u32 {
            0
        }
    }

    #[test]
    fn a_draw_beyond_all_weights_is_the_last_that_has_any() {
        let weights = [0.3, 0.3, 0.4 - 1e-6, 0.0];
        for (number, at) in [(0.0, 0), (0.5, 1), (0.9, 2), (1.0 - 1e-9, 2)] {
            assert_eq!(Reading::draw(&weights, &mut Always(number)), at, "{number}");
        }
        assert_eq!(Reading::draw(&[0.0], &mut Always(0.5)), 0);
    }
}
