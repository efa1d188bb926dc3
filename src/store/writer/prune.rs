//! Removing what old matches hold besides their results, and matches that strangers merely began.

use crate::store::sql::{Connection, query, query_as};
use serde_json::Value;

/// What goes of the sessions in a JSON list; their rows stay and say so.
const GO: [&str; 7] = [
    "DELETE FROM packed WHERE session IN (SELECT CAST(value AS BIGINT) FROM json_each($1))",
    "DELETE FROM facts WHERE session IN (SELECT CAST(value AS BIGINT) FROM json_each($1))",
    "DELETE FROM ledger WHERE session IN (SELECT CAST(value AS BIGINT) FROM json_each($1))",
    "DELETE FROM program_runs WHERE session IN (SELECT CAST(value AS BIGINT) FROM json_each($1))",
    "DELETE FROM notes_given WHERE session IN (SELECT CAST(value AS BIGINT) FROM json_each($1))",
    // Of those that were never packed; see `LOGGED`.
    "DELETE FROM entries WHERE id IN (SELECT e.id FROM json_each($1) w CROSS JOIN sessions s ON s.id = CAST(w.value AS BIGINT)
         CROSS JOIN entries e ON e.id BETWEEN s.first_entry AND s.last_entry AND e.session = s.id)",
    "UPDATE sessions SET packed = 2 WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each($1))",
];

/// The same on a server, whose log is found by its sessions.
const LOGGED: &str =
    "DELETE FROM entries WHERE session IN (SELECT CAST(value AS BIGINT) FROM json_each($1))";

/// Of these sessions' matches those of which only first messages were received, and all their sessions.
const VOID: &str = "
    WITH void AS (SELECT DISTINCT m.id FROM json_each($1) w CROSS JOIN sessions x ON x.id = CAST(w.value AS BIGINT)
            CROSS JOIN matches m ON m.id = x.match_id
        WHERE m.ours = 0 AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.match_id = m.id
            AND (s.ended_us IS NULL OR s.cause <> 'unterminated' OR s.entries > 2)))
    SELECT (SELECT coalesce(CAST(json_group_array(s.id) AS TEXT), '[]') FROM void
            CROSS JOIN sessions s ON s.match_id = void.id),
        (SELECT coalesce(CAST(json_group_array(id) AS TEXT), '[]') FROM void), (SELECT count(*) FROM void)";

/// What else goes of these sessions and matches, both JSON lists: all of it.
const FORGET: [&str; 7] = [
    "DELETE FROM bluffs WHERE session IN (SELECT CAST(value AS BIGINT) FROM json_each($1))",
    "DELETE FROM lessons WHERE match_id IN (SELECT value FROM json_each($2))",
    "DELETE FROM participations WHERE match_id IN (SELECT value FROM json_each($2))",
    "DELETE FROM results WHERE match_id IN (SELECT value FROM json_each($2))",
    "DELETE FROM seats WHERE match_id IN (SELECT value FROM json_each($2))",
    "DELETE FROM sessions WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each($1))",
    "DELETE FROM matches WHERE id IN (SELECT value FROM json_each($2))",
];

/// What is given up of sessions.
#[derive(Debug)]
pub enum Prune {
    /// What they hold besides their rows.
    Transcripts(Vec<i64>),
    /// Everything, if only first messages were received in their matches.
    Void(Vec<i64>),
    /// Everything of the match with this id.
    Match(String),
}

/// Prunes these sessions in one transaction; gives how many matches are gone.
pub(super) async fn go(connection: &mut Connection, prune: &Prune) -> Result<u64, sqlx::Error> {
    connection.begin().await?;
    let (sessions, matches, gone) = match prune {
        Prune::Transcripts(sessions) => (
            Value::from_iter(sessions.iter().copied()).to_string(),
            None,
            0,
        ),
        Prune::Void(sessions) => {
            let sessions = Value::from_iter(sessions.iter().copied()).to_string();
            let void: (String, String, i64) = query_as(VOID)
                .bind(sessions)
                .fetch_one(&mut *connection)
                .await?;
            (void.0, Some(void.1), void.2)
        }
        Prune::Match(id) => {
            let own = "SELECT coalesce(CAST(json_group_array(id) AS TEXT), '[]') FROM sessions WHERE match_id = $1";
            let own = query_as(own).bind(id.clone());
            let sessions: String = own.fetch_one(&mut *connection).await?;
            (
                sessions,
                Some(Value::from_iter([id.clone()]).to_string()),
                1,
            )
        }
    };
    let forgotten = match &matches {
        Some(_) => FORGET.as_slice(),
        None => &[],
    };
    for statement in GO.iter().chain(forgotten) {
        let statement = match statement.contains("FROM entries") && connection.is_postgres() {
            true => LOGGED,
            false => statement,
        };
        let query = query(statement).bind(sessions.clone());
        let query = match matches.clone().filter(|_| statement.contains("$2")) {
            Some(matches) => query.bind(matches),
            None => query,
        };
        query.execute(&mut *connection).await?;
    }
    connection.commit().await?;
    Ok(gone as u64)
}
