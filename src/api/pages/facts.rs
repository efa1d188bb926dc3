//! What happened in a match: its facts in sentences, from every seat that the reader may see, and what no seat notes but
//! the replay's list of steps reports. Routine is shown where it is asked for.

use super::filters::{Pager, link};
use super::view;
use super::visit::Visit;
use crate::api::problem::Problem;
use crate::api::replays::{self, Watched};
use crate::replay::{Step, StepFact};
use games::scene::Names;
use std::collections::HashMap;

/// The most rows on one page.
const FACTS_MAX: usize = 40;
/// Turns from one fact to the next that says the same, up to which they share a row.
const APART_MAX: u32 = 5;

/// A match's facts.
#[derive(Default)]
pub(super) struct FactsShown {
    /// What the game calls a turn.
    pub(super) turn: &'static str,
    pub(super) kinds: Vec<Choice>,
    pub(super) seats: Vec<Choice>,
    /// To those of all kinds, and of all seats.
    pub(super) all_kinds: String,
    pub(super) all_seats: String,
    /// Whether those are asked for.
    pub(super) any_kind: bool,
    pub(super) any_seat: bool,
    pub(super) facts: Vec<Fact>,
    /// Whether one of these was not seen by everybody.
    pub(super) is_partly_seen: bool,
    pub(super) pager: Pager,
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

/// A fact in words, or several in a row that say the same.
pub(super) struct Fact {
    /// The turn, or the first and the last one.
    pub(super) turn: String,
    /// How many they are.
    pub(super) times: usize,
    pub(super) step: u32,
    /// The colour of the player whom the sentence begins with.
    pub(super) colour: Option<&'static str>,
    pub(super) sentence: String,
    /// Whether the match turns on it.
    pub(super) turns: bool,
    /// Who saw it; empty: everybody.
    pub(super) seen_by: String,
    /// Whether no message says it, as the match was over.
    pub(super) unsent: bool,
    /// To that place of the replay, and of the transcript.
    pub(super) replay: String,
    pub(super) evidence: String,
}

impl FactsShown {
    /// The facts of the kind and seat that are asked for, merged where several seats show the same; without either the
    /// highlights.
    pub(super) async fn read(visit: &Visit, id: &str, names: &Names) -> Result<Self, Problem> {
        let watched = Watched::read(visit, id, None).await?.or_first();
        let withheld = watched.withheld.then_some(view::WITHHELD);
        let Some(film) = watched.film(visit).await? else {
            return Ok(Self {
                withheld,
                ..Self::default()
            });
        };
        let chosen = Chosen {
            kind: visit.value("kind"),
            seat: visit.value("by").and_then(|seat| seat.parse().ok()),
        };
        let all = || film.steps().iter().flat_map(|step| &step.facts);
        let first = visit.first_row();
        let last = watched.row.ended_us.and(film.steps().last());
        let end = last.map(|last| last.step);
        let mut wanted = joined(chosen.rows(film.steps(), end))
            .into_iter()
            .skip(first);
        let facts = wanted.by_ref().take(FACTS_MAX);
        let facts: Vec<Fact> = facts
            .map(|run| {
                let unsent = run.found.is_none() && Some(run.step.step) == end;
                let mut found = run.found.cloned();
                if let Some(found) = &mut found {
                    replays::reduce(visit, &film, found);
                }
                fact(&run, found, unsent, names, &watched)
            })
            .collect();
        let of_seat = all().filter(|fact| chosen.is_seat(fact));
        let kinds = of_seat.map(|fact| (fact.fact.kind.clone(), film.kind(&fact.fact.kind)));
        let seats = chosen.seats(all(), names.count()).into_iter();
        let seats = seats.map(|seat| (seat.to_string(), names.name(seat.into())));
        let next = wanted.next().map(|_| (first + FACTS_MAX).to_string());
        let turn = film.turn();
        Ok(Self {
            turn: if turn.is_empty() { "turn" } else { turn },
            all_kinds: link(visit, "kind", ""),
            all_seats: link(visit, "by", ""),
            any_kind: chosen.kind.is_none(),
            any_seat: chosen.seat.is_none(),
            kinds: choices(visit, "kind", kinds),
            seats: choices(visit, "by", seats),
            is_partly_seen: facts.iter().any(|fact| !fact.seen_by.is_empty()),
            facts,
            pager: Pager::new(visit, next),
            withheld,
        })
    }
}

/// Which facts are asked for.
#[derive(Clone, Copy)]
struct Chosen<'a> {
    kind: Option<&'a str>,
    seat: Option<u8>,
}

impl<'a> Chosen<'a> {
    /// Without a kind: whether it is a highlight.
    fn is_kind(self, fact: &StepFact) -> bool {
        let is_kind = |kind: &str| fact.fact.kind == kind;
        self.kind.map_or(!fact.routine, is_kind)
    }

    fn is_seat(self, fact: &StepFact) -> bool {
        self.seat.is_none_or(|seat| fact.seats.contains(&seat))
    }

    /// Who saw those of its kind, fact by fact; empty where everybody did, as nobody asks there.
    fn seats(self, all: impl Iterator<Item = &'a StepFact>, count: usize) -> Vec<u8> {
        let of_kind = all.filter(|fact| self.is_kind(fact));
        let of_kind: Vec<_> = of_kind.map(|fact| &*fact.seats).collect();
        let is_partly_seen = |seats: &&[u8]| !seats.is_empty() && seats.len() < count;
        if self.seat.is_none() && !of_kind.iter().any(is_partly_seen) {
            return Vec::new();
        }
        let mut seats = of_kind.concat();
        seats.sort_unstable();
        seats
    }

    /// These facts, unless a kind is chosen without routine; if a seat is not chosen either, also the news of which no
    /// seat notes one. The step at which a match is over has its news as well: what the last answers lead to is sent
    /// to nobody.
    fn rows(self, steps: &'a [Step], end: Option<u32>) -> impl Iterator<Item = Run<'a>> {
        let all = self.kind.is_none() && self.seat.is_none();
        steps.iter().flat_map(move |step| {
            let is_end = Some(step.step) == end;
            let is_other = |fact: &StepFact| is_end && fact.sentence != step.title;
            let mut facts = step.facts.iter();
            let is_alone = facts.all(|fact| fact.routine || is_other(fact));
            let news = (all && step.news && is_alone).then(|| Run::new(step, None));
            let facts = step.facts.iter();
            let facts = facts.filter(move |fact| self.is_kind(fact) && self.is_seat(fact));
            news.into_iter()
                .chain(facts.map(move |fact| Run::new(step, Some(fact))))
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

/// Rows that share one: the first of them, whether the match turns on it, how many they are, and the turn of the last.
struct Run<'a> {
    step: &'a Step,
    found: Option<&'a StepFact>,
    turns: bool,
    times: usize,
    last: u32,
}

impl<'a> Run<'a> {
    /// A row of its own: a fact of a step, or else the step's news.
    fn new(step: &'a Step, found: Option<&'a StepFact>) -> Self {
        let any = || step.facts.iter().any(|fact| fact.turns);
        Self {
            step,
            found,
            turns: found.map_or_else(any, |found| found.turns),
            times: 1,
            last: step.turn,
        }
    }

    fn says(&self) -> &'a str {
        self.found.map_or(&self.step.title, |found| &found.sentence)
    }
}

/// Rows of the same seats that say the same in turn, each in the place of the first of them. Those of other seats
/// may stand between them.
fn joined<'a>(rows: impl Iterator<Item = Run<'a>>) -> Vec<Run<'a>> {
    let mut runs: Vec<Run<'a>> = Vec::new();
    let mut latest: HashMap<&[u8], usize> = HashMap::new();
    for row in rows {
        let seats = row.found.map_or(&[][..], |found| &*found.seats);
        let known = latest.get(seats).and_then(|at| runs.get_mut(*at));
        let known = known.filter(|run| run.says() == row.says());
        if let Some(run) = known.filter(|run| row.last <= run.last.saturating_add(APART_MAX)) {
            (run.times, run.last, run.turns) = (run.times + 1, row.last, run.turns || row.turns);
            continue;
        }
        latest.insert(seats, runs.len());
        runs.push(row);
    }
    runs
}

/// The turns of a run in words; what was before the first belongs to it.
fn turns_of(run: &Run<'_>) -> String {
    match (run.step.turn.max(1), run.last) {
        (_, 0) => "start".to_owned(),
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first}–{last}"),
    }
}

/// What a seat noted at a step; without that what the step's title says. `unsent`: whether no message says it.
fn fact(
    run: &Run<'_>,
    found: Option<StepFact>,
    unsent: bool,
    names: &Names,
    watched: &Watched,
) -> Fact {
    let step = run.step;
    let entry = step.entry.map(|entry| entry.0);
    let written = watched.session(step).zip(entry);
    let (seats, subject, sentence) = match found {
        Some(found) => (found.seats, found.subject, found.sentence),
        None => (Vec::new(), step.subject, step.title.clone()),
    };
    let seen_by = seats.iter().map(|seat| names.name(usize::from(*seat)));
    Fact {
        turn: turns_of(run),
        times: run.times,
        step: step.step + 1,
        colour: subject.map(|seat| names.colour(seat.into())),
        sentence,
        turns: run.turns,
        seen_by: match seats.len() {
            2.. if seats.len() == names.count() => String::new(),
            _ => seen_by.collect::<Vec<_>>().join(", "),
        },
        unsent,
        replay: entry.map_or_else(String::new, |entry| view::replay(entry, step.seat)),
        evidence: written.map_or_else(String::new, |(session, entry)| {
            view::evidence(session.0, entry)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::{Run, joined, turns_of};
    use crate::replay::{Step, StepFact};

    #[test]
    fn what_is_repeated_within_a_few_turns_is_one_row() {
        let mut fact = StepFact::default();
        fact.turns = true;
        let steps = [1, 2, 7, 13, 14, 15].map(|turn| Step {
            turn,
            title: format!("it is {}", turn == 14),
            facts: vec![fact.clone(); usize::from(turn == 14)],
            ..Step::default()
        });
        let runs = joined(steps.iter().map(|step| Run::new(step, None)));
        let row = |run: &Run<'_>| (run.step.turn, run.last, run.times);
        let rows: Vec<_> = runs.iter().map(row).collect();
        assert_eq!(rows, [(1, 7, 3), (13, 13, 1), (14, 14, 1), (15, 15, 1)]);
        let turning = |run: &Run<'_>| run.turns == (run.last == 14);
        assert!(runs.iter().all(turning), "as facts of that step do");
        // What comes before the first turn is no turn of its own.
        let steps = [0, 0, 1, 4].map(|turn| Step {
            turn,
            ..Step::default()
        });
        let words = |steps: &[Step]| {
            let runs = joined(steps.iter().map(|step| Run::new(step, None)));
            runs.iter().map(turns_of).collect::<Vec<_>>()
        };
        let words = [2, 3, 4].map(|count| words(&steps[..count]).concat());
        assert_eq!(words, ["start", "1", "1–4"]);
    }
}
