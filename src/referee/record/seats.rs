//! What the seats' transcripts of a match show, besides their entries.

use crate::clock::micros;
use crate::replay::{FoldedSeat, SeatDecision, fold_seat};
use crate::store::types::{Entry, FactAt, LedgerRow, SessionId};
use games::seat::{Fallback, Taken};
use games::{Cause, Fact, Kit};
use serde_json::json;
use std::time::Duration;

/// How long the decisions of a match took.
#[derive(Clone, Debug)]
pub enum DecisionTimes {
    /// As the times of calls and answers say.
    Stamped,
    /// As measured: those of each seat in order; may be empty.
    Measured(Vec<Vec<Duration>>),
}

impl DecisionTimes {
    /// Those measured of a seat; `None`: the times of its entries count.
    pub(super) fn seat(&self, seat: usize) -> Option<&[Duration]> {
        match self {
            Self::Stamped => None,
            Self::Measured(seats) => Some(seats.get(seat).map_or(&[], Vec::as_slice)),
        }
    }
}

/// Folds the transcript of each seat, by seat; an empty one shows nothing. One that cannot be folded shows
/// nothing either: verification reports it.
pub(super) fn folded(
    kit: &dyn Kit,
    transcripts: &[Vec<Entry>],
    cause: Cause,
    scores: &[i64],
) -> Vec<FoldedSeat> {
    let fold = |(seat, entries): (usize, &Vec<Entry>)| {
        if entries.is_empty() {
            return FoldedSeat::default();
        }
        fold_seat(kit, entries, Some(cause), scores.get(seat).copied()).unwrap_or_else(|why| {
            tracing::error!(
                %why,
                "a seat's transcript cannot be folded: its facts are lost"
            );
            FoldedSeat::default()
        })
    };
    transcripts.iter().enumerate().map(fold).collect()
}

/// Why a fallback took it, of each of a seat's decisions. What is noted of fewer is of the last ones: a match that went on
/// after a stop has forgotten the others.
pub(super) fn instead(decisions: &[SeatDecision], taken: &[Taken]) -> Vec<Option<Fallback>> {
    let before = decisions.len().saturating_sub(taken.len());
    let noted = taken.iter().map(|taken| taken.fallback());
    std::iter::repeat_n(None, before).chain(noted).collect()
}

/// The facts that say so, each at the entry that a session of our own stores it with: the answer.
pub(super) fn noted(
    decisions: &[SeatDecision],
    instead: &[Option<Fallback>],
) -> impl Iterator<Item = FactAt> {
    let taken = decisions.iter().zip(instead);
    taken.filter_map(|(decision, why)| {
        let fact = Fact::new(Fallback::FACT, json!({ "cause": (*why)?.word() }));
        Some(FactAt {
            entry: decision.answer,
            at_us: decision.answered_us,
            fact,
            bluff: None,
        })
    })
}

/// The ledger's rows of a seat's decisions, of which a fallback took some; none if not exactly these were measured.
pub(super) fn rows(
    session: SessionId,
    decisions: &[SeatDecision],
    instead: &[Option<Fallback>],
    measured: Option<&[Duration]>,
) -> impl Iterator<Item = LedgerRow> {
    let fits = measured.is_none_or(|measured| measured.len() == decisions.len());
    let decisions = decisions.iter().filter(move |_| fits).enumerate();
    decisions.map(move |(at, decision)| {
        let measured = measured.and_then(|measured| measured.get(at)).copied();
        let took_us = micros(measured.unwrap_or(decision.took));
        LedgerRow {
            session,
            entry: decision.entry,
            at_us: decision.asked_us,
            queued_us: 0,
            thought_us: took_us,
            committed_us: took_us,
            sent_us: took_us,
            limit_us: micros(decision.limit),
            fallback: instead.get(at).is_some_and(Option::is_some),
        }
    })
}
