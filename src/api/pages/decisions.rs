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
use games::sentence::listed;
use games::stats::median;
use games::text::counted;
use jiff::Timestamp;
use std::collections::{BTreeSet, HashSet};
use std::ops::RangeInclusive;

/// The most rows on one page, and the most decisions in them.
const ROWS_MAX: usize = 50;
const READ_MAX: usize = 500;
/// From how many on the same answers in a row are one row.
const ALIKE_MIN: usize = 4;
/// Runs of turns that such a row names.
const SPANS_MAX: usize = 3;
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
    /// How many come before this page, and up to its end.
    pub(super) first: usize,
    pub(super) last: usize,
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
    /// Whether they stand in the order of the match.
    by_turn: bool,
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

/// A decision, or several with the same answer.
#[derive(Clone)]
pub(super) struct Row {
    pub(super) entry: i64,
    /// To that entry in its transcript.
    pub(super) evidence: String,
    /// To why it was so, where our bot decided.
    pub(super) why: Option<String>,
    pub(super) who: String,
    session: SessionId,
    pub(super) seat: Option<u8>,
    /// When it was asked for.
    pub(super) at: Timestamp,
    /// The number of its turn.
    pub(super) turn: String,
    /// What was answered, in the game's words, once that was read.
    pub(super) said: String,
    /// How many decisions it stands for.
    pub(super) times: usize,
    sent_ms: f64,
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
        let slower =
            |one: &&DecisionShown, other: &&DecisionShown| one.sent_ms.total_cmp(&other.sent_ms);
        let Some(slowest) = all.iter().max_by(slower) else {
            return Ok(Self::default());
        };
        let names = seat_names(&found.seats);
        let rows = all.iter().filter_map(|one| {
            let session = sessions.iter().find(|row| row.id == one.session)?;
            let who = seated(&names, session.seat, &session.bot);
            Some(Row::new(&found.id, one, session, who))
        });
        let mut rows: Vec<Row> = rows.collect();
        sort(&mut rows, by_turn);
        let longest = answer_time(slowest.sent_ms);
        // Of equals the first that is shown.
        if let Some(row) = rows.iter_mut().find(|row| row.took == longest) {
            row.slowest = true;
        }
        Ok(Self {
            rows,
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
            by_turn,
            ..Self::default()
        })
    }

    /// Keeps those of the page, and adds when they were, what was answered, and how players used their time.
    pub(super) async fn say(&mut self, visit: &Visit, found: &MatchShown) -> Result<(), Problem> {
        let count = self.rows.len();
        self.begin(visit.first_row());
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
        self.end();
        let next = (self.last < count).then(|| self.last.to_string());
        self.pager = Pager::new(visit, next);
        Ok(())
    }

    /// Keeps those from this one on whose answers are to be read.
    fn begin(&mut self, first: usize) {
        self.first = first.min(self.rows.len().saturating_sub(1));
        self.last = self.first;
        self.thinks = self.rows.iter().any(|row| !row.thought.is_empty());
        self.rows.drain(..self.first);
        self.rows.truncate(READ_MAX);
    }

    /// Folds those whose answers are read, and keeps a page of rows.
    fn end(&mut self) {
        self.rows = folded(&self.rows, self.by_turn);
        self.rows.truncate(ROWS_MAX);
        self.last = self.first + self.rows.iter().map(|row| row.times).sum::<usize>();
    }

    /// Whether a row stands for several decisions.
    pub(super) fn folds(&self) -> bool {
        self.rows.iter().any(|row| row.times > 1)
    }
}

impl Row {
    /// A decision as it is stored: neither its turn nor what was answered is read yet.
    fn new(id: &str, one: &DecisionShown, session: &SessionShown, who: String) -> Self {
        Self {
            entry: one.entry.0,
            evidence: evidence(one.session.0, one.entry.0),
            why: why(id, session).map(|why| format!("{why}entry={}", one.entry.0)),
            who,
            session: session.id,
            seat: session.seat,
            at: one.at,
            turn: String::new(),
            said: String::new(),
            times: 1,
            sent_ms: one.sent_ms,
            took: answer_time(one.sent_ms),
            thought: match session.side {
                Side::Player => answer_time((one.thought_ms - one.queued_ms).max(0.0)),
                Side::Referee => String::new(),
            },
            limit: millis(one.limit_ms),
            used: small_percent(used(one)),
            fallback: one.fallback,
            late: used(one) > 1.0,
            slowest: false,
        }
    }

    /// Whether nothing sets it apart but its answer.
    fn is_routine(&self) -> bool {
        !(self.fallback || self.late || self.slowest) && self.said != NO_ANSWER
    }
}

/// In the order of the match, or the fallback's first and then by time: those whose time is written alike as they were made.
fn sort(rows: &mut [Row], by_turn: bool) {
    rows.sort_by(|one, other| {
        let made = one.at.cmp(&other.at);
        let slower = match one.took == other.took {
            true => made,
            false => other.sent_ms.total_cmp(&one.sent_ms),
        };
        match by_turn {
            true => made,
            false => other.fallback.cmp(&one.fallback).then(slower),
        }
    });
}

/// The turns of these, in short: "2, 4–5", and "…" where there are more.
fn turns_of(run: &[Row]) -> String {
    let numbers: BTreeSet<u32> = run.iter().filter_map(|row| row.turn.parse().ok()).collect();
    let mut spans: Vec<RangeInclusive<u32>> = Vec::new();
    for number in numbers {
        match spans.last_mut() {
            Some(span) if *span.end() + 1 == number => *span = *span.start()..=number,
            _ => spans.push(number..=number),
        }
    }
    let span = |span: &RangeInclusive<u32>| match span.start() == span.end() {
        true => span.start().to_string(),
        false => format!("{}–{}", span.start(), span.end()),
    };
    let shown = spans.iter().take(SPANS_MAX).map(span);
    let more = if spans.len() > SPANS_MAX { " …" } else { "" };
    shown.collect::<Vec<_>>().join(", ") + more
}

/// The same routine answers in a row, such as those of turns in which nobody orders anything, as one row: the slowest of
/// them. By time they also took the same, as it is written.
fn folded(rows: &[Row], by_turn: bool) -> Vec<Row> {
    let alike = |one: &Row, next: &Row| {
        let routine = one.is_routine() && next.is_routine();
        routine && one.said == next.said && (by_turn || one.took == next.took)
    };
    let mut all = Vec::new();
    for run in rows.chunk_by(alike) {
        let slowest = run
            .iter()
            .max_by(|one, other| one.sent_ms.total_cmp(&other.sent_ms));
        match (run, slowest) {
            (_, Some(slowest)) if run.len() >= ALIKE_MIN => {
                let mut players: Vec<String> = Vec::new();
                for row in run {
                    if !players.contains(&row.who) {
                        players.push(row.who.clone());
                    }
                }
                let same = run.iter().all(|row| row.took == slowest.took);
                all.push(Row {
                    turn: turns_of(run),
                    who: listed(&players),
                    times: run.len(),
                    took: match same {
                        true => slowest.took.clone(),
                        false => format!("up to {}", slowest.took),
                    },
                    why: slowest.why.clone().filter(|_| players.len() == 1),
                    ..slowest.clone()
                });
            }
            _ => all.extend_from_slice(run),
        }
    }
    all
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

#[cfg(test)]
pub(super) mod tests {
    use super::{Decisions, READ_MAX, ROWS_MAX, Row, SessionId, Timestamp, folded, sort};

    /// A decision that was asked for by the entry of this number, in as many seconds.
    pub(in super::super) fn row(turn: u32, said: &str, ms: f64) -> Row {
        Row {
            entry: turn.into(),
            evidence: String::new(),
            why: Some(String::new()),
            who: "idle".to_owned(),
            session: SessionId(1),
            seat: Some(0),
            at: Timestamp::from_second(turn.into()).unwrap(),
            turn: turn.to_string(),
            said: said.to_owned(),
            times: 1,
            sent_ms: ms,
            took: format!("{ms} ms"),
            thought: String::new(),
            limit: String::new(),
            used: String::new(),
            fallback: false,
            late: false,
            slowest: ms > 8.0,
        }
    }

    #[test]
    fn turns_without_orders_are_one_row() {
        let shown = |rows: Vec<Row>| {
            let shown = rows.into_iter().map(|row| {
                let Row {
                    turn,
                    who,
                    said,
                    times,
                    took,
                    ..
                } = row;
                format!("{turn}: {who} {said}, {times}, {took}")
            });
            shown.collect::<Vec<_>>()
        };
        let bully = |row: Row| Row {
            who: "bully".to_owned(),
            ..row
        };
        let mut rows = vec![
            row(1, "waits", 9.0),
            row(2, "waits", 1.0),
            bully(row(3, "waits", 3.0)),
            row(4, "waits", 1.0),
            row(5, "waits", 1.0),
            bully(row(6, "sends 1 ship", 1.0)),
            row(7, "waits", 1.0),
            row(8, "waits", 1.0),
            bully(row(9, "waits", 1.0)),
        ];
        let ordered = [
            "1: idle waits, 1, 9 ms",
            "2–5: idle and bully waits, 4, up to 3 ms",
            "6: bully sends 1 ship, 1, 1 ms",
            "7: idle waits, 1, 1 ms",
            "8: idle waits, 1, 1 ms",
            "9: bully waits, 1, 1 ms",
        ];
        assert_eq!(shown(folded(&rows, true)), ordered);
        // By time those that took the same, as it is written, stand as they were made, and are one row, whatever their turns.
        rows[8].sent_ms = 1.4;
        rows.reverse();
        sort(&mut rows, false);
        rows.retain(|row| row.said == "waits");
        let turns = rows.iter().map(|row| &*row.turn).collect::<Vec<_>>();
        assert_eq!(turns.join(" "), "1 3 2 4 5 7 8 9");
        let slowest = [
            "1: idle waits, 1, 9 ms",
            "3: bully waits, 1, 3 ms",
            "2, 4–5, 7–9: idle and bully waits, 6, 1 ms",
        ];
        assert_eq!(shown(folded(&rows, false)), slowest);
    }

    #[test]
    fn a_page_is_limited_in_rows_and_in_decisions() {
        let page = |first: usize, said: fn(u32) -> String| {
            let mut page = Decisions {
                rows: (0..501).map(|turn| row(turn, &said(turn), 1.0)).collect(),
                by_turn: true,
                ..Decisions::default()
            };
            page.begin(first);
            page.end();
            (page.rows.len(), page.last, page.folds())
        };
        assert_eq!(page(0, |_| "waits".to_owned()), (1, READ_MAX, true));
        assert_eq!(page(500, |_| "waits".to_owned()), (1, 501, false));
        let parted = |turn: u32| format!("sends {turn} ships");
        assert_eq!(page(50, parted), (ROWS_MAX, 50 + ROWS_MAX, false));
    }
}
