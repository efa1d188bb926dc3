//! How users' programs fared in a match.

use super::contents::{Seen, Wanted};
use super::lists::Rows;
use super::problem::Problem;
use super::query::Params;
use super::reader::Reader;
use super::shapes::{Listed, Paged};
use super::sight::WITHHELD;
use crate::history::{self, SessionRow};
use crate::programs::Conduct;
use crate::store::{SessionId, StoreError};
use serde::Serialize;
use utoipa::ToSchema;

/// How a user's program fared that played in a match.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ProgramRun)]
pub(super) struct ProgramShown {
    /// The session in which it played.
    #[schema(value_type = i64)]
    pub session: SessionId,
    /// The seat, where known.
    pub seat: Option<u8>,
    /// The program: `bot:NAME@VERSION`.
    #[schema(example = "bot:mybot@1")]
    pub bot: String,
    /// What it did. Its `faults` in words and `stderr_parts` are shown to the bot's owner and to admins alone; others see how
    /// many faults they were.
    pub conduct: Conduct,
    /// The end of its standard error. It is shown to the bot's owner and to admins alone, at all times; `null` for
    /// others.
    pub stderr: Option<String>,
}

/// The programs of a match that have ended, where the caller sees their seats.
pub(super) struct ProgramRuns;

impl Rows for ProgramRuns {
    type Item = ProgramShown;
    type Filters = Wanted;
    const FILTERS: &'static [&'static str] = &["seat", "session"];
    const REFUSES: &'static [u16] = &[410];

    async fn page(reader: &Reader, params: &Params<Wanted>) -> Paged<ProgramShown> {
        let seen = Seen::read(reader, params).await?;
        let at = params.page_or_whole()?;
        let shown = programs(reader, seen.contents.sessions.iter().collect()).await?;
        let mut listed = Listed::cut(shown, &at)?;
        listed.withheld = seen.withheld.then_some(WITHHELD);
        Ok(listed)
    }
}

/// The programs of these sessions, which the caller sees, that have ended.
pub(super) async fn programs(
    reader: &Reader,
    sessions: Vec<&SessionRow>,
) -> Result<Vec<ProgramShown>, Problem> {
    let ids: Vec<SessionId> = sessions.iter().map(|row| row.id).collect();
    let mut shown = Vec::new();
    for (id, report, stderr) in history::program_runs(reader.state.store.reader(), &ids).await? {
        let Some(session) = sessions.iter().find(|row| row.id == id) else {
            continue;
        };
        let corrupt = |why| StoreError::Corrupt(format!("the program of session {}: {why}", id.0));
        let mut conduct: Conduct = serde_json::from_value(report).map_err(corrupt)?;
        let owned = reader.sight.rights().owns(&session.secrecy);
        if !owned {
            // They may quote it, or name its files and addresses.
            conduct.faults.clear();
            conduct.stderr_parts.clear();
        }
        shown.push(ProgramShown {
            session: id,
            seat: session.opened.seat,
            bot: session.secrecy.bot.clone(),
            conduct,
            stderr: owned.then_some(stderr),
        });
    }
    Ok(shown)
}
