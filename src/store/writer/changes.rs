//! What has begun and ended, in the order of commits.

use sqlx::SqliteConnection;

/// How many are kept.
pub(crate) const KEPT: i64 = 100_000;

/// Notes matches and sessions that end, both as JSON lists.
pub(super) async fn note_ended(
    connection: &mut SqliteConnection,
    matches: &str,
    sessions: &str,
) -> Result<(), sqlx::Error> {
    let noted = sqlx::query(
        "INSERT INTO changes (match_id, session)
         SELECT s.match_id, s.id FROM json_each(?2) w CROSS JOIN sessions s ON s.id = w.value
         UNION ALL SELECT value, NULL FROM json_each(?1)",
    )
    .bind(matches.to_owned())
    .bind(sessions.to_owned())
    .execute(&mut *connection)
    .await?;
    sqlx::query("DELETE FROM changes WHERE id <= ?")
        .bind(noted.last_insert_rowid() - KEPT)
        .execute(connection)
        .await?;
    Ok(())
}
