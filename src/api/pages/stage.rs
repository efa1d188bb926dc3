//! The matches on the start page: the newest that runs, or else the newest, on its board, and those next to it.

use super::view::{MatchLine, line, now};
use super::visit::Visit;
use crate::api::matches;
use crate::api::problem::Problem;
use crate::api::query::Params;
use crate::api::replays;
use crate::history::Filter;

/// How many of the newest matches are looked at.
const NEWEST: u32 = 12;
/// How many others are listed.
const OTHERS_MAX: usize = 6;

/// A match with its board.
pub(super) struct Stage {
    pub(super) line: MatchLine,
    /// What happened last, in a sentence.
    pub(super) title: String,
    pub(super) width: u32,
    pub(super) height: u32,
    /// Fragments of SVG.
    pub(super) still: String,
    pub(super) moving: String,
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
            let Ok(Some((step, still))) = replays::last(visit, &found.id).await else {
                continue;
            };
            if let Some(moving) = step.picture {
                stage = Some(Stage {
                    line: lines.remove(at),
                    title: step.title,
                    width: still.width,
                    height: still.height,
                    still: still.still,
                    moving,
                });
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
