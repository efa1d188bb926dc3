//! What happened in a match: facts in sentences, each event once, whichever seats noted it.

use super::names::names_in;
use super::wording::Wording;
use crate::history::{self, FactRow, SessionRow};
use crate::store::types::{EntryId, Side};
use crate::store::{MatchRow, Store, StoreError};
use games::{Fact, Kit, Observed, Seat, happened};
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use utoipa::ToSchema;

/// The maximum number of facts that are shown with one step.
const FACTS_MAX: usize = 64;

/// Something that happened, and the seats that noted it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct StepFact {
    /// The seats, where known.
    pub seats: Vec<u8>,
    /// Its kind and data: the figures of a seat that took part, and what only others know.
    #[serde(flatten)]
    pub fact: Fact,
    /// It in a sentence.
    pub sentence: String,
    /// The seat that the sentence begins with, where it begins with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<u8>,
    /// Whether it is one of the moments that the match turns on.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub turns: bool,
    /// Whether it is routine.
    #[serde(skip)]
    pub routine: bool,
    /// The seat whose figures they are.
    #[serde(skip)]
    pub(super) source: Option<u8>,
}

impl StepFact {
    /// As a seat's transcript shows it.
    pub(super) fn new(seat: Option<u8>, fact: Fact, wording: &Wording<'_>) -> Self {
        let mut new = Self {
            seats: seat.into_iter().collect(),
            sentence: String::new(),
            subject: None,
            turns: wording.turns_on(&fact),
            routine: (wording.kit.card().routine)(&fact),
            fact,
            source: seat,
        };
        new.word(wording);
        new
    }

    /// Puts it into words, also again after something was taken out of its data.
    pub(super) fn word(&mut self, wording: &Wording<'_>) {
        let sentence = wording.sentence(&self.fact, self.source);
        self.subject = wording.names.subject(&sentence);
        self.sentence = wording.names.fill(&sentence);
    }

    /// Adds it to a step's facts, if there is room and it is not there.
    pub(super) fn add_to(self, facts: &mut Vec<Self>) {
        if facts.len() < FACTS_MAX && !facts.contains(&self) {
            facts.push(self);
        }
    }
}

/// Something that happened in a match.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The stored fact of the seat whose figures they are, with what only others know, and players named by seat.
    pub row: FactRow,
    /// The entry that showed it first.
    pub first: Option<EntryId>,
    /// The same in a sentence.
    pub shown: StepFact,
}

/// What happened in a match, each event once, as these sessions' facts show it, in the order in which it showed. Of a seat
/// with several sessions, our referee's transcript counts, else the last one; of the others only what it does not note,
/// such as fallbacks.
fn events(
    kit: &'static dyn Kit,
    row: &MatchRow,
    sessions: &[SessionRow],
    facts: Vec<FactRow>,
) -> Vec<Event> {
    let names = names_in(kit, row, None, true);
    let wording = Wording {
        kit,
        names: &names,
        own: None,
    };
    let counted = Counted::new(sessions);
    let mut rows = counted.rows(facts);
    rows.sort_by_key(|row| (row.entry, row.id));
    let observed = rows.iter().map(|row| {
        let fact = Fact::new(row.kind.clone(), row.data.clone());
        match row.seat.map(Seat) {
            Some(seat) => Observed {
                seat: Some(seat),
                fact: kit.card().seated(fact, seat),
            },
            None => Observed { seat: None, fact },
        }
    });
    let observed: Vec<Observed> = observed.collect();
    let all = counted.0.len() == row.seats.len();
    let found = happened(&observed, all, kit.card().sighting);
    let event = |one: games::Happened| {
        let source = rows.get(one.source)?;
        let shown = StepFact {
            seats: one.seats.iter().map(|seat| seat.0).collect(),
            ..StepFact::new(source.seat, one.fact, &wording)
        };
        Some(Event {
            row: FactRow {
                seats: shown.seats.clone(),
                data: shown.fact.data.clone(),
                ..source.clone()
            },
            first: rows.get(one.first)?.entry,
            shown,
        })
    };
    found.into_iter().filter_map(event).collect()
}

/// Reads what happened in these sessions of a match, as the facts show it that are wanted.
///
/// # Errors
/// [`StoreError::Read`]; [`StoreError::Unknown`] if no game has its name.
pub async fn read_events(
    store: &Store,
    row: &MatchRow,
    sessions: &[SessionRow],
    wanted: fn(&FactRow) -> bool,
) -> Result<Vec<Event>, StoreError> {
    let kit = store.reader().known_kit(&row.game)?;
    let mut noted = history::facts(store.reader(), &row.id).await?;
    let is_theirs = |fact: &FactRow| sessions.iter().any(|one| one.id == fact.session);
    noted.retain(|fact| wanted(fact) && is_theirs(fact));
    Ok(events(kit, row, sessions, noted))
}

/// By seat the session that counts there.
struct Counted<'a>(HashMap<u8, &'a SessionRow>);

impl<'a> Counted<'a> {
    fn new(sessions: &'a [SessionRow]) -> Self {
        let rank = |row: &SessionRow| (row.opened.side == Side::Referee, row.id);
        let mut counted: HashMap<u8, &SessionRow> = HashMap::new();
        for row in sessions {
            let Some(seat) = row.opened.seat else {
                continue;
            };
            let best = counted.entry(seat).or_insert(row);
            if rank(row) > rank(best) {
                *best = row;
            }
        }
        Self(counted)
    }

    fn has(&self, row: &FactRow) -> bool {
        let counted = row.seat.and_then(|seat| self.0.get(&seat));
        counted.is_none_or(|counted| counted.id == row.session)
    }

    /// Their facts, and what others alone note.
    fn rows(&self, facts: Vec<FactRow>) -> Vec<FactRow> {
        let own = facts.iter().filter(|row| self.has(row));
        let noted: HashSet<(Option<u8>, String)> =
            own.map(|row| (row.seat, row.kind.clone())).collect();
        let rows = facts.into_iter();
        rows.filter(|row| self.has(row) || !noted.contains(&(row.seat, row.kind.clone())))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Event, events};
    use crate::history::{FactRow, SessionRow};
    use crate::store::tests::fake::new_session;
    use crate::store::types::{EntryId, Secrecy, SessionId, Side};
    use crate::store::{MatchRow, SeatRow};
    use serde_json::{Value, json};

    /// A session with the number of its seat; our referee's has 10 more.
    fn session(side: Side, seat: u8) -> SessionRow {
        let id = i64::from(seat) + if side == Side::Referee { 10 } else { 0 };
        SessionRow {
            id: SessionId(id),
            opened: new_session(1, side, seat),
            opened_us: 0,
            last_entry: None,
            entries: None,
            ended_us: Some(1),
            cause: None,
            detail: String::new(),
            scores: Vec::new(),
            pruned: false,
            secrecy: Secrecy {
                side,
                bot: String::new(),
                entrant: None,
                over_us: Some(1),
            },
        }
    }

    /// What is made of facts of the referee's sessions (from 10) and of others, by their sessions' numbers.
    fn made(facts: &[(i64, &str, Value)]) -> Vec<Event> {
        let referees = (0..4).map(|seat| session(Side::Referee, seat));
        let own = (0..4).map(|seat| session(Side::Player, seat));
        let sessions: Vec<SessionRow> = own.chain(referees).collect();
        let rows = (1..).zip(facts).map(|(id, (session, kind, data))| FactRow {
            id,
            session: SessionId(*session),
            seat: Some((session % 10) as u8),
            bot: String::new(),
            entry: Some(EntryId(id)),
            kind: (*kind).to_owned(),
            data: data.clone(),
            seats: Vec::new(),
            entrant: None,
        });
        let kit = games::find("koehandel").unwrap();
        let seats = (0..).zip(["ann", "bob", "cid", "dan"]);
        let seats = seats.map(|(seat, name)| SeatRow {
            seat,
            name: Some(name.to_owned()),
            ..SeatRow::default()
        });
        let row = MatchRow {
            seats: seats.collect(),
            ..MatchRow::default()
        };
        events(kit, &row, &sessions, rows.collect())
    }

    #[test]
    fn an_event_that_all_seats_note_in_their_own_words_stands_once() {
        let sale = |buyer: &str, paid: Value| {
            (
                "auction",
                json!({"card": "F", "buyer": buyer, "price": 90, "paid": paid, "free": false}),
            )
        };
        let trade = |winner: &str, loser: &str, own: Value, money: Value| {
            let data = json!({"animal": "I", "count": 2, "challenger": winner, "winner": winner,
                "loser": loser, "own_bids": own, "winner_paid": {"cards": 1, "money": money},
                "loser_paid": {"cards": 1, "money": null}});
            ("trade", data)
        };
        let noted = [
            (10, sale("N", Value::Null)),
            (11, sale("W", Value::Null)),
            (12, sale("S", json!("nttttf"))),
            (2, sale("S", json!("nttttf"))),
            (12, trade("W", "N", json!([]), Value::Null)),
            (13, trade("S", "W", json!(["h"]), json!("h"))),
            (10, trade("E", "S", json!(["n"]), json!("h"))),
        ];
        let facts: Vec<_> = noted
            .into_iter()
            .map(|(at, (kind, data))| (at, kind, data))
            .collect();
        let found = made(&facts);
        let shown: Vec<_> = found
            .iter()
            .map(|one| (one.shown.sentence.as_str(), &one.row.seats))
            .collect();
        let bought = "cid buys the goat for 90, paying 90 in 6 cards";
        let won = "dan wins 2 cows from ann, whom it had challenged; 100 in 1 card against 1 card";
        let (first, second) = (vec![0, 1, 2], vec![0, 2, 3]);
        assert_eq!(shown, [(bought, &first), (won, &second)]);
        let subjects = [&found[0], &found[1]].map(|one| one.shown.subject);
        assert_eq!(subjects, [Some(2), Some(3)]);
        assert_eq!((found[0].row.id, found[0].first), (3, Some(EntryId(1))));
        assert_eq!(
            found[1].row.data["offers"],
            json!({"seat 3": ["h"], "seat 0": ["n"]})
        );
    }

    #[test]
    fn of_a_seat_with_several_sessions_the_referees_counts_and_what_it_does_not_note() {
        let found = made(&[
            (1, "fallback", json!({"cause": "late"})),
            (1, "donkey", json!({"number": 1, "value": 50})),
            (11, "donkey", json!({"number": 1, "value": 50})),
        ]);
        let kinds: Vec<_> = found
            .iter()
            .map(|one| (one.row.kind.as_str(), one.row.session.0))
            .collect();
        assert_eq!(kinds, [("fallback", 1), ("donkey", 11)]);
    }
}
