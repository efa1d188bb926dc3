//! The facts from a match's transcripts.

use super::contents::{Seen, Wanted};
use super::events::{Mark, News, OfMatch, OfNews};
use super::lists::{Begin, Rows};
use super::problem::Problem;
use super::query::Params;
use super::reader::Reader;
use super::shapes::Paged;
use super::sight::Sight;
use crate::history::{self, FactRow, Page, PageAt, STDERR, SessionRow};
use crate::replay::read_events;
use serde_json::Value;
use std::sync::Arc;

/// A match's facts in order.
pub(super) struct Facts;

impl Rows for Facts {
    type Item = FactRow;
    type Filters = Wanted;
    const TAGGED: bool = true;
    const FOLLOW: Option<Begin<Self>> =
        Some(|reader, params| Box::pin(OfMatch::<Self>::begin(reader, params)));

    async fn page(reader: &Reader, params: &Params<Wanted>) -> Paged<FactRow> {
        let (seen, at) = (Seen::read(reader, params).await?, params.page_or_all()?);
        let (store, kind) = (&reader.state.store, params.filters.kind.as_deref());
        if params.filters.is_whole() && seen.row.ours && seen.row.ended_us.is_some() {
            let rows = once(reader, &seen, kind, &at).await?;
            return Ok(seen.listed(reader, rows, |fact| shown(&reader.sight, fact)));
        }
        let rows = history::facts_page(store.reader(), &seen.contents, kind, &at).await?;
        Ok(seen.listed(reader, rows, |fact| shown(&reader.sight, fact)))
    }
}

impl OfNews for Facts {
    fn number(row: &FactRow) -> i64 {
        row.id
    }

    fn after(last: i64) -> Mark {
        Mark {
            fact: last,
            ..Mark::END
        }
    }

    fn rows(news: &News) -> &[(Arc<SessionRow>, FactRow)] {
        &news.facts
    }

    fn shown(sight: &Sight, wanted: &Wanted, row: &FactRow) -> Option<FactRow> {
        let is_wanted = wanted.kind.as_ref().is_none_or(|kind| *kind == row.kind);
        is_wanted.then(|| shown(sight, row.clone()))
    }
}

/// What happened in a match of our own referee that is over, each event once, in the order in which it was noted by the seat
/// whose figures it has.
async fn once(
    reader: &Reader,
    seen: &Seen,
    kind: Option<&str>,
    at: &PageAt,
) -> Result<Page<FactRow>, Problem> {
    let (store, row) = (&reader.state.store, &seen.row);
    let after = history::number_after(at)?;
    let events = read_events(store, row, &seen.contents.sessions, |_| true).await?;
    let rows = events.into_iter().map(|event| event.row);
    let wanted = |row: &FactRow| row.id > after && kind.is_none_or(|kind| row.kind == kind);
    let mut items: Vec<FactRow> = rows.filter(wanted).collect();
    items.sort_unstable_by_key(|row| row.id);
    Ok(history::cut(items, at, |row| row.id.to_string()))
}

pub(super) fn shown(sight: &Sight, fact: FactRow) -> FactRow {
    let name = fact.entrant.as_deref();
    let bot = sight.spec(&fact.bot, name).to_owned();
    let mut data = match fact.kind == STDERR && !sight.rights().plays_as(name) {
        true => Value::Null,
        false => fact.data,
    };
    sight.reduce(&mut data);
    FactRow { bot, data, ..fact }
}
