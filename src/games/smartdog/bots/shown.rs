//! Matches that are looked at while they are played, for measuring.

use super::signature::arrange;
use crate::arena::{self, Acts, Arena};
use crate::game::{Bot, Seat};
use crate::smartdog::rules::{Ask, Orders, Setup, SmartDog, View};

/// Asks bots, and shows every turn's position with the orders of all seats.
struct Shown<D, S> {
    decide: D,
    seen: S,
}

impl<D, S> Arena<SmartDog> for Shown<D, S>
where
    D: FnMut(Seat, &mut dyn Bot<SmartDog>, &View, &Ask) -> Orders,
    S: FnMut(&SmartDog, &Acts<SmartDog>),
{
    fn decide(
        &mut self,
        seat: Seat,
        bot: &mut dyn Bot<SmartDog>,
        view: &View,
        ask: &Ask,
    ) -> Orders {
        (self.decide)(seat, bot, view, ask)
    }

    fn arrive(&mut self, game: &SmartDog, acts: &mut Acts<SmartDog>) {
        arrange(game, acts);
        (self.seen)(game, acts);
    }
}

/// Plays a match for measuring: orders arrive as in a signature's matches, and `seen` is shown them.
pub fn play_by(
    setup: &Setup,
    bots: &mut [Box<dyn Bot<SmartDog>>],
    decide: impl FnMut(Seat, &mut dyn Bot<SmartDog>, &View, &Ask) -> Orders,
    seen: impl FnMut(&SmartDog, &Acts<SmartDog>),
) -> SmartDog {
    arena::play(setup, bots, &mut Shown { decide, seen }).game
}
