//! Why our bot decided as it did, and what it decided: one seat of a stored match.

use super::filters::Pager;
use super::layout::{Shell, shown};
use super::turns::Turns;
use super::view::{self, answer_time, figure, percent};
use super::visit::Visit;
use crate::api::explain;
use crate::api::problem::Problem;
use crate::chart::short;
use crate::clock::time;
use crate::replay::{Decision, Explained, MEASURED_MS, seat_names};
use crate::store::EntryId;
use askama::Template;
use axum::extract::Path;
use axum::response::Response;
use games::reasons::PROBABILITY;
use games::text::counted;
use games::{Belief, Candidate};
use std::collections::BTreeMap;

/// The most decisions on one page, and on either side of one.
const DECISIONS_MAX: usize = 50;
const AROUND: usize = 5;
/// The most letters of an answer in the list.
const SAID_LEN_MAX: usize = 120;
/// The width of a bar.
const BAR: f64 = 200.0;

#[derive(Template)]
#[template(path = "pages/why.html")]
struct Why {
    shell: Shell,
    id: String,
    /// Who sits there, and who all play.
    who: String,
    players: String,
    /// What the game counts, where it does.
    turn: &'static str,
    /// To all decisions.
    all: String,
    /// The decision asked for.
    one: Option<One>,
    /// The command that plays the match on from there.
    play_on: Option<String>,
    before: Option<String>,
    after: Option<String>,
    decisions: Vec<Made>,
    /// To other pages of all decisions.
    pager: Pager,
    /// How many decisions there are, in words.
    count: String,
}

/// A decision with its reasons.
struct One {
    explained: Explained,
    made: Made,
    unit: &'static str,
    candidates: Vec<Weighed>,
    beliefs: Vec<Believed>,
}

impl One {
    /// Whether any candidate has a standard error.
    fn has_errors(&self) -> bool {
        self.candidates.iter().any(|row| !row.error.is_empty())
    }

    /// Whether tries were counted.
    fn has_visits(&self) -> bool {
        self.candidates.iter().any(|row| !row.visits.is_empty())
    }
}

/// A decision as it was made.
struct Made {
    link: String,
    replay: String,
    /// The number of its turn.
    turn: String,
    said: String,
    /// From the question's arrival to the answer.
    took: String,
    /// The bot's own part of it, where that was measured.
    thought: String,
    note: String,
    slowest: bool,
    chosen: bool,
}

/// A candidate with its bar.
struct Weighed {
    act: String,
    plan: String,
    value: String,
    error: String,
    visits: String,
    chosen: bool,
    width: Option<String>,
}

/// A belief in words.
struct Believed {
    about: String,
    what: String,
    value: String,
    range: String,
}

/// `GET /matches/{id}/seats/{seat}/explain`
pub(super) async fn page(
    Path((id, seat)): Path<(String, String)>,
    visit: Visit,
) -> Result<Response, Problem> {
    let wanted = visit.read::<explain::Wanted>(&["cursor"])?;
    let (decisions, explained, heir) =
        explain::found(&visit, [&id, &seat], &wanted, |read, entry, nodes| {
            let decisions = read.decisions()?;
            let explained = entry.map(|entry| read.explain(near(&decisions, entry), nodes));
            Ok((decisions, explained.transpose()?, read.heir()))
        })
        .await?;
    let turns = Turns::read(&visit, &id).await?;
    let seats = visit.match_row(&id).await?.seats;
    let names = seat_names(&seats);
    let players = seats.iter().map(|row| names.name(row.seat.into()));
    let who = seat
        .parse()
        .map_or_else(|_| seat.clone(), |seat| names.name(seat));
    let session = visit.value("session");
    let all = session.map_or("?".to_owned(), |session| format!("?session={session}&"));
    let to = |decision: &Decision| format!("{all}entry={}", decision.entry.0);
    let asked = explained.as_ref().map(|one| one.decision.entry);
    let at = decisions.iter().position(|one| Some(one.entry) == asked);
    let next_to = |at: Option<usize>| at.and_then(|at| decisions.get(at)).map(to);
    let slowest = slowest(&decisions);
    let made = |one: &Decision| Made {
        chosen: Some(one.entry) == asked,
        slowest: slowest == Some(one.entry),
        replay: view::replay(one.entry.0, seat.parse().ok()),
        turn: turns.at(time(one.at_us)),
        ..made(one, to(one))
    };
    let listed = Listed::new(&visit, decisions.len(), at, &all);
    let near = decisions.iter().skip(listed.first).take(listed.most);
    let play_on = asked.zip(heir).map(|(entry, heir)| {
        // As it is typed there: from 1.
        let seat = u16::from(seat.parse::<u8>().unwrap_or_default()) + 1;
        format!("drover play --from {id}:{} --seat {seat}={heir}", entry.0)
    });
    shown(&Why {
        play_on,
        shell: visit.shell(format!("Why: {who}"), "/matches"),
        before: next_to(at.and_then(|at| at.checked_sub(1))),
        after: next_to(at.map(|at| at + 1)),
        decisions: near.map(made).collect(),
        pager: listed.pager,
        count: counted(decisions.len(), "decision"),
        one: explained.map(|explained| one(explained, made)),
        players: players.collect::<Vec<_>>().join(" – "),
        turn: turns.name,
        all: listed.all,
        id,
        who,
    })
}

/// Which of a seat's decisions are listed: those around the one that is asked for, or a page of all.
struct Listed {
    first: usize,
    most: usize,
    pager: Pager,
    /// To the page with it, or the first one.
    all: String,
}

impl Listed {
    fn new(visit: &Visit, count: usize, at: Option<usize>, all: &str) -> Self {
        let whole = all.trim_end_matches('&').to_owned();
        if let Some(at) = at {
            return Self {
                first: at.saturating_sub(AROUND),
                most: 2 * AROUND + 1,
                pager: Pager::default(),
                all: match at / DECISIONS_MAX * DECISIONS_MAX {
                    0 => whole,
                    page => format!("{all}cursor={page}"),
                },
            };
        }
        let first = visit.first_row().min(count.saturating_sub(1));
        let end = count.min(first + DECISIONS_MAX);
        let mut pager = Pager::new(visit, (end < count).then(|| end.to_string()));
        if count > DECISIONS_MAX {
            pager.range = format!("{}–{end} of {count}", first + 1);
        }
        Self {
            first,
            most: DECISIONS_MAX,
            pager,
            all: whole,
        }
    }
}

/// The decision that this entry asks for, or the last one before it: what a replay shows may stand in another
/// transcript of the seat, and between two decisions.
fn near(decisions: &[Decision], entry: EntryId) -> EntryId {
    let before = decisions.partition_point(|one| one.entry <= entry);
    let near = decisions.get(before.saturating_sub(1));
    near.map_or(entry, |one| one.entry)
}

/// The one that took longest, where that was measured.
fn slowest(decisions: &[Decision]) -> Option<EntryId> {
    let times = decisions.iter();
    let times = times.filter_map(|one| Some((one.took_ms?, one.entry)));
    let times = times.filter(|(ms, _)| *ms >= MEASURED_MS);
    let slowest = times.max_by(|one, other| one.0.total_cmp(&other.0));
    slowest.map(|(_, entry)| entry)
}

fn one(explained: Explained, made: impl Fn(&Decision) -> Made) -> One {
    let explanation = &explained.explanation;
    let values = explanation.candidates.iter().filter_map(|one| one.value);
    let (low, high) = values.fold((0f64, 0f64), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    let scale = |value: f64| format!("{:.1}", BAR * (value - low) / (high - low).max(1e-9));
    One {
        made: made(&explained.decision),
        unit: explained.value_unit,
        candidates: explanation
            .candidates
            .iter()
            .map(|candidate| weighed(candidate, scale))
            .collect(),
        beliefs: believed(&explanation.beliefs),
        explained,
    }
}

fn made(one: &Decision, link: String) -> Made {
    Made {
        link,
        replay: String::new(),
        turn: String::new(),
        said: short(&one.words, SAID_LEN_MAX),
        took: one.took_ms.map_or_else(String::new, answer_time),
        thought: one.thought_ms.map_or_else(String::new, answer_time),
        note: one.note.replace('_', " "),
        slowest: false,
        chosen: false,
    }
}

fn weighed(candidate: &Candidate, scale: impl Fn(f64) -> String) -> Weighed {
    Weighed {
        act: candidate.words.clone(),
        plan: candidate.plan.clone(),
        value: candidate.value.map_or_else(String::new, figure),
        error: candidate
            .error
            .map_or_else(String::new, |error| format!("± {}", figure(error))),
        visits: candidate
            .visits
            .map_or_else(String::new, |visits| visits.to_string()),
        chosen: candidate.chosen,
        width: candidate.value.map(scale),
    }
}

impl Believed {
    /// Says what another one says as well, where only the last word parts them: "proved" and "believed".
    fn took_in(&mut self, other: &Self) -> bool {
        let same = self.about == other.about && self.value == other.value;
        let parts = self.what.split_once(", ").zip(other.what.split_once(", "));
        let last = parts.filter(|((one, _), (other, _))| one == other);
        let Some((_, (_, last))) = last.filter(|_| same && self.range == other.range) else {
            return false;
        };
        self.what.push_str(" and ");
        self.what.push_str(last);
        true
    }
}

/// Amounts and shares within a range, each in its line, or in one where several of a kind are equal. How likely things of
/// one kind are, such as types, is one line, the likeliest first.
fn believed(beliefs: &[Belief]) -> Vec<Believed> {
    let likely = |belief: &&Belief| belief.unit == PROBABILITY && belief.low.is_none();
    let amounts = beliefs.iter().filter(|belief| !likely(belief));
    let mut all: Vec<Believed> = amounts.map(amount).collect();
    all.dedup_by(|next, one| one.took_in(next));
    let mut kinds: BTreeMap<(&str, &str), Vec<(f64, &str)>> = BTreeMap::new();
    for belief in beliefs.iter().filter(likely) {
        let (kind, what) = belief.what.split_once(' ').unwrap_or(("", &belief.what));
        let listed = kinds.entry((&belief.who, kind)).or_default();
        listed.push((belief.value, what));
    }
    all.extend(kinds.into_iter().map(|((about, kind), mut listed)| {
        listed.sort_by(|one, other| other.0.total_cmp(&one.0));
        let listed = listed
            .iter()
            .map(|(value, what)| format!("{what} {}", percent(*value)));
        let listed = listed.collect::<Vec<_>>().join(", ");
        Believed {
            about: about.to_owned(),
            what: format!("{kind} {listed}").trim().to_owned(),
            value: String::new(),
            range: String::new(),
        }
    }));
    all
}

/// How likely something is, with the interval of that; of an amount what it is between, and what the bot assumes.
fn amount(belief: &Belief) -> Believed {
    let range = |figure: fn(f64) -> String| match (belief.low, belief.high) {
        (Some(low), Some(high)) if low < high => format!("{} to {}", figure(low), figure(high)),
        (Some(low), None) => format!("at least {}", figure(low)),
        (None, Some(high)) => format!("at most {}", figure(high)),
        _ => String::new(),
    };
    let (value, unit) = (figure(belief.value), &belief.unit);
    let (value, range) = match belief.unit == PROBABILITY {
        true => (percent(belief.value), range(percent)),
        false => match range(figure) {
            range if range.is_empty() => (format!("{value} {unit}"), range),
            range => (format!("{range} {unit}"), format!("it assumes {value}")),
        },
    };
    Believed {
        about: belief.who.clone(),
        what: belief.what.clone(),
        value,
        range,
    }
}

#[cfg(test)]
mod tests {
    use super::believed;
    use games::Belief;

    #[test]
    fn what_is_believed_alike_is_one_line_and_a_range_only_where_it_is_one() {
        let mut beliefs = vec![
            Belief::amount("E", "cash", 10.0, "money").within(10.0, 10.0),
            Belief::amount("E", "cash (certain bounds)", 50.0, "money").within(10.0, 50.0),
            Belief::amount("E", "bluffs, proved", 0.125, "probability").within(0.05, 0.3),
            Belief::amount("E", "bluffs, believed", 0.125, "probability").within(0.05, 0.3),
            Belief::amount("E", "bluffs, guessed", 0.125, "probability").within(0.05, 0.4),
            Belief::likely("E", "type calm", 0.25),
            Belief::likely("E", "type bold", 0.75),
        ];
        beliefs
            .iter_mut()
            .for_each(|one| one.who = "face".to_owned());
        let rows = believed(&beliefs);
        let rows = rows
            .iter()
            .map(|row| [&*row.what, &*row.value, &*row.range]);
        let expected = [
            ["cash", "10 money", ""],
            ["cash (certain bounds)", "10 to 50 money", "it assumes 50"],
            [
                "bluffs, proved and believed",
                "12.5\u{a0}%",
                "5.0\u{a0}% to 30.0\u{a0}%",
            ],
            [
                "bluffs, guessed",
                "12.5\u{a0}%",
                "5.0\u{a0}% to 40.0\u{a0}%",
            ],
            ["type bold 75.0\u{a0}%, calm 25.0\u{a0}%", "", ""],
        ];
        assert!(rows.eq(expected));
    }
}
