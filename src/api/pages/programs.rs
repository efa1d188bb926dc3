//! What users' programs did in a match.

use super::view::seated;
use super::visit::Visit;
use crate::api::contents::Wanted;
use crate::api::lists::Rows as _;
use crate::api::matches::MatchShown;
use crate::api::problem::Problem;
use crate::api::programs::{ProgramRuns, ProgramShown};
use crate::programs::{StderrPart, stderr_parts};
use crate::store::SessionId;
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
    /// The end of its standard error by decisions, if the caller owns the bot and there is any.
    pub(super) stderr: Vec<Written>,
    /// Whether that is unfolded: a replay led to it.
    pub(super) open: bool,
}

/// A part of a standard error.
pub(super) struct Written {
    /// Its name in the page, by which a replay leads to it.
    pub(super) id: String,
    /// For which decision it was written, if that is known.
    pub(super) heading: String,
    pub(super) text: String,
}

/// The programs of a match.
pub(super) async fn read(
    visit: &Visit,
    found: &MatchShown,
    names: &Names,
) -> Result<Vec<ProgramRow>, Problem> {
    let listed = ProgramRuns::page(visit, &Wanted::all(&found.id)).await?;
    let rows = listed.items.into_iter();
    let led_to = visit.value("session");
    let row = |shown: ProgramShown| ProgramRow {
        open: led_to == Some(shown.session.0.to_string().as_str()),
        ..row(shown, names)
    };
    Ok(rows.map(row).collect())
}

fn row(shown: ProgramShown, names: &Names) -> ProgramRow {
    let conduct = shown.conduct;
    let stderr = shown.stderr.as_deref().unwrap_or_default();
    let stderr = written(shown.session, stderr, &conduct.stderr_parts);
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
        stderr,
        open: false,
    }
}

/// What a program wrote, part by part.
fn written(session: SessionId, text: &str, parts: &[StderrPart]) -> Vec<Written> {
    let all = stderr_parts(text, parts);
    let is_parted = all.len() > 1 || all.iter().any(|(number, _)| number.is_some());
    let shown = all.into_iter().map(|(number, text)| Written {
        id: match number {
            Some(number) => format!("stderr-{}-{number}", session.0),
            None => format!("stderr-{}", session.0),
        },
        heading: match number {
            Some(number) => format!("Decision {number}"),
            None if is_parted => "Afterwards".to_owned(),
            None => String::new(),
        },
        text: text.to_owned(),
    });
    shown.collect()
}

#[cfg(test)]
mod tests {
    use super::written;
    use crate::programs::StderrPart;
    use crate::store::SessionId;

    #[test]
    fn what_a_program_wrote_is_parted_where_its_decisions_are_known() {
        let shown = |text, parts: &[StderrPart]| {
            let shown = written(SessionId(7), text, parts).into_iter();
            let shown = shown.map(|part| [part.id, part.heading, part.text]);
            shown.collect::<Vec<_>>()
        };
        assert_eq!(shown("all of it", &[]), [["stderr-7", "", "all of it"]]);
        let parts = [(1, 4), (3, 10)].map(|(number, end)| StderrPart { number, end });
        assert_eq!(
            shown("one\nthree\nbye\n", &parts),
            [
                ["stderr-7-1", "Decision 1", "one\n"],
                ["stderr-7-3", "Decision 3", "three\n"],
                ["stderr-7", "Afterwards", "bye\n"],
            ]
        );
        assert!(shown(" \n", &[]).is_empty());
    }
}
