//! What a match's transcripts show: its facts, as rows and as marks over its course.

use super::filters::link;
use super::timeline;
use super::view;
use super::visit::Visit;
use crate::api::contents::Wanted;
use crate::api::facts::Facts;
use crate::api::lists::Rows as _;
use crate::api::matches::MatchShown;
use crate::api::problem::Problem;
use crate::history::FactRow;

/// The most facts in the table.
const FACTS_MAX: usize = 300;

/// The facts of one session.
#[derive(Default)]
pub(super) struct FactsShown {
    /// Whose facts these are, in words.
    pub(super) of: String,
    pub(super) kinds: Vec<Kind>,
    pub(super) facts: Vec<Fact>,
    /// How many more there are.
    pub(super) more: usize,
    /// Why there may be others.
    pub(super) withheld: Option<&'static str>,
    /// All of them, whatever kind was asked for.
    pub(super) all: Vec<FactRow>,
}

/// A kind of facts.
pub(super) struct Kind {
    pub(super) name: String,
    pub(super) count: usize,
    pub(super) link: String,
    pub(super) chosen: bool,
}

/// A fact in words.
pub(super) struct Fact {
    pub(super) entry: Option<i64>,
    /// To that entry in its transcript.
    pub(super) evidence: String,
    /// To that place of the replay.
    pub(super) replay: String,
    pub(super) seat: String,
    /// Its word, and that as people read it.
    pub(super) word: String,
    pub(super) kind: String,
    pub(super) words: String,
}

impl FactsShown {
    /// The facts of the session asked for, or of the first one that has any: each seat has much the same.
    pub(super) async fn read(visit: &Visit, found: &MatchShown) -> Result<Self, Problem> {
        let listed = Facts::page(visit, &Wanted::all(&found.id)).await?;
        let own = match visit.value("session") {
            Some(session) => session.parse().ok(),
            None => listed.items.first().map(|fact| fact.session.0),
        };
        let mut all = listed.items;
        all.retain(|fact| Some(fact.session.0) == own);
        let kit = visit.state.store.reader().kit(&found.game);
        for row in &mut all {
            if let (Some(kit), Some(seat)) = (kit, row.seat.filter(|_| found.ours)) {
                let fact = games::Fact::new(row.kind.as_str(), std::mem::take(&mut row.data));
                row.data = kit.card().seated(fact, games::Seat(seat)).data;
            }
        }
        let kind = visit.value("kind");
        let wanted = |fact: &&FactRow| kind.is_none_or(|kind| fact.kind == kind);
        Ok(Self {
            of: all.first().map_or_else(String::new, seen_by),
            kinds: kinds(visit, &all),
            facts: all
                .iter()
                .filter(wanted)
                .take(FACTS_MAX)
                .map(fact)
                .collect(),
            more: all.iter().filter(wanted).count().saturating_sub(FACTS_MAX),
            withheld: listed.withheld,
            all,
        })
    }
}

fn kinds(visit: &Visit, rows: &[FactRow]) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = Vec::new();
    for fact in rows {
        match kinds.iter_mut().find(|known| known.name == fact.kind) {
            Some(known) => known.count += 1,
            None => kinds.push(Kind {
                name: fact.kind.clone(),
                count: 1,
                link: format!("{}#facts", link(visit, "kind", &fact.kind)),
                chosen: visit.value("kind") == Some(fact.kind.as_str()),
            }),
        }
    }
    kinds
}

fn fact(row: &FactRow) -> Fact {
    Fact {
        entry: row.entry.map(|entry| entry.0),
        evidence: row
            .entry
            .map_or_else(String::new, |entry| view::evidence(row.session.0, entry.0)),
        replay: row
            .entry
            .map_or_else(String::new, |entry| timeline::link(entry.0, row.seat)),
        seat: view::or_none(row.seat),
        word: row.kind.clone(),
        kind: row.kind.replace('_', " "),
        words: view::value(&row.data),
    }
}

fn seen_by(row: &FactRow) -> String {
    match row.seat {
        Some(seat) => format!("as seat {seat} received it"),
        None => format!("as {} received it", view::player(&row.bot)),
    }
}
