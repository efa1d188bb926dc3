//! How users' programs fared in a match.

use super::contents::{Seen, Wanted};
use super::lists::Rows;
use super::query::Params;
use super::reader::Reader;
use super::shapes::{Listed, Paged};
use super::sight::WITHHELD;
use crate::history;
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
    /// What it did. Its `faults` in words are shown to the bot's owner and to admins alone; others see how many they were.
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
        let (store, at) = (&reader.state.store, params.page_or_whole()?);
        let sessions = &seen.contents.sessions;
        let ids: Vec<SessionId> = sessions.iter().map(|row| row.id).collect();
        let mut shown = Vec::new();
        for (id, report, stderr) in history::program_runs(store.reader(), &ids).await? {
            let Some(session) = sessions.iter().find(|row| row.id == id) else {
                continue;
            };
            let corrupt =
                |why| StoreError::Corrupt(format!("the program of session {}: {why}", id.0));
            let mut conduct: Conduct = serde_json::from_value(report).map_err(corrupt)?;
            let owned = reader.sight.rights().owns(&session.secrecy);
            if !owned {
                // They may quote it, or name its files and addresses.
                conduct.faults.clear();
            }
            shown.push(ProgramShown {
                session: id,
                seat: session.opened.seat,
                bot: session.secrecy.bot.clone(),
                conduct,
                stderr: owned.then_some(stderr),
            });
        }
        let mut listed = Listed::cut(shown, &at)?;
        listed.withheld = seen.withheld.then_some(WITHHELD);
        Ok(listed)
    }
}
