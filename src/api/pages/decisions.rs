//! How long each decision of a match took, of what it was allowed: the deadline ledger, move by move.

use super::view::{evidence, micros, seated};
use super::visit::Visit;
use crate::api::contents::Wanted;
use crate::api::ledger::{DecisionShown, Ledger};
use crate::api::lists::Rows as _;
use crate::api::matches::MatchShown;
use crate::api::problem::Problem;
use crate::api::sessions::SessionShown;
use crate::replay::seat_names;
use crate::store::Side;
use games::text::counted;
use std::collections::BTreeSet;

/// The most decisions in the table: the fallbacks, then the slowest.
const ROWS_MAX: usize = 250;

/// The decisions of a match.
#[derive(Default)]
pub(super) struct Decisions {
    pub(super) rows: Vec<Row>,
    /// How many there are.
    pub(super) count: usize,
    /// What it comes to, in a sentence.
    pub(super) words: String,
}

/// A decision.
pub(super) struct Row {
    pub(super) entry: i64,
    /// To that entry in its transcript.
    pub(super) evidence: String,
    /// To why it was so, where our bot decided.
    pub(super) why: Option<String>,
    pub(super) who: String,
    pub(super) took: String,
    pub(super) limit: String,
    /// The share of its limit that it took per cent, and as the width of a bar of 200, unless it would be empty.
    pub(super) used: String,
    pub(super) width: Option<String>,
    pub(super) fallback: bool,
    pub(super) late: bool,
    pub(super) slowest: bool,
}

impl Decisions {
    pub(super) async fn read(visit: &Visit, found: &MatchShown) -> Result<Self, Problem> {
        let listed = Ledger::page(visit, &Wanted::all(&found.id)).await?;
        let sessions = found.sessions.as_deref().unwrap_or_default();
        let all = once(listed.items, sessions);
        let used = |one: &DecisionShown| one.sent_ms / one.limit_ms.max(1e-3);
        let by_time =
            |one: &&DecisionShown, other: &&DecisionShown| one.sent_ms.total_cmp(&other.sent_ms);
        let Some(slowest) = all.iter().max_by(by_time) else {
            return Ok(Self::default());
        };
        let mut shown: Vec<&DecisionShown> = all.iter().collect();
        shown.sort_by(|one, other| {
            let first = other.fallback.cmp(&one.fallback);
            first.then(other.sent_ms.total_cmp(&one.sent_ms))
        });
        shown.truncate(ROWS_MAX);
        let fallbacks = all.iter().filter(|one| one.fallback).count();
        let words = format!(
            "{}; the slowest took {} of {}; {}.",
            counted(all.len(), "decision"),
            micros((slowest.sent_ms * 1e3) as u64),
            micros((slowest.limit_ms * 1e3) as u64),
            match fallbacks {
                0 => "none was answered by the fallback".to_owned(),
                1 => "one was answered by the fallback".to_owned(),
                count => format!("{count} were answered by the fallback"),
            },
        );
        let names = seat_names(&found.seats);
        let rows = shown.into_iter().filter_map(|one| {
            let session = sessions.iter().find(|row| row.id == one.session)?;
            Some(Row {
                entry: one.entry.0,
                evidence: evidence(one.session.0, one.entry.0),
                why: why(&found.id, session).map(|why| format!("{why}entry={}", one.entry.0)),
                who: seated(&names, session.seat, &session.bot),
                took: micros((one.sent_ms * 1e3) as u64),
                limit: micros((one.limit_ms * 1e3) as u64),
                used: format!("{:.1}", 100.0 * used(one)),
                width: bar(used(one)),
                fallback: one.fallback,
                late: used(one) > 1.0,
                slowest: one.id == slowest.id,
            })
        });
        Ok(Self {
            rows: rows.collect(),
            count: all.len(),
            words,
        })
    }
}

/// The width of a share's bar of 200; `None` below 0.1 %.
fn bar(share: f64) -> Option<String> {
    (share >= 1e-3).then(|| format!("{:.1}", (200.0 * share).clamp(1.0, 200.0)))
}

/// Each decision once: our referee's times of a seat are left out where the seat's own are known.
fn once(mut all: Vec<DecisionShown>, sessions: &[SessionShown]) -> Vec<DecisionShown> {
    let of = |one: &DecisionShown| sessions.iter().find(|row| row.id == one.session);
    let own: BTreeSet<Option<u8>> = all
        .iter()
        .filter_map(of)
        .filter(|row| row.side == Side::Player)
        .map(|row| row.seat)
        .collect();
    all.retain(|one| {
        of(one).is_some_and(|row| row.side == Side::Player || !own.contains(&row.seat))
    });
    all
}

/// Whether one of our bots decided in a session.
pub(super) fn is_ours(session: &SessionShown) -> bool {
    session.side == Side::Player || session.bot.starts_with("builtin:")
}

/// Where the decisions of a session are explained, up to the parameters; `None` if none of our bots decided.
pub(super) fn why(id: &str, session: &SessionShown) -> Option<String> {
    let open = is_ours(session) && session.withheld.is_none() && !session.pruned;
    open.then(|| match session.seat {
        Some(seat) => format!("/matches/{id}/seats/{seat}/explain?"),
        None => format!("/matches/{id}/seats/0/explain?session={}&", session.id.0),
    })
}

#[cfg(test)]
mod tests {
    use super::bar;

    #[test]
    fn a_bar_that_would_be_empty_is_none() {
        for (share, width) in [
            (0.0, None),
            (0.000_9, None),
            (0.002, Some("1.0")),
            (0.5, Some("100.0")),
            (7.0, Some("200.0")),
        ] {
            assert_eq!(bar(share).as_deref(), width, "{share}");
        }
    }
}
