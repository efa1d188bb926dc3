//! A match's transcripts.

use super::contents::{Seen, Wanted};
use super::events::{Mark, News, OfMatch, OfNews};
use super::lists::{Begin, Rows};
use super::query::Params;
use super::reader::Reader;
use super::shapes::Paged;
use super::sight::Sight;
use crate::history::{self, MatchEntry, SessionRow};
use crate::replay::Naming;
use crate::store::EntryId;
use std::sync::Arc;

/// A match's entries, oldest first.
pub(super) struct Entries;

impl Rows for Entries {
    type Item = MatchEntry;
    type Filters = Wanted;
    const FILTERS: &'static [&'static str] = &["seat", "session"];
    const TAGGED: bool = true;
    const FOLLOW: Option<Begin<Self>> =
        Some(|reader, params| Box::pin(OfMatch::<Self>::begin(reader, params)));

    async fn page(reader: &Reader, params: &Params<Wanted>) -> Paged<MatchEntry> {
        let seen = Seen::read(reader, params).await?;
        let (from, at) = (reader.state.store.reader(), params.page()?);
        let rows = history::entries_page(from, &seen.contents, &at).await?;
        Ok(seen.listed(reader, rows, |entry| shown(&reader.sight, entry)))
    }
}

impl OfNews for Entries {
    fn number(row: &MatchEntry) -> i64 {
        row.id.0
    }

    fn after(last: i64) -> Mark {
        Mark {
            entry: EntryId(last),
            ..Mark::END
        }
    }

    fn rows(news: &News) -> &[(Arc<SessionRow>, MatchEntry)] {
        &news.entries
    }

    fn shown(sight: &Sight, _: &Wanted, row: &MatchEntry) -> Option<MatchEntry> {
        Some(shown(sight, row.clone()))
    }
}

/// An entry as shown to callers.
pub(super) fn shown(sight: &Sight, entry: MatchEntry) -> MatchEntry {
    let bot = sight.spec(&entry.bot, entry.entrant.as_deref());
    MatchEntry {
        bot: bot.to_owned(),
        text: Naming::shown(entry.text),
        ..entry
    }
}
