//! What a deal's end makes of the standing in the game: whom the player will probably have beaten.

use crate::planowanie::bots::position::SEATS_MAX;
use crate::planowanie::rules::View;

/// The standard deviation of what two players' points in a deal differ by, in units of its number of cards.
const SWING: f32 = 0.6;
/// A difference of so many points at the end of the game is as good as won.
const CERTAIN: f32 = 2.0;

/// The points of the deals before, and how much may still change in those after.
#[derive(Clone, Copy)]
pub(super) struct Standing {
    seat: usize,
    players: usize,
    before: [f32; SEATS_MAX],
    scale: f32,
    weight: f32,
}

impl Standing {
    /// As the player sees it. It counts, with this weight, in the last deals only.
    pub(super) fn new(view: &View, weight: f32, last: usize) -> Self {
        let deals = view.game.deals();
        let mut before = [0.0; SEATS_MAX];
        for (slot, points) in before.iter_mut().zip(view.points.values()) {
            *slot = *points as f32;
        }
        let later = deals.iter().skip(view.deal + 1);
        let spread: f32 = later
            .clone()
            .map(|deal| (SWING * f32::from(deal.cards)).powi(2))
            .sum();
        Self {
            seat: view.seat.index(),
            players: view.round.players().min(SEATS_MAX),
            before,
            scale: (CERTAIN * CERTAIN + spread).sqrt(),
            weight: if later.count() < last { weight } else { 0.0 },
        }
    }

    /// What points in this deal are worth for it: between plus and minus the weight.
    #[inline]
    pub(super) fn worth(&self, points: impl Fn(usize) -> f32) -> f32 {
        if self.weight == 0.0 {
            return 0.0;
        }
        let own = self.before[self.seat & 3] + points(self.seat);
        let rivals = (0..self.players).filter(|seat| *seat != self.seat);
        let ahead =
            rivals.map(|seat| ((own - self.before[seat] - points(seat)) / self.scale).tanh());
        self.weight * ahead.sum::<f32>() / (self.players as f32 - 1.0).max(1.0)
    }
}
