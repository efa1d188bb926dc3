//! What the end of a deal is worth for the standing in the game: whom the player will probably have beaten.

use super::knobs::Knobs;
use crate::bots::position::{Mask, Position, SEATS_MAX};
use crate::rules::View;

/// The points of the deals before, and how far leads may still change in those after.
#[derive(Clone, Copy)]
pub(super) struct Standing {
    seat: usize,
    players: usize,
    before: [f32; SEATS_MAX],
    /// The lead, in points, that is worth tanh(1), 0.76, of a sure one.
    scale: f32,
    weight: f32,
}

impl Standing {
    /// The standing as the player sees it.
    pub(super) fn new(view: &View, knobs: &Knobs) -> Self {
        let mut before = [0.0; SEATS_MAX];
        for (slot, points) in before.iter_mut().zip(view.points.values()) {
            *slot = *points as f32;
        }
        let later = view.game.deals().iter().skip(view.deal + 1);
        let counts = later.len() < usize::from(knobs.late_deals);
        let swings = later.map(|deal| (knobs.swing * f32::from(deal.cards)).powi(2));
        Self {
            seat: view.seat.index() & 3,
            players: view.round.players().min(SEATS_MAX),
            before,
            scale: (knobs.certain.powi(2) + swings.sum::<f32>()).sqrt(),
            weight: if counts { knobs.standing } else { 0.0 },
        }
    }

    /// What the end of this deal is worth, from minus to plus the knob's weight: the mean over rivals of how sure the
    /// lead over each is.
    #[inline]
    pub(super) fn worth<M: Mask>(&self, end: &Position<M>) -> f32 {
        if self.weight == 0.0 {
            return 0.0;
        }
        let total = |seat: usize| self.before[seat] + end.points(seat) as f32;
        let own = total(self.seat);
        let rivals = (0..self.players).filter(|seat| *seat != self.seat);
        let sure = rivals.map(|seat| ((own - total(seat)) / self.scale).tanh());
        self.weight * sure.sum::<f32>() / (self.players as f32 - 1.0).max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::knobs::CHAMPION;
    use super::*;
    use crate::rules::{Game, Planowanie, Setup};
    use drover_game::game::{Game as _, Seat};

    /// What it is worth for the first of four players, with these points before this deal of thirteen, that it takes
    /// this many tricks without meeting its declaration, while the others take none and meet none.
    fn worth(deal: usize, before: [i64; 4], taken: i8) -> f32 {
        let game = Planowanie::start(&Setup::seeded(Game::contest(), 1));
        let view = View {
            deal,
            points: before.into_iter().collect(),
            ..game.view(Seat(0))
        };
        let mut end = Position::<u64>::fresh(4, 13, Seat(0));
        end.need = [1; SEATS_MAX];
        end.taken[0] = taken;
        Standing::new(&view, &CHAMPION).worth(&end)
    }

    #[test]
    fn in_the_last_deal_a_lead_is_as_good_as_a_larger_one() {
        assert!(worth(12, [40; 4], 13) > 0.99);
        assert!(worth(12, [40; 4], 1) > 0.95);
        assert!(worth(12, [40, 80, 80, 80], 13) < -0.99);
        let one_beaten = worth(12, [40, 40, 80, 80], 13);
        assert!((one_beaten + 1.0 / 3.0).abs() < 0.01, "{one_beaten}");
        assert_eq!(worth(12, [40; 4], 0), 0.0, "level");
    }

    #[test]
    fn before_it_leads_are_less_sure_and_earlier_they_do_not_count() {
        let (last, before) = (worth(12, [40; 4], 4), worth(11, [40; 4], 4));
        assert!(0.0 < before && before < last / 2.0, "{before} {last}");
        assert_eq!(worth(10, [40; 4], 4), 0.0);
    }
}
