//! One transaction being built: the rows of many callers, checked against the live sessions.

use super::command::{OpenMatch, Reply, answer};
use super::statements::{ENTRIES_MAX, EntryRow, EntryRows, OtherRows};
use crate::clock::now_us;
use crate::store::error::StoreError;
use crate::store::open::KitOf;
use crate::store::startup::{Head, Start};
use crate::store::types::{
    Append, Durability, EntryId, LedgerRow, MatchResult, NewMatch, NewSession, Receipt,
};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

/// One caller's part of a batch.
#[derive(Debug)]
pub(super) enum Work {
    Append {
        append: Append,
        last: Option<i64>,
        reply: Reply<Receipt>,
    },
    Open {
        new: Box<OpenMatch>,
        reply: Reply<()>,
    },
    Close {
        id: String,
        result: Box<MatchResult>,
        reply: Reply<()>,
    },
}

/// A session that has not ended, as the writer knows it.
#[derive(Debug)]
pub(super) struct Live {
    pub(super) head: Head,
    pub(super) game: Arc<str>,
    pub(super) durability: Durability,
    /// The batch that last touched it.
    batch: u64,
}

/// The live sessions.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    live: HashMap<i64, Live>,
    games: HashMap<String, Arc<str>>,
    batch: u64,
}

impl Sessions {
    pub(super) fn new(start: &Start) -> Self {
        let mut sessions = Self::default();
        for found in &start.live {
            let head = Head {
                entry: found.head.map_or(0, |head| head.0),
                count: found.seq,
                at_us: found.last_us,
            };
            sessions.insert(found.id.0, head, &found.opened);
        }
        sessions
    }

    pub(super) fn heads(&self) -> impl Iterator<Item = (i64, Head)> {
        self.live
            .iter()
            .map(|(session, live)| (*session, live.head))
    }

    /// Whether the current batch already holds an append of this session.
    pub(super) fn in_batch(&self, session: i64) -> bool {
        self.live
            .get(&session)
            .is_some_and(|live| live.batch == self.batch)
    }

    fn insert(&mut self, id: i64, head: Head, opened: &NewSession) {
        let game = match self.games.get(&opened.game) {
            Some(game) => Arc::clone(game),
            None => {
                let game: Arc<str> = opened.game.as_str().into();
                self.games.insert(opened.game.clone(), Arc::clone(&game));
                game
            }
        };
        let live = Live {
            head,
            game,
            durability: opened.durability,
            batch: self.batch,
        };
        self.live.insert(id, live);
    }

    /// Marks the session as part of this batch, opening it if the append does.
    fn touch(&mut self, append: &Append) -> Result<&Live, StoreError> {
        let id = append.session.0;
        let wrong = |why: String| StoreError::OutOfOrder { session: id, why };
        if let Some(opened) = append.open.as_deref() {
            if self.live.contains_key(&id) || append.previous.is_some() || append.seq != 0 {
                return Err(wrong("it was opened before".into()));
            }
            let at_us = append
                .entries
                .first()
                .map_or_else(now_us, |entry| entry.at_us);
            self.insert(
                id,
                Head {
                    entry: 0,
                    count: 0,
                    at_us,
                },
                opened,
            );
        }
        let batch = self.batch;
        let Some(live) = self.live.get_mut(&id) else {
            return Err(wrong("it has ended or was never opened".into()));
        };
        let head = (live.head.count > 0).then_some(live.head.entry);
        if head != append.previous.map(|entry| entry.0) || live.head.count != append.seq {
            return Err(wrong(format!(
                "its last entry is {head:?} of {}, not {:?} of {}",
                live.head.count, append.previous, append.seq
            )));
        }
        live.batch = batch;
        Ok(live)
    }
}

/// One transaction being built.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) works: Vec<Work>,
    pub(super) entries: EntryRows,
    pub(super) others: OtherRows,
    pub(super) ledger_rows: usize,
    /// Whether a session or a match ends in it.
    pub(super) ends: bool,
    pub(super) durability: Durability,
    pub(super) next_entry: i64,
    first_entry: i64,
}

impl Batch {
    /// An empty batch whose first entry will be `next_entry`.
    pub(super) fn new(next_entry: i64, sessions: &mut Sessions) -> Self {
        sessions.batch += 1;
        Self {
            works: Vec::new(),
            entries: EntryRows::default(),
            others: OtherRows::default(),
            ledger_rows: 0,
            ends: false,
            durability: Durability::Process,
            next_entry,
            first_entry: next_entry,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.works.is_empty() && self.ledger_rows == 0
    }

    /// Whether this many more entries would be too many for one transaction.
    pub(super) fn is_full_with(&self, more: usize) -> bool {
        self.entries.count() > 0 && self.entries.count() + more > ENTRIES_MAX
    }

    pub(super) fn entry_count(&self) -> u64 {
        (self.next_entry - self.first_entry) as u64
    }

    /// Adds an append, or answers it if it does not follow its session's last entry.
    pub(super) fn add_append(
        &mut self,
        sessions: &mut Sessions,
        append: Append,
        reply: Reply<Receipt>,
        kit: KitOf,
    ) {
        if append.entries.len() > ENTRIES_MAX {
            let why = format!(
                "{} entries in one append, {ENTRIES_MAX} at most",
                append.entries.len()
            );
            return answer(reply, Err(StoreError::Refused(why)));
        }
        let live = match sessions.touch(&append) {
            Ok(live) => live,
            Err(error) => return answer(reply, Err(error)),
        };
        self.raise(live.durability);
        if let Some(new) = append.match_.as_deref() {
            self.push_match(new, &[]);
        }
        let session = append.session.0;
        if let Some(new) = append.open.as_deref() {
            let first = Some(self.next_entry);
            self.push_session(session, new, live.head.at_us, first);
        }
        let mut last = append.previous.map(|entry| entry.0);
        for entry in &append.entries {
            let id = self.next_entry;
            self.entries.push(&EntryRow {
                id,
                session,
                previous: last,
                at_us: entry.at_us,
                direction: entry.direction.number(),
                text: &entry.text,
            });
            last = Some(id);
            self.next_entry += 1;
        }
        let at_us = append
            .entries
            .last()
            .map_or(live.head.at_us, |entry| entry.at_us);
        let heard = append.facts.iter();
        let heard = heard.map(|(fact, bluff)| (last, at_us, fact, bluff));
        let folded = append.close.iter().flat_map(|close| &close.facts);
        let folded = folded.map(|told| (Some(told.entry.0), told.at_us, &told.fact, &told.bluff));
        for (entry, at_us, fact, bluff) in heard.chain(folded) {
            self.others
                .facts
                .push(&(session, entry, &fact.kind, fact.data.to_string()));
            if let Some(bluff) = bluff {
                let place = kit(&live.game).and_then(|kit| kit.place(&bluff.by));
                let caught = u8::from(bluff.caught);
                let (by, bid, held) = (&bluff.by, bluff.bid, bluff.held);
                self.others
                    .bluffs
                    .push(&(session, entry, at_us, by, place, bid, held, caught));
            }
        }
        self.ends |= append.close.is_some();
        self.works.push(Work::Append {
            append,
            last,
            reply,
        });
    }

    pub(super) fn add_open(
        &mut self,
        new: Box<OpenMatch>,
        durability: Durability,
        reply: Reply<()>,
    ) {
        self.raise(durability);
        self.push_match(&new.row, &new.players);
        self.works.push(Work::Open { new, reply });
    }

    pub(super) fn add_close(
        &mut self,
        id: String,
        result: Box<MatchResult>,
        durability: Durability,
        reply: Reply<()>,
    ) {
        self.raise(durability);
        self.ends = true;
        self.works.push(Work::Close { id, result, reply });
    }

    pub(super) fn add_ledger(&mut self, rows: &[LedgerRow]) {
        self.ledger_rows += rows.len();
        for row in rows {
            let steps = (row.queued_us, row.thought_us, row.committed_us, row.sent_us);
            self.others.ledger.push(&(
                row.session,
                row.entry,
                row.at_us,
                steps.0,
                steps.1,
                steps.2,
                steps.3,
                row.limit_us,
                u8::from(row.fallback),
            ));
        }
    }

    /// Makes the batch's appends the sessions' new state and answers all callers.
    pub(super) fn committed(self, sessions: &mut Sessions) {
        let committed = Instant::now();
        for work in self.works {
            match work {
                Work::Append {
                    append,
                    last,
                    reply,
                } => {
                    let id = append.session.0;
                    if append.close.is_some() {
                        sessions.live.remove(&id);
                    } else if let Some(live) = sessions.live.get_mut(&id) {
                        live.head.entry = last.unwrap_or(0);
                        live.head.count += append.entries.len() as u64;
                        for entry in &append.entries {
                            live.head.at_us = live.head.at_us.max(entry.at_us);
                        }
                    }
                    answer(
                        reply,
                        Ok(Receipt {
                            last: last.map(EntryId),
                            committed,
                        }),
                    );
                }
                Work::Open { reply, .. } | Work::Close { reply, .. } => answer(reply, Ok(())),
            }
        }
    }

    /// Undoes what the batch did to the sessions; the works remain to be retried or answered.
    pub(super) fn rolled_back(self, sessions: &mut Sessions) -> Vec<Work> {
        for work in &self.works {
            if let Work::Append { append, .. } = work
                && append.open.is_some()
            {
                sessions.live.remove(&append.session.0);
            }
        }
        self.works
    }

    fn raise(&mut self, durability: Durability) {
        if durability == Durability::Power {
            self.durability = Durability::Power;
        }
    }

    fn push_match(&mut self, new: &NewMatch, players: &[u64]) {
        self.others.matches.push(&(
            &new.id,
            &new.game,
            &new.referee,
            new.market as i64,
            u8::from(new.ours),
            new.started_us,
            new.setup.to_string(),
        ));
        for seat in &new.seats {
            let player = players.get(usize::from(seat.seat));
            let player = player.map(|player| *player as i64);
            self.others
                .seats
                .push(&(&new.id, seat.seat, &seat.spec, &seat.name, player));
        }
    }

    fn push_session(&mut self, id: i64, new: &NewSession, at_us: i64, first: Option<i64>) {
        self.others.sessions.push(&(
            id,
            &new.match_id,
            new.side.word(),
            &new.game,
            &new.bot,
            &new.referee,
            new.market as i64,
            new.player as i64,
            new.seat,
            new.seed as i64,
            new.setup.to_string(),
            new.durability.word(),
            at_us,
            first,
        ));
    }
}
