//! One seat's session of a match that is being recorded.

use super::error::RecordError;
use crate::store::types::{
    Append, Close, Entry, EntryId, LedgerRow, NewEntry, NewSession, SessionId,
};
use crate::store::{Storage, StoreError};
use games::Fact;
use games::seat::Taken;

/// One seat's session.
pub(super) struct SeatSession {
    pub(super) id: SessionId,
    pub(super) opened: NewSession,
    pub(super) last: Option<EntryId>,
    pub(super) seq: u64,
    /// Lines that are not stored yet, in order.
    pub(super) pending: Vec<NewEntry>,
    /// Whether its row is written.
    pub(super) written: bool,
    /// Whether it is closed, perhaps by an earlier run that was interrupted while closing the match.
    pub(super) closed: bool,
    /// Whether its transcript is kept in memory until its end, and what is kept.
    pub(super) keeps: bool,
    pub(super) kept: Vec<Entry>,
    /// The ledger's rows of its decisions, to be noted once it is closed.
    pub(super) ledger: Vec<LedgerRow>,
    /// Who took its last decisions, in their order; may be empty.
    pub(super) taken: Vec<Taken>,
}

impl SeatSession {
    /// Stores the pending lines with these facts and the end. After an error nothing of it is stored.
    pub(super) async fn append(
        &mut self,
        store: &dyn Storage,
        facts: Vec<Fact>,
        close: Option<Box<Close>>,
    ) -> Result<(), RecordError> {
        let closes = close.is_some();
        let append = Append {
            session: self.id,
            previous: self.last,
            seq: self.seq,
            open: (!self.written).then(|| Box::new(self.opened.clone())),
            follows: None,
            match_: None,
            entries: self.pending.clone(),
            facts: facts.into_iter().map(|fact| (fact, None)).collect(),
            close,
        };
        let receipt = store.append(append).await?;
        self.written = true;
        self.closed |= closes;
        self.last = receipt.last;
        let (seq, added) = (self.seq, self.pending.len() as i64);
        self.seq += added as u64;
        let stored = self.pending.drain(..);
        if let Some(last) = self.last.filter(|_| self.keeps) {
            // The entries of one append have numbers in a row.
            let numbered = (last.0 + 1 - added..).zip(seq..).zip(stored);
            self.kept.extend(numbered.map(|((id, seq), entry)| Entry {
                id: EntryId(id),
                seq,
                at_us: entry.at_us,
                direction: entry.direction,
                text: entry.text,
            }));
        }
        Ok(())
    }

    /// Its transcript, if its facts are to be stored at its end.
    pub(super) async fn take_transcript(
        &mut self,
        store: &dyn Storage,
    ) -> Result<Option<Vec<Entry>>, StoreError> {
        if !self.written || self.closed {
            return Ok(None);
        }
        match self.last {
            Some(last) if self.kept.is_empty() => store.transcript(self.id, last).await.map(Some),
            _ => Ok(Some(std::mem::take(&mut self.kept))),
        }
    }
}
