//! Learns the champion's table from nothing, by deals that the learner plays against itself.
//!
//! At a part of the decisions every card is played out once by what has been learnt so far; what the
//! card brought compared with the others is what its entries are moved towards. Declarations are
//! learnt from hands whose every plausible declaration is played out in the same sampled deals.

use super::champion::bids::{self, Bids, CALLED_MAX, Occasion, SIZES};
use super::champion::policy::{self, Context, Policy, TABLES};
use super::champion::table::{write_entries, write_strays};
use super::position::{Layout, Mask, PLIES_MAX, Position, SEATS_MAX};
use crate::game::Seat;
use crate::kit::{Train, Training};
use crate::planowanie::cards::{CARDS_MAX, Deck};
use crate::rng::Rng;
use std::fmt::Write as _;

/// The part of decisions that is learnt from.
const LEARNT: f64 = 0.4;
/// The part of cards played at random.
const STRAYING: f64 = 0.04;
/// One in so many deals teaches declarations.
const BID_EVERY: u64 = 4;
/// Sampled deals a taught declaration.
const BID_WORLDS: usize = 48;
/// How far from the mean declarations are tried.
const BID_REACH: i32 = 2;
/// How sharply the best declaration stands out, in points a card.
const BID_HEAT: f64 = 0.04;
/// How far declarations stray in the deals played, in tricks.
const BID_STRAY: f64 = 0.45;
const PLAYERS: usize = 4;
const CARDS_MOST: u32 = 13;

struct Learner {
    layout: Layout<u64>,
    policy: Policy,
    weights: Vec<f32>,
    visits: Vec<f32>,
    bids: Bids,
    bid_weights: Vec<f32>,
    strays: [f64; SIZES],
    rng: Rng,
    rate: f32,
}

/// The champion's data, learnt by self-play.
pub struct SelfPlay;

impl Train for SelfPlay {
    /// The same run gives the same text. `done` is told the number of deals played now and then.
    fn train(&self, training: &Training, done: &mut dyn FnMut(u64)) -> String {
        let mut learner = Learner::new(training.seed);
        for game in 0..training.games {
            let progress = game as f32 / training.games as f32;
            learner.rate = 0.02 * (0.02f32).powf(progress);
            learner.deal(game);
            if game % 1000 == 999 {
                done(game + 1);
            }
        }
        done(training.games);
        learner.text(training)
    }
}

impl Learner {
    fn new(seed: u64) -> Self {
        Self {
            layout: Layout::new(&Deck::contest()),
            policy: Policy::new(Vec::new()),
            weights: vec![0.0; policy::ENTRIES],
            visits: vec![0.0; policy::ENTRIES],
            bids: Bids::new(Vec::new(), [1.0; SIZES]),
            bid_weights: vec![0.0; bids::ENTRIES],
            strays: [1.0; SIZES],
            rng: Rng::new(seed, 0),
            rate: 0.0,
        }
    }

    /// Plays one deal and learns from it.
    fn deal(&mut self, number: u64) {
        let cards = 1 + self.rng.below(CARDS_MOST) as u8;
        let leader = Seat(self.rng.below(PLAYERS as u32) as u8);
        let mut position = Position::fresh(PLAYERS, cards, leader);
        let hands = self.hands(None, cards);
        position.hands = hands;
        if number.is_multiple_of(BID_EVERY) {
            self.learn_bid(position);
        }
        for seat in 0..PLAYERS {
            position.need[seat] = self.declaration(&position, seat);
        }
        for _ in 0..PLIES_MAX {
            if position.is_over() {
                return;
            }
            let choice = position.distinct(&self.layout);
            if choice.count() > 1 && self.rng.chance(LEARNT) {
                self.learn_card(&position, choice);
            }
            let drawn = if self.rng.chance(STRAYING) {
                let mut rest = choice;
                for _ in 0..self.rng.below(choice.count()) {
                    rest.pop();
                }
                Some(rest.lowest())
            } else {
                self.policy.draw(&self.layout, &position, &mut self.rng)
            };
            let Some(card) = drawn else {
                return;
            };
            position.play(&self.layout, card);
        }
    }

    /// Random hands; one may be given.
    fn hands(&mut self, given: Option<(usize, u64)>, cards: u8) -> [u64; SEATS_MAX] {
        let mut hands = [0; SEATS_MAX];
        let taken = given.map_or(0, |(_, hand)| hand);
        let mut deck = [0; CARDS_MAX];
        let mut count = super::worlds::list(self.layout.all & !taken, &mut deck);
        for (seat, hand) in hands.iter_mut().enumerate() {
            if let Some((owner, own)) = given
                && owner == seat
            {
                *hand = own;
                continue;
            }
            for _ in 0..cards {
                let at = self.rng.below(count as u32) as usize;
                *hand |= u64::card(deck[at]);
                count -= 1;
                deck[at] = deck[count];
            }
        }
        hands
    }

    fn turn(position: &Position<u64>, seat: usize) -> usize {
        (seat + PLAYERS - usize::from(position.turn)) % PLAYERS
    }

    fn declaration(&mut self, position: &Position<u64>, seat: usize) -> i8 {
        let occasion = Occasion::new(&self.layout, PLAYERS as u8, position.cards);
        let turn = Self::turn(position, seat);
        let mean = self
            .bids
            .mean(&self.layout, occasion, turn, position.hands[seat]);
        let stray: f64 = (0..3).map(|_| self.rng.between(-1.0, 1.0)).sum();
        let tricks = f64::from(mean) + stray * BID_STRAY;
        tricks.round().clamp(0.0, f64::from(position.cards)) as i8
    }

    fn learn_card(&mut self, position: &Position<u64>, choice: u64) {
        let seat = usize::from(position.turn);
        let context = Context::new(&self.layout, position);
        let mut tried = [([0usize; TABLES], 0.0f32, 0.0f32); 13];
        let mut count = 0;
        let mut rest = choice;
        while let (Some(card), Some(slot)) = (rest.pop(), tried.get_mut(count)) {
            let mut end = *position;
            end.play(&self.layout, card);
            self.policy.play_out(&self.layout, &mut end, &mut self.rng);
            let brought = end.points(seat) as f32 / f32::from(position.cards);
            let sight = context.sight(&self.layout, self.layout.suit_of(card));
            let entries = context.entries(&self.layout, &sight, card);
            let worth = entries.iter().map(|entry| self.weights[*entry]).sum();
            *slot = (entries, brought, worth);
            count += 1;
        }
        let tried = &tried[..count];
        let (brought, worth) = tried
            .iter()
            .fold((0.0, 0.0), |sum, one| (sum.0 + one.1, sum.1 + one.2));
        let surplus = (brought - worth) / count as f32;
        for (entries, brought, worth) in tried {
            let error = brought - worth - surplus;
            for entry in entries {
                let visits = &mut self.visits[*entry];
                *visits += 1.0;
                let rate = self.rate.max(0.5 / (*visits + 20.0)) / TABLES as f32;
                self.weights[*entry] += rate * error;
                self.policy.set(*entry, self.weights[*entry]);
            }
        }
    }

    /// Plays out a hand's plausible declarations and moves the model towards the best.
    fn learn_bid(&mut self, start: Position<u64>) {
        let seat = self.rng.below(PLAYERS as u32) as usize;
        let hand = start.hands[seat];
        let turn = Self::turn(&start, seat);
        let occasion = Occasion::new(&self.layout, PLAYERS as u8, start.cards);
        let mean = self.bids.mean(&self.layout, occasion, turn, hand);
        let middle = mean.round() as i32;
        let first = (middle - BID_REACH).max(0);
        let last = (middle + BID_REACH).min(i32::from(start.cards));
        let mut points = [0.0f64; 2 * BID_REACH as usize + 1];
        for _ in 0..BID_WORLDS {
            let mut world = start;
            world.hands = self.hands(Some((seat, hand)), start.cards);
            for other in 0..PLAYERS {
                world.need[other] = self.declaration(&world, other);
            }
            for (tricks, points) in (first..=last).zip(&mut points) {
                let mut end = world;
                end.need[seat] = tricks as i8;
                self.policy.play_out(&self.layout, &mut end, &mut self.rng);
                *points += f64::from(end.points(seat));
            }
        }
        let scale = BID_HEAT * f64::from(start.cards) * BID_WORLDS as f64;
        let most = points.iter().copied().fold(0.0, f64::max);
        let (mut sum, mut total) = (0.0, 0.0);
        for (tricks, points) in (first..=last).zip(points) {
            let weight = ((points - most) / scale).exp();
            sum += weight * f64::from(tricks);
            total += weight;
        }
        let target = (sum / f64::max(total, f64::MIN_POSITIVE)) as f32;
        let mut called = [0usize; CALLED_MAX];
        let mut count = 0;
        bids::each_entry(&self.layout, occasion, turn, hand, |entry| {
            if let Some(slot) = called.get_mut(count) {
                *slot = entry;
                count += 1;
            }
        });
        let worth: f32 = called[..count]
            .iter()
            .map(|entry| self.bid_weights[*entry])
            .sum();
        let error = target - worth;
        let rate = (self.rate * 8.0).min(0.15) / count.max(1) as f32;
        for entry in &called[..count] {
            self.bid_weights[*entry] += rate * error;
            self.bids.set(*entry, self.bid_weights[*entry]);
        }
        let stray = &mut self.strays[occasion.size()];
        *stray += 0.002 * (f64::from(error * error) - *stray);
    }

    fn text(&self, training: &Training) -> String {
        let mut text = String::new();
        let _ = write!(
            text,
            "# What Planowanie's champion has learnt from {} deals with itself. Made anew by\n\
             # drover train planowanie --games {} --seed {}\n\
             # First how far declarations stray by size of deal, in thousandths of a trick; then all\n\
             # entries of the model of declarations ({}) and of the policy ({}).\n",
            training.games,
            training.games,
            training.seed,
            bids::ENTRIES,
            policy::ENTRIES
        );
        write_strays(&self.strays.map(|stray| stray.sqrt() as f32), &mut text);
        let mut entries = self.bids.entries().to_vec();
        entries.extend_from_slice(self.policy.entries());
        write_entries(&entries, &mut text);
        text
    }
}
