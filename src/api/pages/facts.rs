//! What happened in a match: its facts in sentences, from every seat that the reader may see.

use super::filters::link;
use super::view;
use super::visit::Visit;
use crate::api::problem::Problem;
use crate::api::replays::{self, Watched};
use crate::replay::{Step, StepFact};
use games::scene::Names;

/// The most facts on one page.
const FACTS_MAX: usize = 40;

/// A match's facts.
#[derive(Default)]
pub(super) struct FactsShown {
    pub(super) kinds: Vec<Choice>,
    pub(super) seats: Vec<Choice>,
    /// To those of all kinds, and of all seats.
    pub(super) all_kinds: String,
    pub(super) all_seats: String,
    /// Whether those are asked for.
    pub(super) any_kind: bool,
    pub(super) any_seat: bool,
    pub(super) facts: Vec<Fact>,
    /// Whether there are some before these.
    pub(super) later: bool,
    pub(super) next: Option<String>,
    /// Why there may be others.
    pub(super) withheld: Option<&'static str>,
}

/// A kind of facts, or a seat that shows some.
pub(super) struct Choice {
    pub(super) name: String,
    pub(super) count: usize,
    pub(super) link: String,
    pub(super) chosen: bool,
}

/// A fact in words.
pub(super) struct Fact {
    pub(super) step: u32,
    pub(super) kind: String,
    pub(super) sentence: String,
    /// Whether the match turns on it.
    pub(super) turns: bool,
    /// Who saw it.
    pub(super) seen_by: String,
    /// To that place of the replay, and of the transcript.
    pub(super) replay: String,
    pub(super) evidence: String,
}

impl FactsShown {
    /// The facts of the kind and seat that are asked for, merged where several seats show the same.
    pub(super) async fn read(visit: &Visit, id: &str, names: &Names) -> Result<Self, Problem> {
        let watched = Watched::read(visit, id, None).await?.or_first();
        let withheld = watched.withheld.then_some(view::WITHHELD);
        let Some(film) = watched.film(visit).await? else {
            return Ok(Self {
                withheld,
                ..Self::default()
            });
        };
        let (kind, seat) = (visit.value("kind"), visit.value("by"));
        let seat: Option<u8> = seat.and_then(|seat| seat.parse().ok());
        let all = || {
            let steps = film.steps().iter();
            steps.flat_map(|step| step.facts.iter().map(move |fact| (step, fact)))
        };
        let is_seat = |fact: &StepFact| seat.is_none_or(|seat| fact.seats.contains(&seat));
        let is_kind = |fact: &StepFact| kind.is_none_or(|kind| fact.fact.kind == kind);
        let first: usize = visit
            .value("cursor")
            .and_then(|at| at.parse().ok())
            .unwrap_or(0);
        let mut wanted = all()
            .filter(|(_, fact)| is_seat(fact) && is_kind(fact))
            .skip(first);
        let facts = wanted.by_ref().take(FACTS_MAX);
        let facts = facts
            .map(|(step, found)| {
                let mut found = found.clone();
                replays::reduce(visit, &film, &mut found);
                fact(step, &found, names)
            })
            .collect();
        let of_seat = all().filter(|(_, fact)| is_seat(fact));
        let kinds =
            of_seat.map(|(_, fact)| (fact.fact.kind.clone(), fact.fact.kind.replace('_', " ")));
        let of_kind = all().filter(|(_, fact)| is_kind(fact));
        let mut seats: Vec<u8> = of_kind.flat_map(|(_, fact)| fact.seats.clone()).collect();
        seats.sort_unstable();
        let seats = seats.into_iter();
        let seats = seats.map(|seat| (seat.to_string(), names.name(seat.into())));
        Ok(Self {
            all_kinds: link(visit, "kind", ""),
            all_seats: link(visit, "by", ""),
            any_kind: kind.is_none(),
            any_seat: seat.is_none(),
            kinds: choices(visit, "kind", kinds),
            seats: choices(visit, "by", seats),
            facts,
            later: first > 0,
            next: wanted
                .next()
                .map(|_| link(visit, "cursor", &(first + FACTS_MAX).to_string())),
            withheld,
        })
    }
}

/// Values of a parameter, each once with its number, in the order in which they first occur.
fn choices(
    visit: &Visit,
    parameter: &str,
    values: impl Iterator<Item = (String, String)>,
) -> Vec<Choice> {
    let mut found: Vec<(String, Choice)> = Vec::new();
    for (value, name) in values {
        match found.iter_mut().find(|(known, _)| *known == value) {
            Some((_, known)) => known.count += 1,
            None => {
                let choice = Choice {
                    name,
                    count: 1,
                    link: link(visit, parameter, &value),
                    chosen: visit.value(parameter) == Some(&value),
                };
                found.push((value, choice));
            }
        }
    }
    found.into_iter().map(|(_, choice)| choice).collect()
}

fn fact(step: &Step, found: &StepFact, names: &Names) -> Fact {
    let entry = step.entry.map(|entry| entry.0);
    let seats = found.seats.iter();
    let seats: Vec<String> = seats.map(|seat| names.name(usize::from(*seat))).collect();
    Fact {
        step: step.step + 1,
        kind: found.fact.kind.replace('_', " "),
        sentence: found.sentence.clone(),
        turns: found.turns,
        seen_by: match seats.len() {
            2.. if seats.len() == names.count() => "everybody".to_owned(),
            _ => seats.join(", "),
        },
        replay: entry.map_or_else(String::new, |entry| view::replay(entry, step.seat)),
        evidence: entry.map_or_else(String::new, |entry| {
            format!("?tab=transcript&cursor={}#e{entry}", entry - 1)
        }),
    }
}
