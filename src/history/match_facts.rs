//! Facts of several matches, seat by seat: what the games make the facts of a match from.

use crate::store::rows;
use crate::store::sql::query_as;
use crate::store::types::Side;
use crate::store::{Reader, StoreError};
use games::{Fact, Seat};
use serde_json::json;
use std::collections::{BTreeMap, HashMap};

/// The most facts of one session that are read; a match has a few hundred.
const OF_SESSION_MAX: i64 = 5_000;

const FACTS: &str = "SELECT id, seat, session, side, kind, data FROM (
        SELECT s.match_id AS id, s.seat, f.session, s.side, f.kind, f.data, f.id AS fact,
            row_number() OVER (PARTITION BY f.session ORDER BY f.id) AS place
        FROM json_each($1) w CROSS JOIN sessions s ON s.match_id = w.value CROSS JOIN facts f ON f.session = s.id
        WHERE s.seat IS NOT NULL AND f.kind IN (SELECT value FROM json_each($2))) AS found
    WHERE place <= $3 ORDER BY fact";

/// The facts of these kinds in these matches, by match and seat, each seat's in order: from our referee's transcript of the
/// seat, else from the last of our sessions there. Sessions whose seat is not known are left out.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn facts_by_seat(
    reader: &Reader,
    matches: &[&str],
    kinds: &[&str],
) -> Result<HashMap<String, Vec<(Seat, Vec<Fact>)>>, StoreError> {
    let found: Vec<(String, u8, i64, String, String, String)> = query_as(FACTS)
        .bind(json!(matches).to_string())
        .bind(json!(kinds).to_string())
        .bind(OF_SESSION_MAX)
        .fetch_all(reader.pool())
        .await?;
    // By match, seat and which session counts most there.
    let mut sessions: BTreeMap<(String, u8, (bool, i64)), Vec<Fact>> = BTreeMap::new();
    for (id, seat, session, side, kind, data) in found {
        let rank = (side == Side::Referee.word(), session);
        let facts = sessions.entry((id, seat, rank)).or_default();
        facts.push(Fact {
            kind,
            data: rows::json(&data)?,
        });
    }
    let mut matches: HashMap<String, Vec<(Seat, Vec<Fact>)>> = HashMap::new();
    for ((id, seat, _), facts) in sessions {
        let seats = matches.entry(id).or_default();
        match seats.last_mut().filter(|(last, _)| last.0 == seat) {
            Some((_, last)) => *last = facts,
            None => seats.push((Seat(seat), facts)),
        }
    }
    Ok(matches)
}
