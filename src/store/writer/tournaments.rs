//! Tournaments and their rounds, as rows. Their matches are written by the transactions that end them.

use crate::store::sql::{Connection, query_as};
use crate::store::types::{StoredRound, TournamentRow};
use serde_json::{Value, json};

/// A change of the stored tournaments.
#[derive(Debug)]
pub enum TournamentChange {
    /// A new one.
    Create(Box<TournamentRow>),
    /// Its id, and a round that is decided.
    Round(String, StoredRound),
    /// Its id, and its new setup.
    Setup(String, Value),
    /// Its id, when it ended (microseconds since 1970-01-01 UTC) and why.
    End(String, i64, String),
}

/// Makes the change in its own transaction; `None` if there is no such tournament.
pub(super) async fn change(
    connection: &mut Connection,
    change: &TournamentChange,
) -> Result<Option<i64>, sqlx::Error> {
    let query = match change {
        TournamentChange::Create(new) => query_as(
            "INSERT INTO tournaments (id, name, game, setup, entrants, started_us)
             VALUES ($1, $2, $3, $4, $5, $6) RETURNING 1",
        )
        .bind(new.id.clone())
        .bind(new.name.clone())
        .bind(new.game.clone())
        .bind(new.setup.to_string())
        .bind(json!(new.entrants).to_string())
        .bind(new.started_us),
        TournamentChange::Round(id, round) => query_as(
            "INSERT INTO tournament_rounds (tournament, round, decision, decided_us)
             VALUES ($1, $2, $3, $4) RETURNING round",
        )
        .bind(id.clone())
        .bind(round.round)
        .bind(round.decision.to_string())
        .bind(round.decided_us),
        TournamentChange::Setup(id, setup) => {
            query_as("UPDATE tournaments SET setup = $1 WHERE id = $2 RETURNING 1")
                .bind(setup.to_string())
                .bind(id.clone())
        }
        TournamentChange::End(id, at_us, why) => query_as(
            "UPDATE tournaments SET ended_why = coalesce(ended_why, $1), ended_us = coalesce(ended_us, $2)
             WHERE id = $3 RETURNING 1",
        )
        .bind(why.clone())
        .bind(*at_us)
        .bind(id.clone()),
    };
    // To the very end: the last step is the commit, and its error must not be missed.
    Ok(query.fetch_all(connection).await?.pop())
}
