//! What a match starts from and ends with, combined from the host and the request.

use super::match_info::{HostedMatch, MatchEnd, MatchInfo, MatchRequest};
use super::numbers::Numbers;
use crate::clock::now_us;
use crate::referee::record::log::MatchLog;
use crate::referee::seat::OwnAddress;
use crate::referee::seat::seat_spec::{SeatSpec, SeatSpecError};
use crate::simulated;
use crate::store::types::{MatchResult, MatchRow};
use games::Kit;
use serde_json::Value;
use std::sync::{Arc, OnceLock};

/// Failures in a row after which a player is a filler, where the game has no such option.
const FAILURES_MAX: u16 = 10;

pub(in crate::referee) fn hosted(info: MatchInfo, log: MatchLog) -> Arc<HostedMatch> {
    Arc::new(HostedMatch {
        info,
        log: Arc::new(log),
        end: OnceLock::new(),
    })
}

/// How many seats a match of the game has.
pub(in crate::referee) fn seats(kit: &dyn Kit) -> usize {
    *kit.card().seats.end()
}

/// What is known of a new match. Missing seats are fillers.
pub(in crate::referee) fn new_info(
    kit: &dyn Kit,
    request: &MatchRequest,
    numbers: Numbers,
    own: Option<&OwnAddress>,
) -> MatchInfo {
    let spec = |place| {
        request
            .seats
            .get(place)
            .cloned()
            .unwrap_or_else(SeatSpec::filler)
    };
    let name = |place| request.names.get(place).cloned().flatten();
    MatchInfo {
        match_id: simulated::ulid().to_string(),
        game: kit.card().name.to_owned(),
        market: numbers.market,
        ids: numbers.ids,
        seats: (0..seats(kit))
            .map(|place| OwnAddress::kept(own, &spec(place)))
            .collect(),
        names: (0..seats(kit)).map(name).collect(),
        started_us: now_us(),
    }
}

/// Each seat's number on the wire where not drawn: `seats` per market, hence unique if markets are.
pub(in crate::referee) fn ids(market: u64, seats: usize) -> Vec<u64> {
    let first = (market - 1) * seats as u64 + 1;
    (0..seats as u64).map(|seat| first + seat).collect()
}

pub(in crate::referee) fn specs(row: &MatchRow) -> Result<Vec<SeatSpec>, SeatSpecError> {
    row.seats.iter().map(|seat| seat.spec.parse()).collect()
}

pub(in crate::referee) fn result(end: &MatchEnd) -> MatchResult {
    let scores = end
        .outcome
        .as_ref()
        .map(|outcome| outcome.scores.values().to_vec());
    MatchResult {
        detail: end.detail.clone(),
        participation: end.participation.clone(),
        ..MatchResult::new(end.at_us, end.cause, scores.unwrap_or_default())
    }
}

/// Rule options with further ones merged over them.
#[must_use]
pub fn merged(ours: &Value, theirs: &Value) -> Value {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => {
            let mut all = ours.clone();
            all.extend(theirs.clone());
            Value::Object(all)
        }
        (ours, Value::Null) => ours.clone(),
        (_, theirs) => theirs.clone(),
    }
}

/// The seeds of the bots in this process, by seat; 0 for others.
pub(super) fn bot_seeds(seed: u64, specs: &[SeatSpec]) -> Vec<u64> {
    let seeds = (0u64..).zip(specs).map(|(place, spec)| match spec {
        _ if spec.is_ours() && !spec.is_filler() => seed.wrapping_add(place),
        _ => 0,
    });
    seeds.collect()
}

/// A seed that every JSON reader reads as the same number.
pub(in crate::referee) fn drawn_seed() -> u64 {
    (simulated::ulid().random() & ((1 << 53) - 1)) as u64
}

/// A23's bound: the match's own option, else the game's default, else [`FAILURES_MAX`].
pub(in crate::referee) fn failures_max(kit: &dyn Kit, setup: &Value) -> u16 {
    let name = "failures_max";
    let own = setup
        .get("options")
        .and_then(|options| options.get(name))
        .and_then(Value::as_u64);
    let card = kit.card().options.iter().find(|card| card.name == name);
    own.or_else(|| card?.default.parse().ok())
        .and_then(|bound| u16::try_from(bound).ok())
        .unwrap_or(FAILURES_MAX)
}
