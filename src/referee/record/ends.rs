//! How a match ended, as it is stored.

use crate::clock::now_us;
use crate::store::types::MatchResult;
use games::{Blame, Cause, Outcome};

/// How a match ended, as it is stored: with the seat at fault, if one ended it, and what it did. In the sentence the
/// first seat is 1.
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
        let (seat, cause) = (u16::from(seat.0) + 1, cause.word().replace('_', " "));
        format!("seat {seat}: {cause}: {detail}")
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
#[must_use]
pub fn cancelled(detail: String) -> MatchResult {
    MatchResult {
        detail,
        ..MatchResult::new(now_us(), Cause::Cancelled, Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::result_of;
    use games::{Blame, Cause, Outcome, Seat, Seats};

    #[test]
    fn several_faults_are_said_of_seats_from_1() {
        let blame = |seat, cause| Blame {
            seat: Seat(seat),
            cause,
            detail: "it took too long".to_owned(),
        };
        let outcome = Outcome {
            cause: Cause::TimeForfeit,
            scores: Seats::default(),
        };
        let blames = [blame(0, Cause::TimeForfeit), blame(2, Cause::ProtocolError)];
        let result = result_of(&outcome, &blames);
        assert_eq!(result.blame, Some(0));
        assert_eq!(
            result.detail,
            "seat 1: time forfeit: it took too long; seat 3: protocol error: it took too long"
        );
    }
}
