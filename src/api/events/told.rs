//! What readers of streams are sent: made once for all who see the same.

use super::feed::Mark;
use crate::access::Rights;
use crate::api::sight::Sight;
use crate::api::{entries, facts, matches};
use crate::store::{FactRow, MatchEntry, MatchRow};
use bytes::Bytes;
use parking_lot::Mutex;
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::Arc;

/// For how many kinds of readers something is kept; others have it made for themselves.
const VIEWS_MAX: usize = 8;

/// Some events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Told {
    /// As they are sent.
    pub(super) events: Bytes,
    /// How far they lead.
    pub(super) mark: Mark,
    pub(super) then: Then,
}

/// What follows on some events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// What else the store has.
    More,
    /// What will be committed.
    News,
    /// Nothing: the match is over.
    Nothing,
}

/// How readers look at something: those with the same view are sent the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct View {
    rights: Rights,
    /// Which of its parts are public.
    open: Vec<bool>,
    /// What they have had.
    mark: Mark,
}

impl View {
    /// Of something whose parts were over at these times.
    pub(super) fn new(
        sight: &Sight,
        over_us: impl IntoIterator<Item = Option<i64>>,
        mark: Mark,
    ) -> Self {
        let open = over_us.into_iter().map(|over_us| sight.is_over(over_us));
        Self {
            rights: sight.rights().clone(),
            open: open.collect(),
            mark,
        }
    }
}

/// What was made for the last few views.
#[derive(Debug, Default)]
pub(super) struct Views(Mutex<VecDeque<(View, Arc<Told>)>>);

impl Views {
    /// What readers with this view are sent; made if none of them asked before.
    pub(super) fn told(&self, view: View, make: impl FnOnce() -> Told) -> Arc<Told> {
        // Under the lock: of a thousand readers one makes it.
        let mut views = self.0.lock();
        if let Some((_, told)) = views.iter().find(|(known, _)| *known == view) {
            return Arc::clone(told);
        }
        let told = Arc::new(make());
        views.truncate(VIEWS_MAX - 1);
        views.push_front((view, Arc::clone(&told)));
        told
    }
}

/// Writes the events of a match for one view.
pub(super) struct Scribe<'a> {
    sight: &'a Sight,
    mark: Mark,
    events: Vec<u8>,
}

impl<'a> Scribe<'a> {
    /// For readers that have had all up to `mark`.
    pub(super) fn new(sight: &'a Sight, mark: Mark) -> Self {
        Self {
            sight,
            mark,
            events: Vec::new(),
        }
    }

    /// How much it has written.
    pub(super) fn bytes(&self) -> usize {
        self.events.len()
    }

    pub(super) fn entry(&mut self, entry: MatchEntry) {
        self.mark.entry = entry.id;
        self.event("entry", &entries::shown(self.sight, entry));
    }

    pub(super) fn fact(&mut self, fact: FactRow) {
        self.mark.fact = fact.id;
        self.event("fact", &facts::shown(self.sight, fact));
    }

    pub(super) fn end(&mut self, row: MatchRow) {
        self.event("end", &matches::shown(&self.sight.now(), row));
    }

    fn event(&mut self, kind: &str, data: &impl Serialize) {
        write(&mut self.events, kind, &self.mark.to_string(), data);
    }

    pub(super) fn told(self, then: Then) -> Told {
        Told {
            events: self.events.into(),
            mark: self.mark,
            then,
        }
    }
}

/// Writes an event; what cannot be shown is an empty one, as an answer would be.
pub(super) fn write(events: &mut Vec<u8>, kind: &str, id: &str, data: &impl Serialize) {
    // JSON has no line breaks of its own.
    let data = serde_json::to_string(data).unwrap_or_default();
    events.extend_from_slice(format!("event: {kind}\nid: {id}\ndata: {data}\n\n").as_bytes());
}
