//! Where a picture has its parts: on a desk the players left and right of the table, on a phone above and below it.

use crate::cards::{ANIMALS, PLAYERS};
use drover_game::scene::{Anchor, Point};

/// A player's panel.
pub(super) const PANEL: (f64, f64) = (192.0, 170.0);
/// Height of the letters that matter, and of others.
pub(super) const LARGE: f64 = 15.0;
pub(super) const TEXT: f64 = 14.0;
/// Letters of a name in a panel and in a heading.
pub(super) const NAME_CHARS: usize = 13;
/// Room between the parts.
pub(super) const MARGIN: f64 = 6.0;
/// Animals in a row of the legend.
const LEGEND_COLUMNS: usize = 5;

/// Where the parts are, in units of the view box. What is on the table is counted from its upper left corner.
pub(super) struct Plan {
    /// The whole picture.
    pub(super) size: (f64, f64),
    /// The panels, clockwise from the lower left.
    pub(super) corners: [(f64, f64); PLAYERS],
    /// The table's upper left corner.
    pub(super) table: (f64, f64),
    /// Base lines of a heading; with one, both of its parts stand there.
    pub(super) heading: &'static [f64],
    /// The animal's card, and where it is with a player on either side of it.
    pub(super) card: (f64, f64),
    pub(super) card_between: f64,
    pub(super) card_size: (f64, f64),
    /// Who leads an auction, and with how much.
    pub(super) best: (f64, f64),
    /// The first of the bids, from each to the next, and the most that there is room for.
    pub(super) bids: (f64, f64),
    pub(super) bid_step: f64,
    pub(super) bids_max: usize,
    /// The two sides of a trade; those of payments; what each is worth, next to it.
    pub(super) sides: [(f64, f64); 2],
    pub(super) payments: [(f64, f64); 2],
    pub(super) worth: (f64, f64, Anchor),
    /// The first of the players at the end, and from each to the next.
    pub(super) ranks: (f64, f64),
    pub(super) rank_step: f64,
    /// How many animals are left.
    pub(super) deck: (f64, f64),
    /// The legend's upper edge, where its columns begin, and its rows' height.
    pub(super) legend_top: f64,
    pub(super) legend_columns: [f64; LEGEND_COLUMNS],
    pub(super) legend_row: f64,
}

/// What the players left and right of the table take.
const LEFT: f64 = 2.0 * MARGIN + PANEL.0;
const LOWER: f64 = 2.0 * MARGIN + PANEL.1;

/// For a desk.
pub(super) const WIDE: Plan = Plan {
    size: (2.0 * LEFT + 236.0, LOWER + PANEL.1 + MARGIN + 62.0),
    corners: [
        (MARGIN, LOWER),
        (MARGIN, MARGIN),
        (LEFT + 236.0 + MARGIN, MARGIN),
        (LEFT + 236.0 + MARGIN, LOWER),
    ],
    table: (LEFT, MARGIN),
    heading: &[22.0, 42.0],
    card: (10.0, 54.0),
    card_between: 66.0,
    card_size: (104.0, 124.0),
    best: (126.0, 78.0),
    bids: (10.0, 208.0),
    bid_step: 23.0,
    bids_max: 5,
    sides: [(10.0, 202.0), (10.0, 270.0)],
    payments: [(10.0, 202.0), (10.0, 270.0)],
    worth: (216.0, 0.0, Anchor::End),
    ranks: (10.0, 84.0),
    rank_step: 34.0,
    deck: (10.0, 336.0),
    legend_top: LOWER + PANEL.1 + MARGIN,
    legend_columns: [0.0, 126.0, 252.0, 378.0, 504.0],
    legend_row: 20.0,
};

/// For a phone.
pub(super) const NARROW: Plan = Plan {
    size: (2.0 * LEFT - MARGIN, LOWER + 148.0 + PANEL.1 + MARGIN + 54.0),
    corners: [
        (MARGIN, LOWER + 148.0),
        (MARGIN, MARGIN),
        (LEFT, MARGIN),
        (LEFT, LOWER + 148.0),
    ],
    table: (MARGIN, LOWER),
    heading: &[18.0],
    card: (4.0, 28.0),
    card_between: 160.0,
    card_size: (70.0, 92.0),
    best: (297.0, 44.0),
    bids: (86.0, 42.0),
    bid_step: 17.0,
    bids_max: 5,
    sides: [(4.0, 42.0), (242.0, 42.0)],
    payments: [(86.0, 42.0), (240.0, 42.0)],
    worth: (0.0, 64.0, Anchor::Start),
    ranks: (4.0, 44.0),
    rank_step: 22.0,
    deck: (4.0, 136.0),
    legend_top: LOWER + 148.0 + PANEL.1 + MARGIN,
    legend_columns: [0.0, 81.0, 170.0, 233.0, 303.0],
    legend_row: 17.0,
};

impl Plan {
    /// A place on the table.
    pub(super) fn on_table(&self, at: impl Into<Point>) -> Point {
        let (left, top) = self.table;
        let Point { x, y } = at.into();
        (left + x, top + y).into()
    }

    /// Where an animal of the legend is.
    pub(super) fn legend_at(&self, animal: usize) -> (f64, f64) {
        let (column, row) = (animal % LEGEND_COLUMNS, animal / LEGEND_COLUMNS);
        let x = MARGIN + 2.0 + self.legend_columns[column];
        (x, self.legend_top + self.legend_row * row as f64)
    }

    /// Below the legend.
    pub(super) fn below_legend(&self) -> (f64, f64) {
        let rows = ANIMALS.div_ceil(LEGEND_COLUMNS) as f64;
        let base = self.legend_top + self.legend_row * rows + 13.0;
        (MARGIN + 2.0, base)
    }
}
