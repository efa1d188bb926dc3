//! How long each decision of a match took, of what it was allowed: the deadline ledger, move by move.

use super::filters::{Pager, link};
use super::turns::Turns;
use super::view::{answer_time, evidence, millis, seated, small_percent};
use super::visit::Visit;
use crate::api::contents::Wanted;
use crate::api::ledger::{DecisionShown, Ledger};
use crate::api::lists::Rows as _;
use crate::api::matches::MatchShown;
use crate::api::problem::Problem;
use crate::api::sessions::SessionShown;
use crate::history;
use crate::replay::{answers, seat_names};
use crate::store::{EntryId, SessionId, Side};
use games::card::NO_ANSWER;
use games::stats::median;
use games::text::counted;
use jiff::Timestamp;
use std::collections::{BTreeSet, HashSet};

/// The most decisions on one page.
const ROWS_MAX: usize = 50;
/// The share of a limit from which on it matters.
const SHARE_SHOWN: f64 = 0.01;

/// The decisions of a match.
#[derive(Default)]
pub(super) struct Decisions {
    pub(super) rows: Vec<Row>,
    /// All of them, also those that are not in the table.
    pub(super) all: Vec<DecisionShown>,
    /// The entries that asked for them, in our referee's transcripts as well as in the seats' own.
    pub(super) asked: HashSet<EntryId>,
    /// How many come before this page.
    pub(super) first: usize,
    pub(super) pager: Pager,
    /// What it comes to, in a sentence.
    pub(super) words: String,
    /// The same for each player, in the order of the seats' sessions.
    pub(super) players: Vec<Pace>,
    /// The orders in which they are shown, where each leads, and whether it is chosen.
    pub(super) sorts: Vec<(&'static str, String, bool)>,
    /// Whether any took a share of its limit that matters.
    pub(super) limited: bool,
    /// What the game counts, where it does.
    pub(super) turn: &'static str,
    /// Whether thinking was measured of any.
    pub(super) thinks: bool,
}

/// How a player used its time.
pub(super) struct Pace {
    pub(super) who: String,
    pub(super) count: usize,
    /// Half of its answers took no longer.
    pub(super) median: String,
    pub(super) longest: String,
    /// The greatest share of a limit that one of them took.
    pub(super) used: String,
    pub(super) fallbacks: usize,
}

/// A decision.
pub(super) struct Row {
    pub(super) entry: i64,
    /// To that entry in its transcript.
    pub(super) evidence: String,
    /// To why it was so, where our bot decided.
    pub(super) why: Option<String>,
    pub(super) who: String,
    pub(super) session: SessionId,
    at: Timestamp,
    /// The number of its turn.
    pub(super) turn: String,
    /// What was answered, in the game's words, once that was read.
    pub(super) said: String,
    /// From the question's arrival to the answer.
    pub(super) took: String,
    /// The bot's own part of it, where that was measured.
    pub(super) thought: String,
    pub(super) limit: String,
    /// The share of its limit that it took.
    pub(super) used: String,
    pub(super) fallback: bool,
    pub(super) late: bool,
    pub(super) slowest: bool,
}

impl Decisions {
    pub(super) async fn read(visit: &Visit, found: &MatchShown) -> Result<Self, Problem> {
        let listed = Ledger::page(visit, &Wanted::all(&found.id)).await?;
        let sessions = found.sessions.as_deref().unwrap_or_default();
        let asked = listed.items.iter().map(|one| one.entry).collect();
        let all = once(listed.items, sessions);
        let by_turn = visit.value("sort") == Some("order");
        let mut shown: Vec<&DecisionShown> = all.iter().collect();
        shown.sort_by(|one, other| {
            let slower = other.sent_ms.total_cmp(&one.sent_ms);
            match by_turn {
                true => one.at.cmp(&other.at),
                false => other.fallback.cmp(&one.fallback).then(slower),
            }
        });
        // Of equals the first that is shown.
        let times = shown.iter().copied().rev();
        let Some(slowest) = times.max_by(|one, other| one.sent_ms.total_cmp(&other.sent_ms)) else {
            return Ok(Self::default());
        };
        let names = seat_names(&found.seats);
        let rows = shown.into_iter().filter_map(|one| {
            let session = sessions.iter().find(|row| row.id == one.session)?;
            Some(Row {
                entry: one.entry.0,
                evidence: evidence(one.session.0, one.entry.0),
                why: why(&found.id, session).map(|why| format!("{why}entry={}", one.entry.0)),
                who: seated(&names, session.seat, &session.bot),
                session: session.id,
                at: one.at,
                turn: String::new(),
                said: String::new(),
                took: answer_time(one.sent_ms),
                thought: match session.side {
                    Side::Player => millis((one.thought_ms - one.queued_ms).max(0.0)),
                    Side::Referee => String::new(),
                },
                limit: millis(one.limit_ms),
                used: small_percent(used(one)),
                fallback: one.fallback,
                late: used(one) > 1.0,
                slowest: one.id == slowest.id,
            })
        });
        Ok(Self {
            rows: rows.collect(),
            words: in_words(&all, slowest),
            sorts: vec![
                (
                    "fallbacks, then the slowest",
                    link(visit, "sort", ""),
                    !by_turn,
                ),
                ("in order", link(visit, "sort", "order"), by_turn),
            ],
            limited: all.iter().any(|one| used(one) >= SHARE_SHOWN),
            all,
            asked,
            ..Self::default()
        })
    }

    /// Keeps those of the page, and adds when they were, what was answered, and how players used their time.
    pub(super) async fn say(&mut self, visit: &Visit, found: &MatchShown) -> Result<(), Problem> {
        let first: Option<usize> = visit.value("cursor").and_then(|at| at.parse().ok());
        let last = self.rows.len().saturating_sub(1);
        self.first = first.unwrap_or(0).min(last);
        self.thinks = self.rows.iter().any(|row| !row.thought.is_empty());
        self.rows.drain(..self.first);
        let next = self.first + ROWS_MAX;
        self.pager = Pager::new(visit, (self.all.len() > next).then(|| next.to_string()));
        self.rows.truncate(ROWS_MAX);
        if self.rows.is_empty() {
            return Ok(());
        }
        let names = seat_names(&found.seats);
        let players = found.sessions.iter().flatten().filter_map(|session| {
            let own = self.all.iter().filter(|one| one.session == session.id);
            let own: Vec<&DecisionShown> = own.collect();
            pace(&own, seated(&names, session.seat, &session.bot))
        });
        self.players = players.collect();
        let turns = Turns::read(visit, &found.id).await?;
        self.turn = turns.name;
        for row in &mut self.rows {
            row.turn = turns.at(row.at);
        }
        let store = &visit.state.store;
        let row = visit.match_row(&found.id).await?;
        let _turn = visit.turns().wait().await?;
        for session in history::sessions_of(store.reader(), &found.id).await? {
            let shown = self.rows.iter().filter(|row| row.session == session.id);
            let shown: HashSet<EntryId> = shown.map(|row| EntryId(row.entry)).collect();
            if shown.is_empty() {
                continue;
            }
            let answers = answers(store, &row, &session, &shown).await?;
            for decision in &mut self.rows {
                if decision.session == session.id {
                    let said = answers.get(&EntryId(decision.entry));
                    decision.said = said.cloned().unwrap_or_else(|| NO_ANSWER.to_owned());
                }
            }
        }
        Ok(())
    }
}

/// The share of its limit that a decision took.
fn used(one: &DecisionShown) -> f64 {
    one.sent_ms / one.limit_ms.max(1e-3)
}

/// What one player's decisions come to; `None` without any.
fn pace(own: &[&DecisionShown], who: String) -> Option<Pace> {
    let mut times: Vec<f64> = own.iter().map(|one| one.sent_ms).collect();
    let longest = times.iter().copied().max_by(f64::total_cmp)?;
    Some(Pace {
        who,
        count: own.len(),
        median: answer_time(median(&mut times)),
        longest: answer_time(longest),
        used: small_percent(own.iter().map(|one| used(one)).fold(0.0, f64::max)),
        fallbacks: own.iter().filter(|one| one.fallback).count(),
    })
}

/// What all of them come to, in a sentence.
fn in_words(all: &[DecisionShown], slowest: &DecisionShown) -> String {
    format!(
        "{}; the slowest took {} of the {} allowed; {}.",
        counted(all.len(), "decision"),
        answer_time(slowest.sent_ms),
        millis(slowest.limit_ms),
        match all.iter().filter(|one| one.fallback).count() {
            0 => "none was answered by the fallback".to_owned(),
            1 => "one was answered by the fallback".to_owned(),
            count => format!("{count} were answered by the fallback"),
        },
    )
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
