//! What happened in a match, each event once: for `drover match show --facts` and for exports.

use crate::history::{self, STDERR};
use crate::replay::{Event, read_events};
use crate::store::{MatchRow, Store};
use serde_json::{Value, json};

/// Reads it.
pub(super) async fn read(store: &Store, row: &MatchRow) -> anyhow::Result<Vec<Event>> {
    let sessions = history::sessions_of(store.reader(), &row.id).await?;
    Ok(read_events(store, row, &sessions, |fact| fact.kind != STDERR).await?)
}

/// As data: seats, kind, data, sentence, and the entry that showed it first.
pub(super) fn data(events: &[Event]) -> Vec<Value> {
    let data = events.iter().map(|event| {
        let mut data = json!(event.shown);
        data["entry"] = json!(event.first);
        data
    });
    data.collect()
}
