//! What the matches of a tournament have taught built-in bots of their rivals.

use crate::history::TournamentLesson;
use games::{Kit, Learnt};
use serde_json::Value;
use std::collections::BTreeMap;

/// The maximum number of types, further ones being ignored: games whose types are maps may meet any number.
const TYPES_MAX: usize = 1_000;

/// Models of entrants and of learnt types, shared by all built-in bots of a tournament.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Knowledge {
    /// By name.
    entrants: BTreeMap<String, Value>,
    /// By type.
    types: BTreeMap<String, Value>,
}

impl Knowledge {
    /// Adds lessons. Sums depend on their order.
    pub(super) fn add(&mut self, kit: &dyn Kit, lessons: Vec<TournamentLesson>) {
        let Some(models) = kit.card().models else {
            return;
        };
        let merge = |known: &mut BTreeMap<String, Value>, name: String, evidence: &Value| {
            let merged = models.merge(known.get(&name), evidence);
            known.insert(name, merged);
        };
        for lesson in lessons {
            let TournamentLesson {
                entrant,
                kind,
                evidence,
            } = lesson;
            if let Some(name) = entrant {
                merge(&mut self.entrants, name, &evidence);
            }
            let fits =
                |kind: &String| self.types.contains_key(kind) || self.types.len() < TYPES_MAX;
            if let Some(kind) = kind.filter(fits) {
                merge(&mut self.types, kind, &evidence);
            }
        }
    }

    /// What a bot on each seat knows of this match's players, whose names are given by seat.
    pub(super) fn of_seats(&self, kit: &dyn Kit, names: &[Option<String>]) -> Vec<Learnt> {
        let types: Vec<(String, Value)> = self.types.clone().into_iter().collect();
        let seats = 0..names.len();
        let of_seat = |seat: usize| {
            let rivals = (1..names.len()).filter_map(|clockwise| {
                let name = names.get((seat + clockwise) % names.len())?.as_ref()?;
                let place = kit.card().places.word(u8::try_from(clockwise).ok()?)?;
                Some((place.to_owned(), self.entrants.get(name)?.clone()))
            });
            Learnt {
                rivals: rivals.collect(),
                types: types.clone(),
            }
        };
        seats.map(of_seat).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Knowledge, TYPES_MAX};
    use crate::history::TournamentLesson;
    use games::Kit;
    use serde_json::{Value, json};

    fn koehandel() -> &'static dyn Kit {
        games::find("koehandel").unwrap()
    }

    fn lesson(entrant: &str, kind: Option<&str>, matches: u32) -> TournamentLesson {
        TournamentLesson {
            entrant: Some(entrant.to_owned()),
            kind: kind.map(str::to_owned),
            evidence: json!({ "version": 1, "matches": matches }),
        }
    }

    fn matches(model: &Value) -> f64 {
        model["matches"].as_f64().unwrap()
    }

    #[test]
    fn each_seat_learns_who_sits_where_as_far_as_they_are_known() {
        let mut knowledge = Knowledge::default();
        let lessons = vec![
            lesson("ann", Some("bold"), 1),
            lesson("bob", None, 2),
            lesson("ann", Some("shy"), 4),
        ];
        knowledge.add(koehandel(), lessons);
        let names = ["ann", "bob", "cid"].map(|name| Some(name.to_owned()));
        let names: Vec<_> = names.into_iter().chain([None]).collect();
        let learnt = knowledge.of_seats(koehandel(), &names);
        let given = learnt.iter().map(|learnt| {
            let rivals = learnt.rivals.iter();
            rivals
                .map(|(place, model)| (place.as_str(), matches(model)))
                .collect::<Vec<_>>()
        });
        let given: Vec<_> = given.collect();
        assert_eq!(given[0], [("W", 2.0)]);
        assert_eq!(given[1], [("E", 5.0)]);
        assert_eq!(given[2], [("N", 5.0), ("E", 2.0)]);
        assert_eq!(given[3], [("W", 5.0), ("N", 2.0)]);
        for learnt in &learnt {
            let types = learnt.types.iter();
            let types: Vec<_> = types
                .map(|(kind, model)| (kind.as_str(), matches(model)))
                .collect();
            assert_eq!(types, [("bold", 1.0), ("shy", 4.0)]);
        }
    }

    #[test]
    fn no_more_types_than_the_bound_are_learnt() {
        let mut knowledge = Knowledge::default();
        let kinds = (0..=TYPES_MAX).map(|at| lesson("ann", Some(&at.to_string()), 1));
        knowledge.add(koehandel(), kinds.collect());
        assert_eq!(knowledge.types.len(), TYPES_MAX);
        knowledge.add(koehandel(), vec![lesson("ann", Some("0"), 1)]);
        assert_eq!(matches(&knowledge.types["0"]), 2.0);
    }
}
