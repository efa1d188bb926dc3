//! What is under way by what was received: the turn and the settlement.

use super::deal::Traded;
use crate::cards::{Animal, Compass, Purse};
use crate::message::{Bought, Goods};

/// The order of turns as the reader received it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Course {
    /// Whether anything was received, and whether it began with the match's first row.
    pub(super) received: bool,
    pub(super) late: bool,
    /// Whether the turn under way has not come to its settlement yet.
    pub(super) open: bool,
    /// A bluff was shown and the card is sold again.
    pub(super) again: bool,
    /// Cards whose settlement was not received and whose animal is not known, at most.
    pub(super) missed: u8,
    /// Whether a guess was folded: who holds how many money cards is not certain any more.
    pub(super) guessed: bool,
    /// A settlement was closed by a repair; its deals are still to be reported.
    pub(super) closed: bool,
    /// The card that was settled by a guess because the next turn began without a word of it.
    pub(super) guess: Option<(Animal, Compass)>,
    /// The settlement under way equals one received before: it counts only if its second row follows. Holds
    /// the turn as it was before.
    pub(super) doubt: Option<(bool, Option<Compass>)>,
}

/// A settlement of which some rows are still to come.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pending {
    None,
    /// Row 8: free, unless row 9 follows.
    Card(Animal),
    /// Row 9, and what the reader chose to pay.
    Paying {
        card: Option<Animal>,
        payee: Compass,
        price: u16,
        chosen: Option<Purse>,
    },
    /// Row 12.
    Bought(Bought),
    /// Row 20 or 21, and which money rows followed.
    Own(Settling),
    /// Row 24, the winner's cards, and perhaps a row 25 that does not say who lost (I5).
    Trade(Goods, u8),
    /// Rows 24 and 25; the exchange's rows may follow (A1 a).
    Traded(Traded),
}

/// A trade of the reader's own whose animals have moved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settling {
    pub(super) goods: Goods,
    pub(super) won: bool,
    pub(super) paid: Option<Purse>,
    pub(super) got: Option<Purse>,
}

/// Who has the turn after the player at `turn`, while the deck lasts.
pub(super) fn next(turn: Compass) -> Compass {
    Compass::ALL[(turn.index() + 1) % Compass::ALL.len()]
}
