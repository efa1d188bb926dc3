//! The matches on the start page: the newest that runs, or else the newest, on its board, and those next to it.

use super::view::{MatchLine, line, now};
use super::visit::Visit;
use crate::api::matches::{self, MatchShown};
use crate::api::problem::Problem;
use crate::api::query::Params;
use crate::api::replays;
use crate::history::Filter;
use crate::replay::{Shape, Step, Still};

/// How many of the newest matches are looked at.
const NEWEST: u32 = 12;
/// How many others are listed.
const OTHERS_MAX: usize = 6;

/// A match with its board.
pub(super) struct Stage {
    pub(super) line: MatchLine,
    pub(super) position: Position,
}

/// Where a match stands at its beginning, or while it runs now.
#[derive(Default)]
pub(super) struct Position {
    /// What happened last, in a sentence.
    pub(super) title: String,
    /// Its board; another one for phones where the game has that.
    pub(super) boards: Vec<Board>,
}

impl Position {
    /// That of a match; without a board where the caller sees none.
    ///
    /// # Errors
    /// The store's, or the match cannot be replayed.
    pub(super) async fn read(visit: &Visit, found: &MatchShown) -> Result<Self, Problem> {
        let two = games::find(&found.game).is_some_and(|kit| kit.card().narrow.is_some());
        let shapes: &[_] = match two {
            true => &[(Shape::Wide, "wide"), (Shape::Narrow, "narrow")],
            false => &[(Shape::Wide, "")],
        };
        let mut position = Self::default();
        for &(shape, class) in shapes {
            let Some((step, still)) = replays::opening(visit, &found.id, shape).await? else {
                break;
            };
            position.title.clone_from(&step.title);
            position.boards.extend(Board::new(class, step, still));
        }
        Ok(position)
    }
}

/// A board for the screens that its class names.
pub(super) struct Board {
    pub(super) class: &'static str,
    pub(super) width: u32,
    pub(super) height: u32,
    /// Fragments of SVG.
    pub(super) still: String,
    pub(super) moving: String,
}

impl Board {
    fn new(class: &'static str, step: Step, still: Still) -> Option<Self> {
        Some(Self {
            class,
            width: still.width,
            height: still.height,
            still: still.still,
            moving: step.picture?,
        })
    }
}

/// The newest matches.
pub(super) struct StartMatches {
    pub(super) stage: Option<Stage>,
    /// Those that are not on the stage.
    pub(super) others: Vec<MatchLine>,
}

impl StartMatches {
    /// On the stage is the first of the newest matches whose board the caller sees and which can be replayed, those that run
    /// first.
    ///
    /// # Errors
    /// The store's.
    pub(super) async fn read(visit: &Visit) -> Result<Self, Problem> {
        let params = Params::first(Filter::default(), NEWEST);
        let mut newest = matches::page(visit, &params).await?.items;
        newest.sort_by_key(|found| !found.live);
        let mut lines: Vec<MatchLine> = newest.iter().map(|found| line(found, now())).collect();
        let mut stage = None;
        for (at, found) in newest.iter().enumerate() {
            let position = Position::read(visit, found).await.unwrap_or_default();
            if !position.boards.is_empty() {
                let line = lines.remove(at);
                stage = Some(Stage { line, position });
                break;
            }
        }
        lines.truncate(OTHERS_MAX);
        Ok(Self {
            stage,
            others: lines,
        })
    }
}
