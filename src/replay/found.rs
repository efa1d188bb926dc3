//! What is found at a step of a replay: facts, those that several seats show alike once.

use super::wording::Wording;
use games::Fact;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// The maximum number of facts that are shown with one step.
const FACTS_MAX: usize = 64;

/// A fact, and the seats whose transcripts show it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct StepFact {
    /// The seats, where known.
    pub seats: Vec<u8>,
    /// The fact's kind and data; where its seats know different things that its sentence leaves out, those of one.
    #[serde(flatten)]
    pub fact: Fact,
    /// It in a sentence.
    pub sentence: String,
    /// Whether it is one of the moments that the match turns on.
    #[serde(skip_serializing_if = "is_false")]
    pub turns: bool,
}

fn is_false(truth: &bool) -> bool {
    !truth
}

impl StepFact {
    /// As this seat's transcript shows it.
    pub(super) fn new(seat: Option<u8>, fact: Fact) -> Self {
        Self {
            seats: seat.into_iter().collect(),
            fact,
            sentence: String::new(),
            turns: false,
        }
    }

    /// Adds it to a step's facts: to one that says the same, or as another one.
    pub(super) fn join(mut self, facts: &mut Vec<Self>, wording: &Wording<'_>) {
        self.sentence = wording.sentence(&self.fact, &self.seats);
        let mut known = facts.iter_mut();
        if let Some(known) = known.find(|known| known.is_shown_by(&self, wording)) {
            joined(&mut known.fact.data, self.fact.data);
            known.seats.extend(self.seats);
            known.seats.sort_unstable();
            known.seats.dedup();
            known.sentence = wording.sentence(&known.fact, &known.seats);
        } else if facts.len() < FACTS_MAX {
            facts.push(self);
        }
    }

    /// Whether another fact says the same. Where the words depend on who reads it, those of two readers are two facts.
    fn is_shown_by(&self, other: &Self, wording: &Wording<'_>) -> bool {
        if self.fact.kind != other.fact.kind {
            return false;
        }
        let own = |seat| self.seats.contains(seat);
        if other.seats.is_empty() || other.seats.iter().any(own) {
            return self.fact == other.fact;
        }
        let reads_alike = |fact: &Self, reader: &Self| {
            wording.sentence(&fact.fact, &reader.seats) == fact.sentence
        };
        let same = self.sentence == other.sentence
            || self.leaves_out(other, wording) && other.leaves_out(self, wording);
        same && reads_alike(self, other) && reads_alike(other, self)
    }

    /// Whether its sentence says nothing of that in which another one's data differs.
    fn leaves_out(&self, other: &Self, wording: &Wording<'_>) -> bool {
        let mut fact = self.fact.clone();
        match (&mut fact.data, &other.fact.data) {
            (Value::Object(own), Value::Object(others)) => own.retain(|name, value| {
                let others = others.get(name);
                others.is_none_or(|others| alike(value, others))
            }),
            (own, others) => return alike(own, others),
        }
        wording.sentence(&fact, &self.seats) == self.sentence
    }
}

/// Whether two values say the same wherever both say something.
fn alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Null, _) | (_, Value::Null) => true,
        (Value::Object(one), Value::Object(other)) => {
            let mut one = one.iter();
            one.all(|(name, value)| alike(value, other.get(name).unwrap_or(&Value::Null)))
        }
        (one, other) => one == other,
    }
}

/// Adds to a value what another one says besides it.
fn joined(one: &mut Value, other: Value) {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            for (name, value) in other {
                joined(one.entry(name).or_insert(Value::Null), value);
            }
        }
        (one @ Value::Null, other) => *one = other,
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{StepFact, Wording};
    use games::Fact;
    use games::scene::Names;
    use serde_json::{Value, json};

    /// Whether what seats 0 and 1 show becomes one fact.
    fn is_one(game: &str, kind: &str, shown: [Value; 2]) -> bool {
        let wording = Wording {
            kit: games::find(game).unwrap(),
            names: &Names::by_seat(&["ann", "bob", "cid", "dan"].map(Some)),
            own: None,
        };
        let mut facts = Vec::new();
        for (seat, data) in (0..).zip(shown) {
            StepFact::new(Some(seat), Fact::new(kind, data)).join(&mut facts, &wording);
        }
        facts.len() == 1
    }

    #[test]
    fn facts_about_their_readers_are_theirs_and_others_are_one() {
        let twice = |game, kind, data: Value| is_one(game, kind, [data.clone(), data]);
        let score = json!({"points": 8.75, "penned": 7, "final": true});
        assert!(!twice("smartdog", "score", score));
        assert!(!twice("lighthouses", "key", json!({"lighthouse": [3, 4]})));
        assert!(!twice("planetwars", "fallback", json!({"cause": "late"})));
        let start =
            |player| json!({"cols": 9, "rows": 9, "sheep": 5, "map": "m", "player": player});
        assert!(is_one("smartdog", "start", [start(1), start(2)]));
        let trade = |own: &str, money| {
            json!({"animal": "I", "count": 2, "challenger": "seat 0", "winner": "seat 0", "loser": "seat 1",
                "own_bids": [own], "winner_paid": {"cards": 1, "money": money},
                "loser_paid": {"cards": 1, "money": "h"}})
        };
        let known = [trade("n", Value::Null), trade("h", json!("n"))];
        assert!(is_one("koehandel", "trade", known));
        let sale = |card, bids| json!({"card": card, "buyer": "seat 2", "price": 90, "bids": bids});
        let [low, high] = [20, 90].map(|bid| json!({"seat 2": bid}));
        assert!(is_one(
            "koehandel",
            "auction",
            [sale("F", low.clone()), sale("F", high)]
        ));
        assert!(!is_one(
            "koehandel",
            "auction",
            [sale("F", low.clone()), sale("I", low)]
        ));
    }
}
