//! What happened in a match, each event once: several seats note facts of one event, and know different things of it.

use crate::game::Seat;
use crate::wire::Fact;
use serde_json::Value;
use std::collections::HashMap;

/// What a seat's fact is among those of the match's other seats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sighting {
    /// The seat's own: no other seat notes it.
    Own,
    /// A view of an event that other seats note, too.
    Shared(Shared),
    /// What shows of another seat's doing, which that seat notes exactly: no event where the facts of all seats are there.
    Echo,
}

/// A view of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared {
    /// Facts with equal words are views of one event: each seat's first one of the others' first one, and so on.
    event: String,
    /// Whether the seat took part, so that its figures count.
    knows: bool,
    /// Whether only what a seat noted that took part happened for sure: others conclude it.
    concluded: bool,
    /// Fields that are about the seat rather than the event.
    apart: &'static [&'static str],
}

impl Sighting {
    /// A view of an event whose views have the same kind and agree in these fields.
    #[must_use]
    pub fn shared(fact: &Fact, fields: &[&str]) -> Self {
        let words = fields.iter().map(|name| fact.data[*name].to_string());
        let words: Vec<String> = std::iter::once(fact.kind.clone()).chain(words).collect();
        Self::Shared(Shared {
            event: words.join(" "),
            knows: false,
            concluded: false,
            apart: &[],
        })
    }

    /// The same from a seat that took part, or did not.
    #[must_use]
    pub fn known(mut self, knows: bool) -> Self {
        if let Self::Shared(shared) = &mut self {
            shared.knows = knows;
        }
        self
    }

    /// The same of what others conclude: no event where the facts of all seats are there and none that took part noted it.
    #[must_use]
    pub fn concluded(mut self) -> Self {
        if let Self::Shared(shared) = &mut self {
            shared.concluded = true;
        }
        self
    }

    /// The same with fields that are about the seat: an event that several seats note is without them.
    #[must_use]
    pub fn apart(mut self, fields: &'static [&'static str]) -> Self {
        if let Self::Shared(shared) = &mut self {
            shared.apart = fields;
        }
        self
    }
}

/// A fact as a seat noted it.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    /// The seat, where known.
    pub seat: Option<Seat>,
    /// The fact, its players named by seat ([`crate::GameCard::seated`]).
    pub fact: Fact,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Happened {
    /// The figures of a seat that took part, where one noted it, and what only others know.
    pub fact: Fact,
    /// The seats that noted it, in order.
    pub seats: Vec<Seat>,
    /// The index of its first observation.
    pub first: usize,
    /// The index of the observation whose figures it has.
    pub source: usize,
    /// Whether these are of a seat that took part.
    knows: bool,
    /// Whether it is known from others' conclusions alone.
    concluded: bool,
}

impl Happened {
    fn new(observed: &Observed, at: usize, view: Option<&Shared>) -> Self {
        Self {
            fact: observed.fact.clone(),
            seats: observed.seat.into_iter().collect(),
            first: at,
            source: at,
            knows: view.is_some_and(|view| view.knows),
            concluded: view.is_some_and(|view| view.concluded && !view.knows),
        }
    }

    fn join(&mut self, observed: &Observed, at: usize, view: &Shared) {
        let mut other = observed.fact.clone();
        if view.knows && !self.knows {
            std::mem::swap(&mut self.fact, &mut other);
            (self.source, self.knows, self.concluded) = (at, true, false);
        }
        for data in [&mut self.fact.data, &mut other.data] {
            if let Value::Object(fields) = data {
                fields.retain(|name, _| !view.apart.contains(&name.as_str()));
            }
        }
        fill(&mut self.fact.data, other.data);
        self.seats.extend(observed.seat);
        self.seats.sort_unstable();
        self.seats.dedup();
    }
}

/// What happened, each event once and in the order of its first observation. `all`: every seat's facts are there.
#[must_use]
pub fn happened(
    observed: &[Observed],
    all: bool,
    sighting: fn(&Fact, Seat) -> Sighting,
) -> Vec<Happened> {
    let mut found: Vec<Happened> = Vec::new();
    // How many views of an event each seat has shown, and where the first, second, … such event stands.
    let mut shown: HashMap<(Seat, String), usize> = HashMap::new();
    let mut known: HashMap<(String, usize), usize> = HashMap::new();
    for (at, one) in observed.iter().enumerate() {
        let view = one.seat.map(|seat| (seat, sighting(&one.fact, seat)));
        let (seat, view) = match view {
            Some((_, Sighting::Echo)) if all => continue,
            Some((seat, Sighting::Shared(view))) => (seat, view),
            _ => {
                found.push(Happened::new(one, at, None));
                continue;
            }
        };
        let count = shown.entry((seat, view.event.clone())).or_default();
        let event = (view.event.clone(), *count);
        *count += 1;
        match known.get(&event).and_then(|place| found.get_mut(*place)) {
            Some(event) => event.join(one, at, &view),
            None => {
                known.insert(event, found.len());
                found.push(Happened::new(one, at, Some(&view)));
            }
        }
    }
    found.retain(|one| !(all && one.concluded));
    found
}

/// Adds to a value what another one says beyond it.
fn fill(one: &mut Value, other: Value) {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            for (name, value) in other {
                fill(one.entry(name).or_insert(Value::Null), value);
            }
        }
        (one @ Value::Null, other) => *one = other,
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{Happened, Observed, Sighting, happened};
    use crate::game::Seat;
    use crate::wire::Fact;
    use serde_json::{Value, json};

    fn sighting(fact: &Fact, seat: Seat) -> Sighting {
        match fact.kind.as_str() {
            "sale" => Sighting::shared(fact, &["card"])
                .known(fact.data["buyer"] == seat.0)
                .apart(&["own"]),
            "noise" => Sighting::Echo,
            "bluff" => Sighting::shared(fact, &["by"])
                .known(fact.data["by"] == seat.0)
                .concluded(),
            _ => Sighting::Own,
        }
    }

    fn noted(seat: u8, kind: &str, data: Value) -> Observed {
        Observed {
            seat: Some(Seat(seat)),
            fact: Fact::new(kind, data),
        }
    }

    fn seats(one: &Happened) -> Vec<u8> {
        one.seats.iter().map(|seat| seat.0).collect()
    }

    #[test]
    fn an_event_stands_once_with_the_figures_of_who_took_part() {
        let sale = |price: Value| json!({"card": "F", "buyer": 1, "price": price, "own": price});
        let mut cheap = sale(json!(7));
        cheap["seller"] = json!(2);
        let observed = [
            noted(0, "sale", sale(json!(5))),
            noted(2, "sale", cheap),
            noted(1, "sale", sale(json!(9))),
            // The same again is another event, which one seat has missed.
            noted(1, "sale", sale(json!(4))),
            noted(0, "sale", sale(Value::Null)),
            noted(0, "key", json!({})),
            noted(1, "key", json!({})),
        ];
        let found = happened(&observed, true, sighting);
        let data = json!({"card": "F", "buyer": 1, "price": 9, "seller": 2});
        assert_eq!(
            (seats(&found[0]), &found[0].fact.data),
            (vec![0, 1, 2], &data)
        );
        assert_eq!((found[0].first, found[0].source), (0, 2));
        let data = json!({"card": "F", "buyer": 1, "price": 4});
        assert_eq!((seats(&found[1]), &found[1].fact.data), (vec![0, 1], &data));
        let own: Vec<_> = found[2..].iter().map(seats).collect();
        assert_eq!(own, [[0], [1]]);
    }

    #[test]
    fn what_shows_of_others_is_left_out_where_they_have_noted_it() {
        let observed = [noted(0, "noise", json!({})), noted(1, "bark", json!({}))];
        assert_eq!(happened(&observed, true, sighting).len(), 1);
        assert_eq!(happened(&observed, false, sighting).len(), 2);
        // Nor is what others only conclude, unless who did it has noted it.
        let bluff = |seat, by| noted(seat, "bluff", json!({ "by": by }));
        let observed = [bluff(0, 1), bluff(2, 1), bluff(0, 2), bluff(2, 2)];
        let found = happened(&observed, true, sighting);
        assert_eq!(found.iter().map(seats).collect::<Vec<_>>(), [[0, 2]]);
        assert_eq!(happened(&observed, false, sighting).len(), 2);
        // Where the seat is not known, nothing is joined.
        let unknown = Observed {
            seat: None,
            fact: Fact::new("sale", json!({"card": "F"})),
        };
        let twice = [unknown.clone(), unknown];
        assert_eq!(happened(&twice, true, sighting).len(), 2);
    }
}
