//! One transaction being built: the rows of many callers, checked against the live sessions.

use super::command::OpenMatch;
use super::fault::{Verdict, shown};
use super::live::Sessions;
use super::refusal::Refusal;
use super::reply::{Reply, answer};
use super::statements::{
    BLUFFS, CHANGES, ENTRIES, ENTRIES_MAX, FACTS, LEDGER, MATCHES, NEWEST_SESSIONS, PLACED_ENTRIES,
    Rows, SEATS, SESSIONS,
};
use crate::store::commits::Added;
use crate::store::error::StoreError;
use crate::store::log::Head;
use crate::store::rows::without_version;
use crate::store::rules::Rules;
use crate::store::types::{
    Append, Durability, EntryId, Follows, LedgerRow, MatchResult, MatchRow, NewSession, Receipt,
    SessionId,
};
use games::{Bluff, Fact};
use std::collections::HashMap;
use tokio::time::Instant;

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

/// The rows of a batch.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) entries: Rows,
    pub(super) facts: Rows,
    pub(super) matches: Rows,
    pub(super) seats: Rows,
    pub(super) sessions: Rows,
    pub(super) newest: Rows,
    pub(super) bluffs: Rows,
    pub(super) changes: Rows,
}

impl Default for Tables {
    fn default() -> Self {
        Self {
            entries: Rows::new(&ENTRIES),
            facts: Rows::new(&FACTS),
            matches: Rows::new(&MATCHES),
            seats: Rows::new(&SEATS),
            sessions: Rows::new(&SESSIONS),
            newest: Rows::new(&NEWEST_SESSIONS),
            bluffs: Rows::new(&BLUFFS),
            changes: Rows::new(&CHANGES),
        }
    }
}

/// A fact, as its rows have it.
struct FactRow<'a> {
    session: i64,
    /// The entry that it follows from.
    entry: Option<i64>,
    at_us: i64,
    fact: &'a Fact,
    bluff: Option<&'a Bluff>,
    /// Which place the bluffer has, clockwise from the session's own.
    place: Option<u8>,
}

impl Tables {
    /// Adds an append's facts: those of its last entry at this time, and those that its end found. `place`: how many
    /// places clockwise from the session's own one lies that the wire calls so.
    fn push_facts(
        &mut self,
        append: &Append,
        last: Option<i64>,
        at_us: i64,
        place: impl Fn(&str) -> Option<u8>,
    ) {
        let found = append.facts.iter();
        let found = found.map(|(fact, bluff)| (last, at_us, fact, bluff));
        let folded = append.close.iter().flat_map(|close| &close.facts);
        let folded = folded.map(|it| (Some(it.entry.0), it.at_us, &it.fact, &it.bluff));
        for (entry, at_us, fact, bluff) in found.chain(folded) {
            let bluff = bluff.as_ref();
            self.push_fact(FactRow {
                session: append.session.0,
                entry,
                at_us,
                fact,
                bluff,
                place: bluff.and_then(|bluff| place(&bluff.by)),
            });
        }
    }

    fn push_fact(&mut self, row: FactRow<'_>) {
        self.facts.push([
            row.session.into(),
            row.entry.into(),
            (&row.fact.kind).into(),
            row.fact.data.to_string().into(),
        ]);
        if let Some(bluff) = row.bluff {
            self.bluffs.push([
                row.session.into(),
                row.entry.into(),
                row.at_us.into(),
                (&bluff.by).into(),
                row.place.into(),
                bluff.bid.into(),
                bluff.held.into(),
                bluff.caught.into(),
            ]);
        }
    }
}

/// What a batch's callers receive once it is durable.
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// With what was stored: it is freed where it was made.
    receipts: Vec<(Reply<Receipt>, Receipt, Append)>,
    others: Vec<Reply<()>>,
}

impl Answers {
    pub(super) fn send(self) {
        for (reply, receipt, _) in self.receipts {
            answer(reply, Ok(receipt));
        }
        for reply in self.others {
            answer(reply, Ok(()));
        }
    }
}

/// One transaction being built.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) works: Vec<Work>,
    pub(super) tables: Tables,
    /// Whether a session or a match ends in it.
    pub(super) ends: bool,
    pub(super) durability: Durability,
    pub(super) next_entry: i64,
    first_entry: i64,
}

impl Batch {
    /// An empty batch whose first entry will be `next_entry`; below 0 on a server, which gives the number later
    /// ([`Batch::place`]).
    pub(super) fn new(next_entry: i64, sessions: &mut Sessions) -> Self {
        sessions.begin_batch();
        let mut tables = Tables::default();
        if next_entry < 0 {
            tables.entries = Rows::new(&PLACED_ENTRIES);
        }
        Self {
            works: Vec::new(),
            tables,
            ends: false,
            durability: Durability::Process,
            next_entry,
            first_entry: next_entry,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.works.is_empty()
    }

    /// Whether this many more entries would be too many for one transaction.
    pub(super) fn is_full_with(&self, more: usize) -> bool {
        let entries = self.entry_count() as usize;
        entries > 0 && entries + more > ENTRIES_MAX
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
        rules: &dyn Rules,
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
            self.push_session(session, new, live.head.at_us);
            if let Some(Follows(former)) = append.follows.filter(|_| self.next_entry < 0) {
                self.push_newest(session, new, former);
            }
        }
        let mut last = append.previous.map(|entry| entry.0);
        for (seq, entry) in (append.seq as i64..).zip(&append.entries) {
            let id = self.next_entry;
            self.tables.entries.push([
                id.into(),
                session.into(),
                if id < 0 { seq.into() } else { last.into() },
                entry.at_us.into(),
                entry.direction.number().into(),
                (&entry.text).into(),
            ]);
            last = Some(id);
            self.next_entry += 1;
        }
        let at_us = append
            .entries
            .last()
            .map_or(live.head.at_us, |entry| entry.at_us);
        self.tables
            .push_facts(&append, last, at_us, |by| rules.place(&live.game, by));
        self.ends |= append.close.is_some();
        self.works.push(Work::Append {
            append,
            last,
            reply,
        });
    }

    pub(super) fn add_open(
        &mut self,
        sessions: &mut Sessions,
        new: Box<OpenMatch>,
        durability: Durability,
        reply: Reply<()>,
    ) {
        self.raise(durability);
        self.push_match(&new.row, &new.players);
        let at_us = new.row.started_us;
        let head = Head {
            entry: 0,
            count: 0,
            at_us,
        };
        for (id, opened) in &new.sessions {
            self.raise(opened.durability);
            sessions.insert(id.0, head, opened);
            self.push_session(id.0, opened, at_us);
        }
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

    /// Makes the batch's appends the sessions' new state; returns what its callers are to receive.
    pub(super) fn committed(self, sessions: &mut Sessions) -> Answers {
        let committed = Instant::now();
        let mut answers = Answers::default();
        answers.receipts.reserve_exact(self.works.len());
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
                    let last = last.map(EntryId);
                    let receipt = Receipt { last, committed };
                    answers.receipts.push((reply, receipt, append));
                }
                Work::Open { reply, .. } | Work::Close { reply, .. } => answers.others.push(reply),
            }
        }
        answers
    }

    /// What it adds to matches; asked before [`Batch::committed`] makes it the sessions' state.
    pub(super) fn added<'a>(&'a self, sessions: &'a Sessions) -> impl Iterator<Item = Added<'a>> {
        self.works.iter().map(|work| match work {
            Work::Append { append, last, .. } => {
                let live = sessions.live.get(&append.session.0);
                let count = append.seq + append.entries.len() as u64;
                Added {
                    match_id: live.map_or("", |live| &*live.match_id),
                    head: last.map(|last| (append.session, EntryId(last), count)),
                    changes: append.open.is_some() || append.close.is_some(),
                    ends: append.close.is_some(),
                    bluffs: bluffs(append),
                }
            }
            Work::Open { new, .. } => Added {
                match_id: &new.row.id,
                changes: true,
                ..Added::default()
            },
            Work::Close { id, .. } => Added {
                match_id: id,
                changes: true,
                ends: true,
                ..Added::default()
            },
        })
    }

    /// Undoes what the batch did to the sessions; the works remain to be retried or answered.
    pub(super) fn rolled_back(self, sessions: &mut Sessions) -> Vec<Work> {
        for work in &self.works {
            match work {
                Work::Append { append, .. } if append.open.is_some() => {
                    sessions.live.remove(&append.session.0);
                }
                Work::Open { new, .. } => {
                    for (id, _) in &new.sessions {
                        sessions.live.remove(&id.0);
                    }
                }
                Work::Append { .. } | Work::Close { .. } => {}
            }
        }
        self.works
    }

    /// Gives its entries their numbers, from this one on, on a server.
    pub(super) fn place(&mut self, first: i64) {
        const FIRST_ENTRY: usize = 13;
        self.tables.entries.place(0, first);
        self.tables.facts.place(1, first);
        self.tables.bluffs.place(1, first);
        self.tables.sessions.place(FIRST_ENTRY, first);
        for work in &mut self.works {
            if let Work::Append {
                last: Some(last), ..
            } = work
                && *last < 0
            {
                *last = first + (*last - i64::MIN);
            }
        }
    }

    /// Answers the callers that wanted to end matches that could not be ended.
    pub(super) fn refuse(&mut self, refused: &HashMap<String, Refusal>) {
        if refused.is_empty() {
            return;
        }
        for work in std::mem::take(&mut self.works) {
            match work {
                Work::Close { id, result, reply } => match refused.get(&id) {
                    Some(refusal) => answer(reply, Err(refusal.error(id))),
                    None => self.works.push(Work::Close { id, result, reply }),
                },
                other => self.works.push(other),
            }
        }
    }

    fn raise(&mut self, durability: Durability) {
        if durability == Durability::Power {
            self.durability = Durability::Power;
        }
    }

    fn push_match(&mut self, new: &MatchRow, players: &[u64]) {
        self.tables
            .changes
            .push([(&new.id).into(), None::<i64>.into()]);
        self.tables.matches.push([
            (&new.id).into(),
            (&new.game).into(),
            (&new.referee).into(),
            (new.market as i64).into(),
            new.ours.into(),
            new.started_us.into(),
            new.setup.to_string().into(),
        ]);
        for seat in &new.seats {
            let player = players.get(usize::from(seat.seat));
            let player = player.map(|player| *player as i64);
            self.tables.seats.push([
                (&new.id).into(),
                seat.seat.into(),
                (&seat.spec).into(),
                seat.name.as_ref().into(),
                player.into(),
                seat.entrant.as_ref().into(),
            ]);
        }
    }

    fn push_newest(&mut self, id: i64, new: &NewSession, former: Option<SessionId>) {
        self.tables.newest.push([
            (&new.game).into(),
            (&new.referee).into(),
            (new.market as i64).into(),
            (new.player as i64).into(),
            without_version(&new.bot).into(),
            id.into(),
            former.map(|former| former.0).into(),
        ]);
    }

    fn push_session(&mut self, id: i64, new: &NewSession, at_us: i64) {
        self.tables
            .changes
            .push([(&new.match_id).into(), Some(id).into()]);
        self.tables.sessions.push([
            id.into(),
            (&new.match_id).into(),
            new.side.word().into(),
            (&new.game).into(),
            (&new.bot).into(),
            (&new.referee).into(),
            (new.market as i64).into(),
            (new.player as i64).into(),
            new.seat.into(),
            (new.seed as i64).into(),
            new.setup.to_string().into(),
            new.durability.word().into(),
            at_us.into(),
            self.next_entry.into(),
        ]);
    }
}

/// Answers all callers whose work was rolled back.
pub(super) fn refuse(works: Vec<Work>, verdict: Verdict, why: &str) {
    for work in works {
        match work {
            Work::Append { reply, .. } => answer(reply, Err(shown(verdict, why))),
            Work::Open { reply, .. } | Work::Close { reply, .. } => {
                answer(reply, Err(shown(verdict, why)));
            }
        }
    }
}

/// Whether there are bluffs among the facts.
fn bluffs(append: &Append) -> bool {
    let mut closing = append.close.iter().flat_map(|close| &close.facts);
    append.facts.iter().any(|(_, bluff)| bluff.is_some())
        || closing.any(|fact| fact.bluff.is_some())
}

/// The ledger's rows as they are stored.
pub(super) fn ledger_rows(rows: &[LedgerRow]) -> Rows {
    let mut stored = Rows::new(&LEDGER);
    for row in rows {
        stored.push([
            row.session.0.into(),
            row.entry.0.into(),
            row.at_us.into(),
            row.queued_us.into(),
            row.thought_us.into(),
            row.committed_us.into(),
            row.sent_us.into(),
            row.limit_us.into(),
            row.fallback.into(),
        ]);
    }
    stored
}
