//! What the enemy may plan, for a search over both sides' moves.

use super::board::{Board, Sides};
use super::knobs::Knobs;
use super::line::Root;
use super::plan::Plan;
use super::planner::{self, Taste};

/// Plans of the enemy, and planets' futures that they may take together.
const PLANS: usize = 6;
const FUTURES: u64 = 8_000;

/// The plans of the second of two players against the first, made as ours are, if it knows all that is known
/// on this board, and the planets' futures that they took: besides those of our plans, which leave too few.
pub(super) fn plans(
    board: &Board<'_>,
    [ours, theirs]: [u8; 2],
    knobs: &Knobs,
    turn: u32,
) -> (Vec<Plan>, u64) {
    let players = board.sides.side.len().saturating_sub(1);
    let sides = Sides::new(players, &[theirs], |player| player == ours);
    let roots: Vec<Root> = board.spots.iter().map(|spot| spot.root).collect();
    let landings = board.spots.iter().map(|spot| spot.landings.clone());
    let landings = landings.collect();
    let mut board = Board::new(board.chart, &sides, knobs, &roots, landings, board.ending);
    board.settle();
    let tastes = Taste::all(turn, players, roots.len()).take(PLANS);
    planner::plans(&board, tastes, &|_, _| true, FUTURES)
}
