//! The matches on the start page: the newest that runs, or else the newest, on its board, and those next to it.

use super::view::{MatchLine, line, now};
use super::visit::Visit;
use crate::api::matches::{self, MatchShown};
use crate::api::problem::Problem;
use crate::api::query::Params;
use crate::api::replays;
use crate::history::Filter;
use crate::replay::{Shape, Step, Still};
use std::collections::HashSet;

/// How many of the newest matches are looked at, and how many of them are tried for the stage.
const NEWEST: u32 = 100;
const TRIED_MAX: usize = 12;
/// How many others are listed.
const OTHERS_MAX: usize = 6;

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
        let mut stage = None;
        for found in newest.iter().take(TRIED_MAX) {
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
                // Lists do not know the entrants' numbers, which are their colours.
                let row = visit.match_row(&found.id).await?;
                let line = line(&matches::shown(&visit.sight, row), now());
                let shown = Stage {
                    line,
                    title,
                    boards,
                };
                stage = Some((found, shown));
                break;
            }
        }
        let (staged, stage) = stage.unzip();
        let others = others(&newest, staged).into_iter();
        Ok(Self {
            others: others.map(|found| line(found, now())).collect(),
            stage,
        })
    }
}

/// Of these but the one on the stage: of each game the first one, then the others; of each tournament one.
fn others<'a>(newest: &'a [MatchShown], staged: Option<&'a MatchShown>) -> Vec<&'a MatchShown> {
    // A match that runs has no place in its tournament yet.
    let tournament = |found: &'a MatchShown| {
        let entered = found.seats.iter().any(|seat| seat.entrant.is_some());
        entered.then(|| {
            (
                found.tournament.as_ref().map(|place| &*place.id),
                &*found.game,
            )
        })
    };
    let mut games: HashSet<&str> = staged.iter().map(|found| &*found.game).collect();
    let mut tournaments: HashSet<_> = staged.and_then(tournament).into_iter().collect();
    let others = newest
        .iter()
        .filter(|found| staged.is_none_or(|staged| staged.id != found.id));
    let others =
        others.filter(|&found| tournament(found).is_none_or(|one| tournaments.insert(one)));
    let (mut first, rest): (Vec<_>, Vec<_>) = others.partition(|found| games.insert(&*found.game));
    first.extend(rest);
    first.truncate(OTHERS_MAX);
    first
}
