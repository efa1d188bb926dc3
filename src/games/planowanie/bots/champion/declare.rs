//! The choice of a declaration: every plausible one is played out by the policy in the same deals, in which
//! the others declare by the model.

use super::aim::Aim;
use super::bids::{self, Occasion};
use super::knobs::Knobs;
use super::table::Table;
use crate::bots::position::{Layout, Mask, Position, SEATS_MAX};
use crate::bots::searcher::Thinking;
use crate::bots::worlds::Unknown;
use crate::rules::{Act, View};
use drover_game::reasons::{Belief, Weighed};
use drover_game::rng::Rng;
use drover_game::stats::Moments;

/// How far from the model's mean declarations are tried.
const REACH: i32 = 3;
/// Deals after which a choice is final.
const DEALS_MAX: u64 = 20_000;
/// Deals between two checks of which declarations are still in the race.
const LOOK_EVERY: u64 = 64;

/// The spread of the others' declarations in the deals played out, of that which is believed of declarations.
const OTHERS_SPREAD: f32 = 0.6;
/// Deals that beliefs are shown by.
const WORLDS: u32 = 400;

/// The least standard deviation of results, in points: as if those so far did not show all.
const DEVIATION_MIN: f64 = 0.1;

struct Candidate {
    tricks: u8,
    /// What was aimed at, in points of the deal.
    aimed: Moments,
    /// Of that, the points.
    brought: Moments,
}

impl Candidate {
    fn error(&self) -> f64 {
        let least = DEVIATION_MIN / self.aimed.count.max(1.0).sqrt();
        self.aimed.error().max(least)
    }
}

/// The search for a declaration.
pub struct Declaring<M: 'static> {
    layout: Layout<M>,
    table: &'static Table,
    knobs: Knobs,
    unknown: Unknown<M>,
    occasion: Occasion,
    start: Position<M>,
    aim: Aim,
    rng: Rng,
    racing: Vec<Candidate>,
    /// Those that are out of the race.
    dropped: Vec<Candidate>,
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
        let (leader, players) = (usize::from(start.turn), usize::from(start.players));
        let turn = bids::turn(unknown.seat, leader, players);
        let mean = table.bids.mean(&layout, occasion, turn, unknown.hand);
        let middle = mean.round() as i32;
        let first = (middle - REACH).max(0);
        let last = (middle + REACH).min(i32::from(start.cards));
        let candidate = |tricks: i32| Candidate {
            tricks: tricks as u8,
            aimed: Moments::default(),
            brought: Moments::default(),
        };
        let mut racing: Vec<Candidate> = (first..=last).map(candidate).collect();
        racing.sort_by_key(|candidate| (i32::from(candidate.tricks) - middle).abs());
        Self {
            layout,
            table,
            knobs,
            aim: Aim::new(view, &knobs),
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
        let believed = self.table.bids.spread(self.occasion);
        let spread = OTHERS_SPREAD * believed.max(self.knobs.spread_least);
        let players = usize::from(self.start.players).min(SEATS_MAX);
        for (seat, hand) in hands.iter().copied().enumerate().take(players) {
            if seat == self.unknown.seat {
                continue;
            }
            let turn = bids::turn(seat, usize::from(self.start.turn), players);
            let mean = self
                .table
                .bids
                .mean(&self.layout, self.occasion, turn, hand);
            let chance: f64 = (0..4).map(|_| self.rng.between(-0.87, 0.87)).sum();
            let tricks = f64::from(mean) + chance * f64::from(spread);
            let most = f64::from(self.start.cards);
            self.world.need[seat] = tricks.round().clamp(0.0, most) as i8;
        }
    }

    /// Drops the declarations that are clearly worse than the best.
    fn drop_worse(&mut self) {
        let racing = self.racing.iter();
        let Some(best) =
            racing.max_by(|one, other| one.aimed.mean().total_cmp(&other.aimed.mean()))
        else {
            return;
        };
        let (top, top_error) = (best.aimed.mean(), best.error());
        let is_out = |one: &mut Candidate| one.aimed.mean() + 3.0 * (one.error() + top_error) < top;
        self.dropped.extend(self.racing.extract_if(.., is_out));
    }
}

impl<M: Mask> Thinking for Declaring<M> {
    fn step(&mut self) {
        if self.next == 0 {
            self.draw_world();
        }
        if let Some(candidate) = self.racing.get_mut(self.next) {
            let mut position = self.world;
            position.need[self.unknown.seat] = candidate.tricks as i8;
            let own = self.unknown.seat & 3;
            let policy = &self.table.policy;
            policy.play_out(&self.layout, &mut position, &mut self.rng);
            let cards = f64::from(position.cards);
            let brought = f64::from(self.aim.points(&position)[own]) * cards;
            let standing = f64::from(self.aim.standing(&position)) * cards;
            candidate.brought.add(brought);
            candidate.aimed.add(brought + standing);
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
        let mean = |one: &Candidate| match one.aimed.count {
            0.0 => f64::MIN,
            _ => one.aimed.mean(),
        };
        // The first of several: the closest to what the model declares.
        let racing = self.racing.iter().rev();
        let best = racing.max_by(|one, other| mean(one).total_cmp(&mean(other)));
        best.map(|best| Act::Declare(best.tricks))
    }

    fn used(&self) -> u64 {
        self.used
    }

    fn weighed(&self) -> Vec<Weighed<Act>> {
        let all = self.racing.iter().chain(&self.dropped);
        let weighed = all.map(
            |Candidate {
                 tricks, brought, ..
             }| {
                let deals = brought.count as u64;
                Weighed {
                    error: (deals > 1).then(|| brought.error()),
                    ..Weighed::new(
                        Act::Declare(*tricks),
                        (deals > 0).then(|| brought.mean()),
                        Some(deals),
                    )
                }
            },
        );
        weighed.collect()
    }

    /// What the others declare in n deals.
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
