//! A match's transcripts.

use super::events::{Begin, News, OfMatch, OfNews};
use super::lists::Rows;
use super::matches::{Seen, Wanted};
use super::params::Params;
use super::problem::Problem;
use super::reader::Reader;
use super::shapes::{Listed, time};
use super::sight::Sight;
use crate::replay::Naming;
use crate::store::{Direction, EntryId, MatchEntry, SessionId, Side};
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

/// The filters of the list.
pub(super) const FILTERS: &[&str] = &["seat", "session"];

/// One line of a transcript.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Entry)]
pub(super) struct EntryShown {
    /// Its number in the log: rises in the order in which entries were stored.
    #[schema(value_type = i64)]
    pub id: EntryId,
    /// Its session.
    #[schema(value_type = i64)]
    pub session: SessionId,
    /// Whose transcript.
    pub side: Side,
    /// The session's seat, where known.
    pub seat: Option<u8>,
    /// The session's bot, or the seat's spec for a referee's transcript.
    #[schema(example = "champion")]
    pub bot: String,
    /// Its index in its session's transcript, from 0.
    pub seq: u64,
    /// When it was received or decided.
    pub at: Timestamp,
    /// Seen from the session's own side.
    pub direction: Direction,
    /// Its exact text.
    pub text: String,
}

/// The list of a match's entries.
pub(super) struct Entries;

impl Rows for Entries {
    type Item = EntryShown;
    const FILTERS: &'static [&'static str] = FILTERS;
    const TAGGED: bool = true;
    const FOLLOW: Option<Begin<Self>> =
        Some(|reader, params| Box::pin(OfMatch::<Self>::begin(reader, params)));

    async fn page(reader: &Reader, params: &Params) -> Result<(Listed<EntryShown>, bool), Problem> {
        let seen = Seen::read(reader, params.id(), params).await?.kept()?;
        list(reader, &seen, params).await
    }
}

impl OfNews for Entries {
    fn number(row: &EntryShown) -> i64 {
        row.id.0
    }

    fn rows(news: &News, sight: &Sight, wanted: &Wanted) -> Vec<EntryShown> {
        let rows = news.entries.iter();
        let rows = rows.filter(|(of, _)| wanted.has(of) && sight.sees(&of.secrecy));
        rows.map(|(_, entry)| shown(sight, entry.clone())).collect()
    }
}

/// A page of a match's entries, oldest first, and whether all of them are public and final.
pub(super) async fn page(
    reader: &Reader,
    id: &str,
    params: &Params,
) -> Result<(Listed<EntryShown>, bool), Problem> {
    list(reader, &Seen::read(reader, id, params).await?, params).await
}

async fn list(
    reader: &Reader,
    seen: &Seen,
    params: &Params,
) -> Result<(Listed<EntryShown>, bool), Problem> {
    let (store, at) = (&reader.state.store, params.page()?);
    let rows = store.entries_page(&seen.contents, &at).await?;
    Ok(seen.listed(reader, rows, |entry| shown(&reader.sight, entry)))
}

pub(super) fn shown(sight: &Sight, entry: MatchEntry) -> EntryShown {
    EntryShown {
        id: entry.id,
        session: entry.session,
        side: entry.side,
        seat: entry.seat,
        bot: sight.spec(&entry.bot, entry.entrant.as_deref()).to_owned(),
        seq: entry.seq,
        at: time(entry.at_us),
        direction: entry.direction,
        text: Naming::shown(entry.text),
    }
}
