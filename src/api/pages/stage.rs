//! The matches on the start page: the newest that runs, or else the newest, on its board, and those next to it.

use super::view::{MatchLine, line, now};
use super::visit::Visit;
use crate::api::matches::{self, MatchShown};
use crate::api::problem::Problem;
use crate::api::query::Params;
use crate::api::replays::{self, Opening, Watched};
use crate::history::Filter;
use crate::replay::{Shape, Step, Still};
use std::collections::HashSet;

/// How many of the newest matches are looked at, and how many of them are tried on the stage.
const NEWEST: u32 = 100;
const TRIED_MAX: usize = 12;
/// How many others are listed.
const OTHERS_MAX: usize = 6;

/// A match with its board.
pub(super) struct Stage {
    pub(super) line: MatchLine,
    pub(super) position: Position,
}

/// Where a match stands when it is opened.
#[derive(Default)]
pub(super) struct Position {
    /// The number of its step, from 1.
    pub(super) step: u32,
    /// What happened last, in a sentence.
    pub(super) title: String,
    /// Its board; another one for phones where the game has that.
    pub(super) boards: Vec<Board>,
    /// Whether there is none because the caller may not see it, or not yet.
    pub(super) withheld: bool,
}

impl Position {
    /// That of a match; without a board where the caller sees none, or it need not be drawn.
    ///
    /// # Errors
    /// The store's, or the match cannot be replayed.
    pub(super) async fn read(
        visit: &Visit,
        found: &MatchShown,
        opening: Option<Opening>,
    ) -> Result<Self, Problem> {
        let watched = Watched::read(visit, &found.id, None).await?;
        let mut position = Self {
            withheld: watched.is_withheld(),
            ..Self::default()
        };
        let Some(opening) = opening else {
            return Ok(position);
        };
        let two = games::find(&found.game).is_some_and(|kit| kit.card().narrow.is_some());
        let shapes: &[_] = match two {
            true => &[(Shape::Wide, "wide"), (Shape::Narrow, "narrow")],
            false => &[(Shape::Wide, "")],
        };
        let wanted = shapes.iter().map(|(shape, _)| *shape).collect();
        let drawn = replays::opening(visit, &watched, opening, wanted).await?;
        for (&(_, class), (step, still)) in shapes.iter().zip(drawn) {
            position.step = step.step + 1;
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
        newest.truncate(TRIED_MAX);
        let mut stage = None;
        for (at, found) in newest.iter().enumerate() {
            let position = Position::read(visit, found, Some(Opening::Middle)).await;
            let position = position.unwrap_or_default();
            if !position.boards.is_empty() {
                let line = lines.remove(at);
                stage = Some(Stage { line, position });
                break;
            }
        }
        if let Some(stage) = &mut stage {
            // Lists do not know the entrants' numbers, which are their colours.
            let row = visit.match_row(&stage.line.id).await?;
            stage.line = line(&matches::shown(&visit.sight, row), now());
        }
        Ok(Self {
            others: others(lines, stage.as_ref().map(|stage| &stage.line)),
            stage,
        })
    }
}

/// Of each game the first one, then the others; of each tournament one, also if that is on the stage.
fn others(lines: Vec<MatchLine>, staged: Option<&MatchLine>) -> Vec<MatchLine> {
    let tournament = |line: &MatchLine| line.tournament.as_ref().map(|place| place.id.clone());
    let mut games: HashSet<String> = staged.map(|line| line.game.clone()).into_iter().collect();
    let mut tournaments: HashSet<String> = staged.and_then(tournament).into_iter().collect();
    let mut is_new = |line: &MatchLine| tournament(line).is_none_or(|id| tournaments.insert(id));
    let lines = lines.into_iter().filter(|line| is_new(line));
    let (mut first, rest): (Vec<_>, Vec<_>) =
        lines.partition(|line| games.insert(line.game.clone()));
    first.extend(rest);
    first.truncate(OTHERS_MAX);
    first
}
