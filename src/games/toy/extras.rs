//! What tests of the daemon need besides a game: facts, bluffs, models, pictures, and bots that hang or panic.

use drover_game::history::{Bluff, History, MatchFact};
use drover_game::models::Models;
use drover_game::scene::{Names, Picture, Scene, Svg};
use drover_game::sighting::Sighting;
use drover_game::wire::{Fact, Frame, Next, WireError};
use drover_game::{Budget, Progress, Seat};
use serde_json::{Value, json};
use std::sync::OnceLock;

/// Thinks about a question in a bot's place: the bot's name, the question's words, the slice, and the best answer.
type Instead = fn(&str, &str, Budget<'_>, &mut Frame) -> Option<Progress>;

/// What a test has set to think in a bot's place.
pub static INSTEAD: OnceLock<Instead> = OnceLock::new();

pub(crate) fn instead(
    bot: &str,
    ask: &str,
    slice: Budget<'_>,
    best: &mut Frame,
) -> Option<Progress> {
    INSTEAD.get().and_then(|think| think(bot, ask, slice, best))
}

/// Messages that no rule sends: `say X` wants exactly `X`, `bluff BY BID` makes a fact, and `boom` a panic.
pub(crate) fn received(kind: &str, rest: &str, facts: &mut Vec<Fact>) -> Result<Next, WireError> {
    match kind {
        "say" => return Ok(Next::Send(rest.to_owned())),
        "bluff" => {
            let (by, bid) = rest.split_once(' ').unwrap_or(("W", "190"));
            let bid: i64 = bid.parse().unwrap_or_default();
            facts.push(Fact::new("bluff", json!({ "by": by, "bid": bid })));
        }
        "boom" => panic!("boom"),
        _ => return Err(WireError::new("type", "unknown")),
    }
    Ok(Next::Wait)
}

/// All seats note a deal, which is one event.
pub(crate) fn sighting(fact: &Fact, _: Seat) -> Sighting {
    match fact.kind.as_str() {
        "deal" => Sighting::shared(fact, &["number"]),
        _ => Sighting::Own,
    }
}

/// Bluffs are facts.
pub(crate) struct Shown;

impl History for Shown {
    fn bluff(&self, fact: &Fact) -> Option<Bluff> {
        let (by, bid) = (fact.data["by"].as_str()?, fact.data["bid"].as_i64()?);
        Some(Bluff {
            by: by.to_owned(),
            bid,
            held: Some(0),
            caught: bid > 100,
        })
    }
    fn seated(&self, fact: Fact, _: Seat) -> Fact {
        fact
    }
    fn kinds(&self) -> &'static [&'static str] {
        &["bluff"]
    }
    fn match_facts(&self, seats: &[(Seat, Vec<Fact>)]) -> Vec<MatchFact> {
        let each = |(seat, facts): &(Seat, Vec<Fact>)| {
            let bluffs = facts.iter().filter_map(|fact| self.bluff(fact));
            let bluffs = bluffs.map(|bluff| MatchFact {
                kind: "bluff",
                by: Some(*seat),
                bid: Some(bluff.bid),
                held: bluff.held,
                over: Some(bluff.bid),
                caught: Some(bluff.caught),
                ..MatchFact::default()
            });
            bluffs.collect::<Vec<_>>()
        };
        seats.iter().flat_map(each).collect()
    }
}

pub(crate) fn scene(turn: u64, title: String, said: &str) -> Scene {
    Scene::new(turn as u32, title, &json!({ "said": said }))
}

pub(crate) fn picture(state: &Value, _: &Names) -> Option<Picture> {
    Some(Picture {
        width: 10,
        height: 10,
        still: "<rect class=\"s-board\"/>".to_owned(),
        moving: Svg::titled(state["said"].as_str()?).finish(),
    })
}

/// Rivals are known by how often they bluffed.
pub(crate) struct Bluffs;

impl Models for Bluffs {
    fn merge(&self, model: Option<&Value>, evidence: &Value) -> Value {
        let count = |value: &Value| value["bluffs"].as_i64().unwrap_or(0);
        json!({ "bluffs": model.map_or(0, count) + count(evidence) })
    }
    fn show(&self, model: &Value) -> Value {
        json!({ "bluff_rate": { "value": 0.5, "evidence": model["bluffs"], "low": 0.1, "high": 0.9 } })
    }
    fn notes(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("bluff_rate", "How often it is proved."),
            ("other_rate", "Not shown."),
        ]
    }
}
