//! What sessions count.

use crate::metrics as names;
use crate::seldom;
use crate::store::types::LedgerRow;
use metrics::{Counter, Gauge, Histogram, counter, gauge, histogram};

/// Handles made once: the recorder must be installed before.
#[derive(Debug)]
pub(super) struct Meters {
    pub(super) live: Gauge,
    pub(super) callbacks: Counter,
    pub(super) decisions: Counter,
    pub(super) repeated: Counter,
    pub(super) appends_failed: Counter,
    pub(super) discarded: Counter,
    queued: Histogram,
    thought: Histogram,
    committed: Histogram,
    sent: Histogram,
}

impl Meters {
    pub(super) fn new() -> Self {
        Self {
            live: gauge!(names::SESSIONS_LIVE),
            callbacks: counter!(names::CALLBACKS),
            decisions: counter!(names::DECISIONS),
            repeated: counter!(names::REPEATED),
            appends_failed: counter!(names::APPENDS_FAILED),
            discarded: counter!(names::MATCHES_DISCARDED),
            queued: histogram!(names::LEDGER, "step" => "queued"),
            thought: histogram!(names::LEDGER, "step" => "thought"),
            committed: histogram!(names::LEDGER, "step" => "committed"),
            sent: histogram!(names::LEDGER, "step" => "sent"),
        }
    }

    /// A message was answered by its game's default.
    pub(super) fn defaulted(&self, why: &'static str) {
        counter!(names::DEFAULTS, "why" => why).increment(1);
    }

    /// A decision was answered by the fallback.
    pub(super) fn fallback(&self, cause: &'static str) {
        counter!(names::FALLBACKS, "cause" => cause).increment(1);
        if seldom::is_due("fallback", cause) {
            tracing::warn!(
                cause,
                "the fallback answered a decision (logged once in 10 s)"
            );
        }
    }

    pub(super) fn opened(&self, game: &'static str) {
        counter!(names::SESSIONS_OPENED, "game" => game).increment(1);
    }

    pub(super) fn ended(&self, cause: &'static str) {
        counter!(names::SESSIONS_ENDED, "cause" => cause).increment(1);
    }

    pub(super) fn refused(&self, why: &'static str) {
        counter!(names::SESSIONS_REFUSED, "why" => why).increment(1);
        match why {
            "full" | "busy" if seldom::is_due("sessions", why) => {
                tracing::warn!(why, "no room: sessions are refused (logged once in 10 s)");
            }
            "full" | "busy" => {}
            why => seldom::refused("sessions", why),
        }
    }

    /// The time spent in each step of a decision.
    pub(super) fn ledger(&self, row: &LedgerRow) {
        let seconds = |from: u32, to: u32| f64::from(to.saturating_sub(from)) / 1e6;
        self.queued.record(seconds(0, row.queued_us));
        self.thought.record(seconds(row.queued_us, row.thought_us));
        self.committed
            .record(seconds(row.thought_us, row.committed_us));
        self.sent.record(seconds(row.committed_us, row.sent_us));
    }
}
