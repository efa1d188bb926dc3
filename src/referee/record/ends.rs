//! How a match ended, as it is stored.

use crate::clock::now_us;
use crate::store::types::MatchResult;
use games::{Blame, Cause, Outcome};

/// How a match ended, as it is stored: with the seat at fault, if one ended it, and what it did.
#[must_use]
pub fn result_of(outcome: &Outcome, blames: &[Blame]) -> MatchResult {
    // If a match went on to its end, no one's fault ended it.
    let blamed = blames.iter().find(|blame| blame.cause == outcome.cause);
    let sentence = |blame: &Blame| {
        let Blame {
            seat,
            cause,
            detail,
        } = blame;
        format!("seat {}: {}: {detail}", seat.0, cause.word())
    };
    MatchResult {
        blame: blamed.map(|blame| blame.seat.0),
        detail: match blames {
            [one] if blamed.is_some() => one.detail.clone(),
            several => several.iter().map(sentence).collect::<Vec<_>>().join("; "),
        },
        ..MatchResult::new(now_us(), outcome.cause, outcome.scores.values().to_vec())
    }
}

/// A match that was given up; why.
pub(in crate::referee) fn cancelled(detail: String) -> MatchResult {
    MatchResult {
        detail,
        ..MatchResult::new(now_us(), Cause::Cancelled, Vec::new())
    }
}
