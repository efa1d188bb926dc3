//! The match on the start page: the newest that runs, or else the newest, as its board stands.

use super::view::{MatchLine, line, now};
use super::visit::Visit;
use crate::api::matches;
use crate::api::problem::Problem;
use crate::api::query::Params;
use crate::api::replays;
use crate::history::Filter;
use crate::replay::{Shape, Step, Still};

/// How many of the newest matches are looked at.
const NEWEST: u32 = 12;

/// A match with its board.
pub(super) struct Stage {
    pub(super) line: MatchLine,
    /// What happened last, in a sentence.
    pub(super) title: String,
    /// Its board; another one for phones where the game has that.
    pub(super) boards: Vec<Board>,
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

impl Stage {
    /// The first of the newest matches whose board the caller sees and which can be replayed, those that run first; and
    /// whether there are any matches.
    ///
    /// # Errors
    /// The store's.
    pub(super) async fn newest(visit: &Visit) -> Result<(Option<Self>, bool), Problem> {
        let params = Params::first(Filter::default(), NEWEST);
        let mut newest = matches::page(visit, &params).await?.items;
        let any = !newest.is_empty();
        newest.sort_by_key(|found| !found.live);
        for found in newest {
            let Ok(Some((step, still))) = replays::last(visit, &found.id, Shape::Wide).await else {
                continue;
            };
            let title = step.title.clone();
            let two = games::find(&found.game).is_some_and(|kit| kit.card().narrow.is_some());
            let mut boards = Vec::new();
            boards.extend(Board::new(if two { "wide" } else { "" }, step, still));
            if two
                && let Ok(Some((step, still))) =
                    replays::last(visit, &found.id, Shape::Narrow).await
            {
                boards.extend(Board::new("narrow", step, still));
            }
            if !boards.is_empty() {
                let line = line(&found, now());
                let stage = Self {
                    line,
                    title,
                    boards,
                };
                return Ok((Some(stage), any));
            }
        }
        Ok((None, any))
    }
}
