//! What has begun and ended, in the order of commits, for those who follow all matches. A change keeps its number, so
//! that a follower can continue after an interruption.

use super::matches::match_row;
use crate::store::sql::{Connection, query_as};
use crate::store::types::{MatchRow, SessionId};
use crate::store::{Reader, StoreError, kept, startup};

/// A match, or one of its sessions, has begun or ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its number: later ones are greater.
    pub id: i64,
    /// The match.
    pub match_id: String,
    /// The session; `None`: the match itself.
    pub session: Option<SessionId>,
}

/// The last change's number; 0 if there was none.
///
/// # Errors
/// [`StoreError::Read`].
pub async fn last_change(reader: &Reader) -> Result<i64, StoreError> {
    let mut connection = reader.pool().acquire().await?;
    let upto = startup::horizon(&mut connection).await?;
    let last = query_as("SELECT coalesce(max(id), 0) FROM changes WHERE id <= $1");
    Ok(last.bind(upto).fetch_one(&mut connection).await?)
}

/// The first `limit` changes after this one, in order.
///
/// # Errors
/// [`StoreError::Read`]; [`StoreError::Forgotten`] if not all that came after it are kept.
pub async fn changes(reader: &Reader, after: i64, limit: u32) -> Result<Vec<Change>, StoreError> {
    let mut connection = reader.pool().acquire().await?;
    let upto = startup::horizon(&mut connection).await?;
    let oldest = oldest(&connection);
    let rows: Vec<(i64, String, Option<i64>, i64)> = query_as(format!(
        "SELECT id, match_id, session, {oldest} FROM changes
         WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3",
    ))
    .bind(after)
    .bind(upto)
    .bind(limit)
    .fetch_all(&mut connection)
    .await?;
    if rows.first().is_some_and(|(.., oldest)| after < *oldest) {
        return Err(StoreError::Forgotten);
    }
    let changes = rows.into_iter().map(|(id, match_id, session, _)| Change {
        id,
        match_id,
        session: session.map(SessionId),
    });
    Ok(changes.collect())
}

/// Whether this database has had the change, and keeps every later one.
///
/// # Errors
/// [`StoreError::Read`].
pub async fn follows_change(reader: &Reader, id: i64) -> Result<bool, StoreError> {
    let mut connection = reader.pool().acquire().await?;
    let oldest = oldest(&connection);
    let follows = query_as(format!(
        "SELECT $1 BETWEEN coalesce({oldest}, 0) AND coalesce(max(id), 0) FROM changes"
    ));
    Ok(follows.bind(id).fetch_one(&mut connection).await?)
}

/// The change after which all are kept, as SQL. On a server, numbers are left out between two changes.
fn oldest(connection: &Connection) -> String {
    match connection.is_postgres() {
        true => format!("(SELECT max(max(id) - {}, 0) FROM changes)", kept(true)),
        false => "(SELECT min(id) - 1 FROM changes)".to_owned(),
    }
}

/// The matches of the first `limit` changes after this one: the row of each as it is now, with the number of its
/// last change among them, in that order; and the number of the last of these changes.
///
/// # Errors
/// As [`changes`]; [`StoreError::Corrupt`].
pub async fn changed(
    reader: &Reader,
    after: i64,
    limit: u32,
) -> Result<(Vec<(i64, MatchRow)>, i64), StoreError> {
    let changes = changes(reader, after, limit).await?;
    let upto = changes.last().map_or(after, |change| change.id);
    let mut rows = Vec::new();
    for (at, change) in changes.iter().enumerate() {
        let later = changes[at + 1..].iter();
        if !later.clone().any(|later| later.match_id == change.match_id)
            && let Some(row) = match_row(reader, &change.match_id).await?
        {
            rows.push((change.id, row));
        }
    }
    Ok((rows, upto))
}

#[cfg(test)]
mod file {
    use crate::history;
    use crate::store::tests::fake::{Pen, match_id, opened, received};
    use crate::store::{KEPT, StoreError};

    #[tokio::test]
    async fn the_last_changes_are_kept_and_a_follower_behind_them_is_refused() {
        let (_folder, store) = opened().await;
        assert!(history::follows_change(store.reader(), 0).await.unwrap());
        let mut pen = Pen::player(&store, 1);
        pen.write(&store, vec![received("a")]).await;
        let begun = history::last_change(store.reader()).await.unwrap();
        let changes = history::changes(store.reader(), 0, 9).await.unwrap();
        assert_eq!((begun, changes.len()), (2, 2));
        assert!(changes.iter().all(|change| change.match_id == match_id(1)));
        assert_eq!(changes[1].session, Some(pen.id));
        // As if nearly as many as are kept had followed.
        let later = KEPT - 1;
        store
            .alter(&format!(
                "INSERT INTO changes (id, match_id) VALUES ({later}, 'x')"
            ))
            .await;
        pen.end(&store, vec![1, 0, 0, 0], 0).await;
        let last = history::last_change(store.reader()).await.unwrap();
        assert_eq!(last, KEPT + 1, "the session's end, and the match's");
        let kept = history::changes(store.reader(), 1, 9).await.unwrap();
        let ids: Vec<i64> = kept.iter().map(|change| change.id).collect();
        assert_eq!(ids, [2, later, KEPT, last]);
        for (id, follows) in [(0, false), (1, true), (last, true), (last + 1, false)] {
            assert_eq!(
                history::follows_change(store.reader(), id).await.unwrap(),
                follows,
                "{id}"
            );
        }
        let behind = history::changes(store.reader(), 0, 9).await;
        assert!(matches!(behind, Err(StoreError::Forgotten)), "{behind:?}");
        let (rows, upto) = history::changed(store.reader(), later, 9).await.unwrap();
        let rows: Vec<_> = rows.iter().map(|(id, row)| (*id, row.id.clone())).collect();
        assert_eq!((rows, upto), (vec![(last, match_id(1))], last));
    }
}
