//! A match's transcripts.

use super::events::{Begin, Mark, News, OfMatch, OfNews};
use super::lists::Rows;
use super::matches::{Seen, Wanted};
use super::query::Params;
use super::reader::Reader;
use super::shapes::Paged;
use super::sight::Sight;
use crate::replay::Naming;
use crate::store::{EntryId, MatchEntry};

/// The list of a match's entries.
pub(super) struct Entries;

impl Rows for Entries {
    type Item = MatchEntry;
    type Filters = Wanted;
    const FILTERS: &'static [&'static str] = &["seat", "session"];
    const TAGGED: bool = true;
    const FOLLOW: Option<Begin<Self>> =
        Some(|reader, params| Box::pin(OfMatch::<Self>::begin(reader, params)));

    async fn page(reader: &Reader, params: &Params<Wanted>) -> Paged<MatchEntry> {
        let seen = Seen::read(reader, params.id(), params).await?.kept()?;
        list(reader, &seen, params).await
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

    fn rows(news: &News, sight: &Sight, wanted: &Wanted) -> Vec<MatchEntry> {
        let rows = news.entries.iter();
        let rows = rows.filter(|(of, _)| wanted.has(of) && sight.sees(&of.secrecy));
        rows.map(|(_, entry)| shown(sight, entry.clone())).collect()
    }
}

/// A page of a match's entries, oldest first.
pub(super) async fn page(reader: &Reader, id: &str, params: &Params<Wanted>) -> Paged<MatchEntry> {
    list(reader, &Seen::read(reader, id, params).await?, params).await
}

async fn list(reader: &Reader, seen: &Seen, params: &Params<Wanted>) -> Paged<MatchEntry> {
    let (store, at) = (&reader.state.store, params.page()?);
    let rows = store.entries_page(&seen.contents, &at).await?;
    Ok(seen.listed(reader, rows, |entry| shown(&reader.sight, entry)))
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
