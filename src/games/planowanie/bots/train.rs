//! Learns the champion's table from nothing, by deals that the learner plays against itself.
//!
//! At a part of the decisions every card is played out once by what has been learnt so far; what the
//! card brought compared with the others is what its entries are moved towards. Declarations are
//! learnt from hands whose every plausible declaration is played out in the same sampled deals. Then the net
//! learns, in three times as many deals, in part of which players by rules sit at the table: `adam.rs`.

use super::adam::Adam;
use super::champion::bids::{self, Bids, CALLED_MAX, Occasion, SIZES};
use super::champion::entries::write_entries;
use super::champion::net::{self, Net};
use super::champion::policy::{self, Context, Policy, TABLES};
use super::champion::table::write_spreads;
use super::judgement;
use super::position::{Layout, Mask, PLIES_MAX, Position, SEATS_MAX};
use crate::cards::{CARDS_MAX, Deck};
use drover_game::game::Seat;
use drover_game::models::{Train, Training};
use drover_game::rng::Rng;
use smallvec::SmallVec;
use std::fmt::Write as _;

/// The part of decisions that is learnt from.
const LEARNT: f64 = 0.4;
/// The part of cards played at random.
const RANDOM: f64 = 0.04;
/// One in n deals teaches declarations.
const BID_EVERY: u64 = 4;
/// Sampled deals a taught declaration.
const BID_WORLDS: usize = 48;
/// How far from the mean declarations are tried.
const BID_REACH: i32 = 2;
/// How sharply the best declaration stands out, in points a card.
const BID_HEAT: f64 = 0.04;
/// The spread of declarations in the deals played, in tricks.
const BID_SPREAD: f64 = 0.45;
const PLAYERS: usize = 4;
const CARDS_MOST: u32 = 13;

/// Deals that teach the net, for one that teaches the tables.
const NET_DEALS: u64 = 3;
/// The part of the net's deals with players by rules among the others.
const RULES_DEALS: f64 = 0.4;
/// The spread of declarations of players by rules, in tricks.
const RULES_SPREAD: f64 = 1.0;
/// The net's rate of learning, at first and at last.
const NET_RATES: [f32; 2] = [1e-3, 2e-5];

struct Learner {
    layout: Layout<u64>,
    policy: Policy,
    weights: Vec<f32>,
    visits: Vec<f32>,
    bids: Bids,
    bid_weights: Vec<f32>,
    spreads: [f64; SIZES],
    rng: Rng,
    rate: f32,
    /// Once the tables are learnt: how the net learns.
    adam: Option<Adam>,
    /// Who plays by rules in this deal.
    by_rules: [bool; PLAYERS],
}

/// The champion's data, learnt by self-play.
pub struct SelfPlay;

impl Train for SelfPlay {
    /// The same run gives the same text. `done` receives now and then how many of `training.games` are done; each
    /// stands for one deal for the tables and three for the net.
    fn train(&self, training: &Training, done: &mut dyn FnMut(u64)) -> String {
        let mut learner = Learner::new(training.seed);
        let each = 1 + NET_DEALS;
        for game in 0..training.games {
            let progress = game as f32 / training.games as f32;
            learner.rate = 0.02 * (0.02f32).powf(progress);
            learner.deal(game);
            if game % 1000 == 999 {
                done((game + 1) / each);
            }
        }
        let mut entries = learner.bids.entries().to_vec();
        entries.extend_from_slice(learner.policy.entries());
        let spreads = learner.spreads.map(|square| square.sqrt() as f32);
        learner.teach_net(training, done);
        done(training.games);
        if let Some(adam) = &learner.adam {
            entries.extend(adam.net.entries());
        }
        text(training, &spreads, &entries)
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
            spreads: [1.0; SIZES],
            rng: Rng::new(seed, 0),
            rate: 0.0,
            adam: None,
            by_rules: [false; PLAYERS],
        }
    }

    /// Teaches the net, with random numbers of its own: the tables, which play its deals, do not change any more.
    fn teach_net(&mut self, training: &Training, done: &mut dyn FnMut(u64)) {
        self.rng = Rng::new(training.seed.wrapping_add(1), 0);
        self.adam = Some(Adam::new(Net::random(&mut self.rng)));
        let deals = training.games.saturating_mul(NET_DEALS);
        for deal in 0..deals {
            let progress = deal as f32 / deals as f32;
            self.rate = NET_RATES[0] * (NET_RATES[1] / NET_RATES[0]).powf(progress);
            self.net_deal();
            if deal % 1000 == 999 {
                done((training.games + deal + 1) / (1 + NET_DEALS));
            }
        }
    }

    /// Plays one deal and teaches the net.
    fn net_deal(&mut self) {
        let cards = |rng: &mut Rng| 1 + rng.below(CARDS_MOST);
        // Large deals bring most of the points.
        let cards = cards(&mut self.rng).max(cards(&mut self.rng)) as u8;
        let leader = Seat(self.rng.below(PLAYERS as u32) as u8);
        let mixed = self.rng.chance(RULES_DEALS);
        self.by_rules = std::array::from_fn(|_| mixed && self.rng.chance(0.5));
        let mut position = Position::fresh(PLAYERS, cards, leader);
        position.hands = self.hands(None, cards);
        self.declare(&mut position);
        self.play(position);
    }

    fn declare(&mut self, position: &mut Position<u64>) {
        for seat in 0..PLAYERS {
            position.need[seat] = self.declaration(position, seat);
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
        self.declare(&mut position);
        self.play(position);
    }

    fn play(&mut self, mut position: Position<u64>) {
        for _ in 0..PLIES_MAX {
            if position.is_over() {
                return;
            }
            let choice = position.distinct(&self.layout);
            let by_rules = self.by_rules[usize::from(position.turn) & 3];
            if choice.count() > 1 && !by_rules && self.rng.chance(LEARNT) {
                self.learn_card(&position, choice);
            }
            let drawn = if self.rng.chance(RANDOM) {
                let mut rest = choice;
                for _ in 0..self.rng.below(choice.count()) {
                    rest.pop();
                }
                Some(rest.lowest())
            } else {
                self.draw(&position)
            };
            let Some(card) = drawn else {
                return;
            };
            position.play(&self.layout, card);
        }
    }

    fn draw(&mut self, position: &Position<u64>) -> Option<u8> {
        if self.by_rules[usize::from(position.turn) & 3] {
            return judgement::card(&self.layout, position);
        }
        self.policy.draw(&self.layout, position, &mut self.rng)
    }

    fn play_out(&mut self, position: &mut Position<u64>) {
        for _ in 0..PLIES_MAX {
            let Some(card) = self.draw(position).filter(|_| !position.is_over()) else {
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

    fn declaration(&mut self, position: &Position<u64>, seat: usize) -> i8 {
        let occasion = Occasion::new(&self.layout, PLAYERS as u8, position.cards);
        let turn = bids::turn(seat, usize::from(position.turn), PLAYERS);
        let mean = self
            .bids
            .mean(&self.layout, occasion, turn, position.hands[seat]);
        let chance: f64 = (0..3).map(|_| self.rng.between(-1.0, 1.0)).sum();
        let spread = if self.by_rules[seat] {
            RULES_SPREAD
        } else {
            BID_SPREAD
        };
        let tricks = f64::from(mean) + chance * spread;
        tricks.round().clamp(0.0, f64::from(position.cards)) as i8
    }

    /// Plays every card out and learns what each brought.
    fn learn_card(&mut self, position: &Position<u64>, choice: u64) {
        let seat = usize::from(position.turn);
        let mut brought = [(0u8, 0.0f32); CARDS_MOST as usize];
        let mut count = 0;
        let mut rest = choice;
        while let (Some(card), Some(slot)) = (rest.pop(), brought.get_mut(count)) {
            let mut end = *position;
            end.play(&self.layout, card);
            self.play_out(&mut end);
            *slot = (card, end.points(seat) as f32 / f32::from(position.cards));
            count += 1;
        }
        let brought = &brought[..count];
        if let Some(adam) = &mut self.adam {
            adam.learn(&self.policy, &self.layout, position, brought, self.rate);
        } else {
            self.update_tables(position, brought);
        }
    }

    /// Moves the cards' entries in the tables towards what they brought, compared with each other.
    fn update_tables(&mut self, position: &Position<u64>, brought: &[(u8, f32)]) {
        let context = Context::new(&self.layout, position);
        let tried = brought.iter().map(|(card, brought)| {
            let sight = context.sight(&self.layout, self.layout.suit_of(*card));
            let entries = context.entries(&self.layout, &sight, *card);
            let worth: f32 = entries.iter().map(|entry| self.weights[*entry]).sum();
            (entries, *brought, worth)
        });
        let tried: SmallVec<[([usize; TABLES], f32, f32); CARDS_MOST as usize]> = tried.collect();
        let (brought, worth) = tried
            .iter()
            .fold((0.0, 0.0), |sum, one| (sum.0 + one.1, sum.1 + one.2));
        let surplus = (brought - worth) / tried.len().max(1) as f32;
        for (entries, brought, worth) in &tried {
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
        let turn = bids::turn(seat, usize::from(start.turn), PLAYERS);
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
        let square = &mut self.spreads[occasion.size()];
        *square += 0.002 * (f64::from(error * error) - *square);
    }
}

fn text(training: &Training, spreads: &[f32; SIZES], entries: &[i16]) -> String {
    let mut text = String::new();
    let _ = write!(
        text,
        "# What Planowanie's champion has learnt from {} deals, most of them with itself. Made anew by\n\
         # drover train planowanie --games {} --seed {}\n\
         # First how far declarations stray by size of deal, in thousandths of a trick; then all\n\
         # entries of the model of declarations ({}), of the policy ({}) and of the net ({}).\n",
        training.games.saturating_mul(1 + NET_DEALS),
        training.games,
        training.seed,
        bids::ENTRIES,
        policy::ENTRIES,
        net::ENTRIES
    );
    write_spreads(spreads, &mut text);
    write_entries(entries, &mut text);
    text
}
