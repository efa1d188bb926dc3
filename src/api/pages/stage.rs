//! The match on the start page: the newest that runs, or else the newest, as its board stands.

use super::view::{MatchLine, line, now};
use super::visit::Visit;
use crate::api::matches;
use crate::api::problem::Problem;
use crate::api::query::Params;
use crate::api::replays;
use crate::history::Filter;

/// How many of the newest matches are looked at.
const NEWEST: u32 = 12;

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
            let Ok(Some((step, still))) = replays::last(visit, &found.id).await else {
                continue;
            };
            if let Some(moving) = step.picture {
                let stage = Self {
                    line: line(&found, now()),
                    title: step.title,
                    width: still.width,
                    height: still.height,
                    still: still.still,
                    moving,
                };
                return Ok((Some(stage), any));
            }
        }
        Ok((None, any))
    }
}
