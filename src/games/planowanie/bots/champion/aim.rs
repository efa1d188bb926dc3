//! What the end of a deal is worth to the search and to the choice of a declaration.

use super::knobs::Knobs;
use super::standing::Standing;
use crate::bots::position::{Mask, Position, SEATS_MAX};
use crate::rules::View;

/// What is aimed at in a deal.
#[derive(Clone, Copy)]
pub(super) struct Aim {
    rivalry: f32,
    standing: Standing,
}

impl Aim {
    /// What the player with this view aims at.
    pub(super) fn new(view: &View, knobs: &Knobs) -> Self {
        Self {
            rivalry: knobs.rivalry,
            standing: Standing::new(view, knobs),
        }
    }

    /// By seat, points of the deal less a share of the others' mean, in units of the deal's number of cards.
    #[inline]
    pub(super) fn points<M: Mask>(&self, end: &Position<M>) -> [f32; SEATS_MAX] {
        let players = usize::from(end.players).min(SEATS_MAX);
        let scale = 1.0 / f32::from(end.cards.max(1));
        let points: [f32; SEATS_MAX] = std::array::from_fn(|seat| end.points(seat) as f32 * scale);
        let total: f32 = points[..players].iter().sum();
        let rivalry = self.rivalry / (players as f32 - 1.0).max(1.0);
        points.map(|own| own - rivalry * (total - own))
    }

    /// What the standing in the game adds for the player, in the same units.
    #[inline]
    pub(super) fn standing<M: Mask>(&self, end: &Position<M>) -> f32 {
        self.standing.worth(end)
    }
}

#[cfg(test)]
mod tests {
    use super::super::knobs::CHAMPION;
    use super::super::tests::seen;
    use super::*;
    use crate::rules::Game;
    use drover_game::game::Seat;

    #[test]
    fn what_others_bring_counts_against_ones_own() {
        let game =
            Game::with_deals("23456789", "CDHS", 3, &[(4, 0), (5, 0), (5, 0), (5, 0)]).unwrap();
        let aim = Aim::new(&seen(&game, 0, &[], "", ""), &CHAMPION);
        let mut end = Position::<u64>::fresh(3, 4, Seat(0));
        // 1 + 4, 2 and 1 points.
        (end.taken, end.need) = ([1, 2, 1, 0], [0, 1, -1, 0]);
        let [one, two, three, _] = aim.points(&end).map(|points| points * 4.0);
        assert_eq!([one, two, three], [5.0 - 0.75, 2.0 - 1.5, 1.0 - 1.75]);
        assert_eq!(aim.standing(&end), 0.0);
    }
}
