//! The choice of a declaration: every plausible one is played out by the policy in the same deals, in which
//! the others declare by the model.

use super::bids::Occasion;
use super::knobs::Knobs;
use super::standing::Standing;
use super::table::Table;
use crate::planowanie::bots::position::{Layout, Mask, Position, SEATS_MAX};
use crate::planowanie::bots::searcher::Thinking;
use crate::planowanie::bots::worlds::Unknown;
use crate::planowanie::rules::{Act, View};
use crate::reasons::{Belief, Weighed};
use crate::rng::Rng;
use crate::stats::Moments;

/// How far from the model's mean declarations are tried.
const REACH: i32 = 3;
/// Deals after which a choice is final.
const DEALS_MAX: u64 = 20_000;
/// Deals between two checks of which declarations are still in the race.
const LOOK_EVERY: u64 = 64;

/// Deals that beliefs are shown by.
const WORLDS: u32 = 400;

struct Candidate {
    tricks: u8,
    points: f64,
    squares: f64,
}

/// The search for a declaration.
pub struct Declaring<M: 'static> {
    layout: Layout<M>,
    table: &'static Table,
    knobs: Knobs,
    unknown: Unknown<M>,
    occasion: Occasion,
    start: Position<M>,
    standing: Standing,
    rng: Rng,
    racing: Vec<Candidate>,
    /// Those that are out of the race, each after so many deals.
    dropped: Vec<(Candidate, u64)>,
    /// The current deal, and the next candidate in it.
    world: Position<M>,
    next: usize,
    deals: u64,
    used: u64,
}

impl<M: Mask> Declaring<M> {
    /// A search that has not started.
    #[must_use]
    pub fn new(view: &View, table: &'static Table, knobs: Knobs, rng: Rng) -> Self {
        let layout = Layout::new(view.game.deck());
        let start = Position::seen(&layout, view);
        let unknown = Unknown::new(&layout, view);
        let occasion = Occasion::new(&layout, start.players, start.cards);
        let turn = turn(&start, unknown.seat);
        let mean = table.bids.mean(&layout, occasion, turn, unknown.hand);
        let middle = mean.round() as i32;
        let first = (middle - REACH).max(0);
        let last = (middle + REACH).min(i32::from(start.cards));
        let candidate = |tricks: i32| Candidate {
            tricks: tricks as u8,
            points: 0.0,
            squares: 0.0,
        };
        let mut racing: Vec<Candidate> = (first..=last).map(candidate).collect();
        racing.sort_by_key(|candidate| (i32::from(candidate.tricks) - middle).abs());
        Self {
            layout,
            table,
            knobs,
            standing: Standing::new(view, &knobs),
            unknown,
            occasion,
            world: start,
            start,
            rng,
            racing,
            dropped: Vec::new(),
            next: 0,
            deals: 0,
            used: 0,
        }
    }

    fn draw_world(&mut self) {
        let hands = self.unknown.draw(&self.layout, &mut self.rng);
        self.world = self.unknown.fill(self.start, &hands);
        let stray = self
            .table
            .bids
            .stray(self.occasion)
            .max(self.knobs.doubt_least)
            * 0.6;
        let players = usize::from(self.start.players).min(SEATS_MAX);
        for (seat, hand) in hands.iter().copied().enumerate().take(players) {
            if seat == self.unknown.seat {
                continue;
            }
            let turn = turn(&self.start, seat);
            let mean = self
                .table
                .bids
                .mean(&self.layout, self.occasion, turn, hand);
            let chance: f64 = (0..4).map(|_| self.rng.between(-0.87, 0.87)).sum();
            let tricks = f64::from(mean) + chance * f64::from(stray);
            let most = f64::from(self.start.cards);
            self.world.need[seat] = tricks.round().clamp(0.0, most) as i8;
        }
    }

    /// Drops the declarations that are clearly worse than the best.
    fn drop_worse(&mut self) {
        let deals = self.deals as f64;
        let mean = |candidate: &Candidate| candidate.points / deals;
        let error = |candidate: &Candidate| {
            ((candidate.squares / deals - mean(candidate).powi(2)).max(0.01) / deals).sqrt()
        };
        let Some(best) = self
            .racing
            .iter()
            .max_by(|one, other| one.points.total_cmp(&other.points))
        else {
            return;
        };
        let (top, top_error) = (mean(best), error(best));
        let is_out = |one: &mut Candidate| mean(one) + 3.0 * (error(one) + top_error) < top;
        let worse = self.racing.extract_if(.., is_out);
        self.dropped.extend(worse.map(|one| (one, self.deals)));
    }
}

/// A seat's distance from the leader.
pub(super) fn turn<M: Mask>(start: &Position<M>, seat: usize) -> usize {
    let players = usize::from(start.players).max(1);
    (seat + players - usize::from(start.turn) % players) % players
}

impl<M: Mask> Thinking for Declaring<M> {
    fn step(&mut self) {
        if self.next == 0 {
            self.draw_world();
        }
        if let Some(candidate) = self.racing.get_mut(self.next) {
            let mut position = self.world;
            position.need[self.unknown.seat] = candidate.tricks as i8;
            self.table
                .policy
                .play_out(&self.layout, &mut position, &mut self.rng);
            let standing = self.standing.worth(&position) * f32::from(position.cards);
            let points = f64::from(position.points(self.unknown.seat)) + f64::from(standing);
            candidate.points += points;
            candidate.squares += points * points;
        }
        self.next += 1;
        self.used += 1;
        if self.next >= self.racing.len() {
            self.next = 0;
            self.deals += 1;
            if self.deals.is_multiple_of(LOOK_EVERY) {
                self.drop_worse();
            }
        }
    }

    fn settled(&mut self, limit: u64) -> bool {
        self.used >= limit || self.racing.len() < 2 || self.deals >= DEALS_MAX
    }

    fn act(&self) -> Option<Act> {
        let mut best: Option<(f64, u8)> = None;
        for (at, candidate) in self.racing.iter().enumerate() {
            let deals = self.deals + u64::from(at < self.next);
            let mean = if deals == 0 {
                f64::MIN
            } else {
                candidate.points / deals as f64
            };
            if best.is_none_or(|(most, _)| mean > most) {
                best = Some((mean, candidate.tricks));
            }
        }
        best.map(|(_, tricks)| Act::Declare(tricks))
    }

    fn used(&self) -> u64 {
        self.used
    }

    fn weighed(&self) -> Vec<Weighed<Act>> {
        let deals = |at: usize| self.deals + u64::from(at < self.next);
        let racing = self.racing.iter().enumerate();
        let racing = racing.map(|(at, candidate)| (candidate, deals(at)));
        let dropped = self.dropped.iter().map(|(one, deals)| (one, *deals));
        let weighed = racing.chain(dropped).map(|(candidate, deals)| {
            let moments = Moments {
                count: deals as f64,
                sum: candidate.points,
                squares: candidate.squares,
            };
            let tried = deals > 0;
            Weighed {
                error: (deals > 1).then(|| moments.error()),
                ..Weighed::new(
                    Act::Declare(candidate.tricks),
                    tried.then(|| moments.mean()),
                    Some(deals),
                )
            }
        });
        weighed.collect()
    }

    /// What the others declare in so many deals.
    fn beliefs(&mut self, view: &View) -> Vec<Belief> {
        let players = view.round.players().min(SEATS_MAX);
        let mut declared = vec![Vec::new(); players];
        for _ in 0..WORLDS {
            self.draw_world();
            for (declared, need) in declared.iter_mut().zip(self.world.need) {
                declared.push(f64::from(need));
            }
        }
        let others = declared.into_iter().enumerate();
        others
            .filter(|(seat, _)| *seat != self.unknown.seat)
            .filter_map(|(seat, tricks)| {
                Belief::sampled(seat, "declares (believed)", tricks, "tricks")
            })
            .collect()
    }
}
