//! What users' programs did in a match.

use super::view::seated;
use super::visit::Visit;
use crate::api::contents::Wanted;
use crate::api::lists::Rows as _;
use crate::api::matches::MatchShown;
use crate::api::problem::Problem;
use crate::api::programs::{ProgramRuns, ProgramShown};
use games::scene::Names;

/// A program in a match.
pub(super) struct ProgramRow {
    /// Who sits there.
    pub(super) who: String,
    pub(super) bot: String,
    /// Whether it answered all that it was asked, and kept to its first start.
    pub(super) well: bool,
    pub(super) answered: u64,
    pub(super) late: u64,
    pub(super) refused: u64,
    /// Decisions that its fallback took, of those that it was asked for; empty if that is not known.
    pub(super) fallback: String,
    /// Starts after the first.
    pub(super) restarts: u32,
    /// How it failed.
    pub(super) faults: Vec<String>,
    /// Failures beyond those that are shown.
    pub(super) more: u64,
    /// The end of its standard error, if the caller owns the bot and there is any.
    pub(super) stderr: Option<String>,
}

/// The programs of a match.
pub(super) async fn read(
    visit: &Visit,
    found: &MatchShown,
    names: &Names,
) -> Result<Vec<ProgramRow>, Problem> {
    let listed = ProgramRuns::page(visit, &Wanted::all(&found.id)).await?;
    let rows = listed.items.into_iter();
    Ok(rows.map(|shown| row(shown, names)).collect())
}

fn row(shown: ProgramShown, names: &Names) -> ProgramRow {
    let conduct = shown.conduct;
    let part = conduct.participation.as_ref();
    let restarts = conduct.starts.saturating_sub(1);
    ProgramRow {
        who: seated(names, shown.seat, &shown.bot),
        bot: shown.bot,
        well: conduct.late + conduct.refused + conduct.failed == 0
            && part.is_none_or(|part| part.fallback.unwrap_or_default() == 0),
        answered: conduct.answered,
        late: conduct.late,
        refused: conduct.refused,
        fallback: part
            .and_then(|part| Some(format!("{} of {}", part.fallback?, part.decisions?)))
            .unwrap_or_default(),
        restarts,
        more: conduct.failed.saturating_sub(conduct.faults.len() as u64),
        faults: conduct.faults,
        stderr: shown.stderr.filter(|text| !text.trim().is_empty()),
    }
}
