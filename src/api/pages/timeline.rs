//! The course of a match as a picture: its facts by kind, and how long its decisions took, from its first entry to
//! its last. Each mark leads to its entry: of the transcript, or with a script of the replay.

use super::decisions::Row;
use super::view;
use crate::history::FactRow;
use askama::Template;
use std::collections::BTreeMap;

/// The picture's width and its margins, in its own units.
const WIDTH: f64 = 880.0;
const LEFT: f64 = 112.0;
const RIGHT: f64 = WIDTH - 14.0;
/// From lane to lane, and the height of the lane of times.
const LANE: f64 = 22.0;
const TIMES: f64 = 40.0;
/// The most kinds of facts, and the most marks.
const LANES_MAX: usize = 14;
const MARKS_MAX: usize = 2_000;
/// Colours of the stylesheet.
const COLOURS: usize = 8;

#[derive(Template)]
#[template(path = "pages/timeline.svg", escape = "html")]
struct Timeline<'a> {
    width: f64,
    height: f64,
    left: f64,
    right: f64,
    lanes: Vec<Lane>,
    bars: Vec<Bar>,
    marks: Vec<Mark<'a>>,
}

struct Lane {
    name: String,
    y: f64,
}

/// What a decision took, of its limit.
struct Bar {
    link: String,
    entry: i64,
    seat: String,
    words: String,
    class: &'static str,
    x: String,
    y: String,
    height: String,
}

/// A fact.
struct Mark<'a> {
    link: String,
    entry: i64,
    seat: String,
    kind: &'a str,
    words: String,
    colour: usize,
    x: String,
    y: f64,
}

/// The picture; `None` if there is nothing to be marked.
pub(super) fn picture(facts: &[FactRow], decisions: &[Row]) -> Option<String> {
    let places = facts
        .iter()
        .filter_map(|fact| Some((fact.session.0, fact.entry?.0)));
    let decided = decisions.iter().map(|row| (row.session, row.entry));
    let scales = scales(places.chain(decided))?;
    let x = |session: i64, entry: i64| LEFT + (RIGHT - LEFT) * share(&scales, session, entry);
    let times = if decisions.is_empty() { 0.0 } else { TIMES };
    let kinds = kinds(facts);
    let y = |lane: usize| times + LANE * (lane as f64 + 0.6);
    let mut lanes: Vec<Lane> = Vec::new();
    if times > 0.0 {
        let (name, y) = ("time used".to_owned(), times - 4.0);
        lanes.push(Lane { name, y });
    }
    lanes.extend(kinds.iter().enumerate().map(|(lane, kind)| Lane {
        name: kind.replace('_', " "),
        y: y(lane),
    }));
    let marks = facts.iter().filter_map(|fact| {
        let lane = kinds.iter().position(|kind| *kind == fact.kind)?;
        let entry = fact.entry?.0;
        Some(Mark {
            link: view::evidence(fact.session.0, entry),
            seat: view::or_none(fact.seat),
            kind: &fact.kind,
            entry,
            words: format!(
                "{}: {}",
                fact.kind.replace('_', " "),
                view::value(&fact.data)
            ),
            colour: lane % COLOURS,
            x: format!("{:.1}", x(fact.session.0, entry)),
            y: y(lane),
        })
    });
    let most = decisions.iter().map(|row| row.share).fold(0.0, f64::max);
    let picture = Timeline {
        width: WIDTH,
        height: y(kinds.len()),
        left: LEFT,
        right: RIGHT,
        bars: decisions
            .iter()
            .map(|row| bar(row, x(row.session, row.entry), row.share / most.max(1e-9)))
            .collect(),
        marks: marks.take(MARKS_MAX).collect(),
        lanes,
    };
    picture.render().ok()
}

/// Each session's first entry and last one; transcripts may be stored one after the other, so that each has a scale
/// of its own.
fn scales(places: impl Iterator<Item = (i64, i64)>) -> Option<BTreeMap<i64, (i64, i64)>> {
    let mut scales: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
    for (session, entry) in places {
        let (first, last) = scales.entry(session).or_insert((entry, entry));
        (*first, *last) = (entry.min(*first), entry.max(*last));
    }
    (!scales.is_empty()).then_some(scales)
}

/// Where in its session an entry stands, from 0 to 1.
fn share(scales: &BTreeMap<i64, (i64, i64)>, session: i64, entry: i64) -> f64 {
    let (first, last) = scales.get(&session).copied().unwrap_or((entry, entry));
    (entry - first) as f64 / (last - first).max(1) as f64
}

/// The kinds in the order in which they first occur.
fn kinds(facts: &[FactRow]) -> Vec<&str> {
    let mut kinds: Vec<&str> = Vec::new();
    for fact in facts {
        if kinds.len() < LANES_MAX && !kinds.contains(&fact.kind.as_str()) {
            kinds.push(&fact.kind);
        }
    }
    kinds
}

/// A bar as high as the decision's share of the longest.
fn bar(row: &Row, x: f64, share: f64) -> Bar {
    let height = ((TIMES - 10.0) * share).max(1.0);
    let mut words = format!("{}: {} of {}", row.who, row.took, row.limit);
    if row.fallback {
        words.push_str(", the fallback's answer");
    }
    Bar {
        link: row.evidence.clone(),
        seat: view::or_none(row.seat),
        entry: row.entry,
        words,
        class: if row.fallback || row.late {
            "late"
        } else {
            "time"
        },
        x: format!("{:.1}", x - 1.0),
        y: format!("{:.1}", TIMES - 4.0 - height),
        height: format!("{height:.1}"),
    }
}

/// To the replay at a seat's entry.
pub(super) fn link(entry: i64, seat: Option<u8>) -> String {
    format!("?entry={entry}&seat={}#replay", view::or_none(seat))
}

#[cfg(test)]
mod tests {
    use super::picture;
    use crate::history::FactRow;
    use crate::store::{EntryId, SessionId};
    use serde_json::json;

    #[test]
    fn facts_stand_in_the_lane_of_their_kind_from_first_to_last() {
        let fact = |entry, kind: &str| FactRow {
            id: entry,
            session: SessionId(1),
            seat: Some(0),
            bot: "champion".to_owned(),
            entry: Some(EntryId(entry)),
            kind: kind.to_owned(),
            data: json!({"by": "<W>"}),
            entrant: None,
        };
        let facts = [fact(10, "sale"), fact(15, "bluff"), fact(20, "sale")];
        let svg = picture(&facts, &[]).unwrap();
        for part in [
            r#"cx="112.0" cy="13.2""#,
            r#"cx="489.0" cy="35.2""#,
            r#"cx="866.0" cy="13.2""#,
            "href=\"?session=1&#38;cursor=14#e15\"",
            "bluff: by &#60;W&#62;",
        ] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
        assert!(
            !svg.contains("time used") && !svg.contains("style="),
            "{svg}"
        );
        assert!(picture(&[], &[]).is_none());
    }
}
