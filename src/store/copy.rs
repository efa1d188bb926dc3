//! Copying a database to another one, of either engine.

use super::error::StoreError;
use super::files::{self, Lock};
use super::handle::Store;
use super::rules::Rules;
use super::server::{self, Access};
use super::sql::postgres::BLOCK;
use super::sql::{Connection, Row, Statement, Value, query, query_as};
use super::writer::{Database, ENTRIES, PLACED_ENTRIES, Rows};
use super::{damage, open, startup};
use crate::config::Location;
use std::collections::HashMap;
use std::sync::Arc;

/// Rows that are read and written together.
const ROWS_AT_ONCE: usize = 1024;

/// A table that is copied: each column's type is a letter, as in [`Statement`].
struct Table {
    name: &'static str,
    insert: Statement,
    /// How many of the first columns are its key.
    keys: usize,
}

macro_rules! tables {
    ($($name:literal ($columns:literal) $kinds:literal $keys:literal;)*) => {
        [$(Table {
            name: $name,
            insert: Statement {
                before: concat!("INSERT INTO ", $name, " (", $columns, ") SELECT * FROM"),
                kinds: $kinds,
                after: "WHERE column1 IS NOT NULL",
                is_numbered: false,
            },
            keys: $keys,
        }),*]
    };
}

/// What is copied as it is, each after what it refers to. What triggers make is left out: sizes of tournaments, programs
/// that played. So are the queue of planned matches and the archives: a tournament that goes on fills both again.
static TABLES: [Table; 23] = tables! {
    "secrets" ("name, value") "tt" 1;
    "tokens" ("id, name, scopes, digest, created_us, used_us, revoked_us") "ittBiii" 1;
    "bots" ("game, name, version, signature") "ttii" 3;
    "notes" ("bot, game, note") "ttt" 2;
    "notes_given" ("session, note") "it" 1;
    "program_runs" ("session, report, stderr") "itt" 1;
    "matches" ("id, game, referee, market, ours, started_us, setup, ended_us, cause, blame, detail, scores")
        "tttiiitititt" 1;
    "seats" ("match_id, seat, spec, name, player, entrant") "tittit" 2;
    "results" ("match_id, seat, score, win_share") "tiir" 2;
    "participations" ("match_id, seat, how, turn, detail, decisions, fallback") "tititii" 2;
    "sessions" ("id, match_id, side, game, bot, referee, market, player, seat, seed, setup, durability, opened_us,
                 first_entry, last_entry, entries, ended_us, cause, detail, scores, packed") "itttttiiiittiiiiittti" 1;
    "dictionaries" ("id, game, content") "itB" 1;
    "packed" ("session, last_entry, entries, bytes, dictionary, content") "iiiiiB" 1;
    "ledger" ("id, session, entry, at_us, queued_us, thought_us, committed_us, sent_us, limit_us, fallback")
        "iiiiiiiiii" 1;
    "facts" ("id, session, entry, kind, data") "iiitt" 1;
    "bluffs" ("id, session, entry, at_us, by, place, bid, held, caught") "iiiitiiii" 1;
    "lessons" ("id, session, match_id, game, rival, seat, kind, weight, evidence, merged_into") "iitttitrtt" 1;
    "opponent_models" ("id, game, kind, name, model, version, updated_us, last_match") "ittttiit" 1;
    // Its trigger has added to the next one, which is emptied first.
    "model_versions" ("id, game, kind, name, version, model, updated_us, last_match") "itttitit" 1;
    "tournaments" ("id, name, game, setup, entrants, started_us, ended_us, ended_why") "tttttiit" 1;
    "tournament_rounds" ("tournament, round, decision, decided_us") "titi" 2;
    "tournament_matches" ("tournament, number, round, table_no, match_id, seed, notes") "tiiitit" 2;
    "changes" ("id, match_id, session") "iti" 1;
};

/// Tables whose next number a server gives by itself.
const NUMBERED: [&str; 6] = [
    "tokens",
    "dictionaries",
    "ledger",
    "lessons",
    "opponent_models",
    "model_versions",
];

/// Copies everything of one database into another one, which must be empty; `copied` gets each table and how many
/// rows it has. A daemon may use the first meanwhile: what it had at one moment is copied. Stopped before its end, it has
/// copied nothing.
///
/// # Errors
/// [`StoreError::NotEmpty`], and those of opening, reading and writing.
pub async fn copy(
    from: &Location,
    to: &Location,
    rules: Arc<dyn Rules>,
    mut copied: impl FnMut(&'static str, u64),
) -> Result<(), StoreError> {
    let source = Store::open_readonly(from.clone(), rules).await?;
    let mut reading = source.reader().pool().reading().await?;
    let (connection, lock) = target(to).await?;
    let mut database = Database::new(connection);
    // What opening a database puts into it is replaced.
    let made = ["secrets", "bots"];
    for table in TABLES.iter().filter(|table| !made.contains(&table.name)) {
        let rows = format!("SELECT EXISTS (SELECT 1 FROM {})", table.name);
        if query_as(rows).fetch_one(&mut database.connection).await? {
            return Err(StoreError::NotEmpty {
                location: to.to_string(),
            });
        }
    }
    database.connection.begin().await?;
    for connection in [&mut reading, &mut database.connection] {
        if connection.is_postgres() {
            for limit in ["statement_timeout", "idle_in_transaction_session_timeout"] {
                query(format!("SET LOCAL {limit} TO 0"))
                    .execute(&mut *connection)
                    .await?;
            }
        }
    }
    let is_server = database.connection.is_postgres();
    if is_server {
        // Entries of sessions that have ended: their order is that of the first.
        fenced(&mut database.connection, "DISABLE").await?;
    }
    for table in &TABLES {
        copied(table.name, table.copy(&mut reading, &mut database).await?);
    }
    let (entries, last) = copy_log(&mut reading, &mut database).await?;
    copied("entries", entries);
    if is_server {
        fenced(&mut database.connection, "ENABLE").await?;
        query(NEWEST).execute(&mut database.connection).await?;
    }
    go_on_numbering(&mut database.connection, last).await?;
    database.connection.commit().await?;
    database.connection.close().await?;
    drop((reading, lock));
    source.close().await;
    Ok(())
}

/// Lets a server's fence stand, or lays it down within this transaction.
async fn fenced(connection: &mut Connection, how: &str) -> Result<(), sqlx::Error> {
    let alter = format!("ALTER TABLE entries {how} TRIGGER entries_late");
    query(alter).execute(connection).await.map(drop)
}

/// The newest session of each key, where sessions are live.
const NEWEST: &str = "
    INSERT INTO newest_sessions (game, referee, market, player, called, session)
    SELECT game, referee, market, player, called, max(id) FROM sessions WHERE side = 'player' AND ended_us IS NULL
    GROUP BY game, referee, market, player, called";

/// A database to write into, with its schema.
async fn target(to: &Location) -> Result<(Connection, Option<Lock>), StoreError> {
    match to {
        Location::File(path) => {
            let path = files::canonical(path);
            let opened = open::writer(&path, damage::CHECKED_BYTES_MAX).await?;
            Ok((Connection::Sqlite(opened.writer), Some(opened.lock)))
        }
        Location::Server(server) => {
            let link = server::open(&Access::new(server)?).await?;
            Ok((Connection::Postgres(link), None))
        }
    }
}

impl Table {
    async fn copy(
        &'static self,
        from: &mut Connection,
        to: &mut Database,
    ) -> Result<u64, sqlx::Error> {
        let empty = format!("DELETE FROM {}", self.name);
        query(empty).execute(&mut to.connection).await?;
        let (_, rest) = self.insert.before.split_once('(').unwrap_or_default();
        let (columns, _) = rest.split_once(')').unwrap_or_default();
        let mut pages = Pages::new(self.name, columns, self.keys);
        let mut count = 0;
        while let Some(rows) = pages.next(from).await? {
            let mut page = Rows::new(&self.insert);
            for row in &rows {
                page.extend(values(row, self.insert.kinds)?);
            }
            count += rows.len() as u64;
            page.write(to).await?;
        }
        Ok(count)
    }
}

/// The rows of a table, page by page, in the order of its key.
struct Pages {
    first: String,
    next: String,
    keys: usize,
    /// The last row's key.
    last: Option<Vec<Value>>,
}

impl Pages {
    fn new(table: &str, columns: &str, keys: usize) -> Self {
        let key: Vec<&str> = columns.split(',').map(str::trim).take(keys).collect();
        let key = key.join(", ");
        let places: Vec<String> = (1..=keys).map(|at| format!("${at}")).collect();
        let places = places.join(", ");
        let end = format!("ORDER BY {key} LIMIT {ROWS_AT_ONCE}");
        Self {
            first: format!("SELECT {columns} FROM {table} {end}"),
            next: format!("SELECT {columns} FROM {table} WHERE ({key}) > ({places}) {end}"),
            keys,
            last: None,
        }
    }

    async fn next(&mut self, from: &mut Connection) -> Result<Option<Vec<Row>>, sqlx::Error> {
        let page = match self.last.take() {
            None => query(self.first.clone()),
            Some(last) => last
                .into_iter()
                .fold(query(self.next.clone()), |query, value| query.bind(value)),
        };
        let rows = page.fetch_all(from).await?;
        let Some(row) = rows.last() else {
            return Ok(None);
        };
        let key = (0..self.keys).map(|at| key(row, at));
        self.last = Some(key.collect::<Result<_, _>>()?);
        Ok(Some(rows))
    }
}

/// A column of a key: a number or a text.
fn key(row: &Row, at: usize) -> Result<Value, sqlx::Error> {
    let number = row.try_get::<i64>(at).map(Value::from);
    number.or_else(|_| row.try_get::<&str>(at).map(Value::from))
}

fn values(row: &Row, kinds: &str) -> Result<Vec<Value>, sqlx::Error> {
    let value = |(at, kind)| {
        Ok(match kind {
            'i' => row.try_get::<Option<i64>>(at)?.into(),
            'r' => row.try_get::<Option<f64>>(at)?.into(),
            'B' => row.try_get::<Vec<u8>>(at)?.into(),
            _ => row.try_get::<Option<&str>>(at)?.into(),
        })
    };
    kinds.chars().enumerate().map(value).collect()
}

/// A session's entries so far: the last one, and how many.
#[derive(Clone, Copy, Default)]
struct Grown {
    last: Option<i64>,
    count: i64,
}

/// Copies the log, between its two forms; gives how many entries it has, and the greatest number.
async fn copy_log(from: &mut Connection, to: &mut Database) -> Result<(u64, i64), sqlx::Error> {
    query("DELETE FROM entries")
        .execute(&mut to.connection)
        .await?;
    // In an order that an index has, and in which each session's come one after the other.
    let (columns, keys) = match from.is_postgres() {
        true => ("session, seq, id, at_us, direction, text", 2),
        false => ("id, session, id, at_us, direction, text", 1),
    };
    let (number, session) = (2, usize::from(keys == 1));
    let insert = match to.connection.is_postgres() {
        true => &PLACED_ENTRIES,
        false => &ENTRIES,
    };
    let mut pages = Pages::new("entries", columns, keys);
    let mut sessions: HashMap<i64, Grown> = HashMap::new();
    let (mut count, mut last) = (0, 0);
    while let Some(rows) = pages.next(from).await? {
        let mut page = Rows::new(insert);
        for row in &rows {
            let (id, session): (i64, i64) = (row.try_get(number)?, row.try_get(session)?);
            last = last.max(id);
            let grown = sessions.entry(session).or_default();
            let place = match to.connection.is_postgres() {
                true => grown.count.into(),
                false => grown.last.into(),
            };
            *grown = Grown {
                last: Some(id),
                count: grown.count + 1,
            };
            page.extend(vec![
                id.into(),
                session.into(),
                place,
                row.try_get::<i64>(3)?.into(),
                row.try_get::<i64>(4)?.into(),
                row.try_get::<&str>(5)?.into(),
            ]);
        }
        count += rows.len() as u64;
        page.write(to).await?;
    }
    Ok((count, last))
}

/// What is added later gets greater numbers than what was copied.
async fn go_on_numbering(to: &mut Connection, last_entry: i64) -> Result<(), sqlx::Error> {
    if !to.is_postgres() {
        return startup::keep_numbers(to).await;
    }
    let last = format!(
        "SELECT setval('numbers', greatest((SELECT last_value FROM numbers), 1 + greatest(
             {last_entry}, (SELECT max(last_entry) FROM sessions), (SELECT max(id) FROM facts),
             (SELECT max(id) FROM bluffs), (SELECT max(id) FROM changes)) / {BLOCK}))"
    );
    query(last).execute(&mut *to).await?;
    for table in NUMBERED {
        let last = format!(
            "SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))"
        );
        query(last).execute(&mut *to).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::TABLES;
    use crate::store::sql::query_as;
    use crate::store::tests::fake::opened;

    #[tokio::test]
    async fn every_table_and_column_is_copied_or_made_by_itself() {
        let (_folder, store) = opened().await;
        let made = [
            "_sqlx_migrations",
            "heads",
            "entries",
            "planned_matches",
            "archives",
            "archive_parts",
            "tournament_sizes",
            "programs_played",
        ];
        let columns = match store.location().file() {
            Some(_) => {
                "SELECT t.name || '.' || c.name FROM pragma_table_list t, pragma_table_info(t.name) c
                 WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%'"
            }
            None => {
                "SELECT table_name || '.' || column_name FROM information_schema.columns
                 WHERE table_schema = 'public' AND is_generated = 'NEVER'
                     AND table_name NOT IN ('compatibility', 'replicas', 'owners', 'newest_sessions', 'batches')"
            }
        };
        let columns = query_as::<String>(columns).fetch_all(store.reader().pool());
        let mut stored = columns.await.unwrap();
        stored.retain(|column| !made.contains(&column.split_once('.').unwrap().0));
        let mut copied = Vec::new();
        for table in &TABLES {
            let text = table.insert.before;
            let names = &text[text.find('(').unwrap() + 1..text.find(')').unwrap()];
            let names: Vec<&str> = names.split(',').map(str::trim).collect();
            assert_eq!(names.len(), table.insert.kinds.len(), "{}", table.name);
            copied.extend(names.iter().map(|name| format!("{}.{name}", table.name)));
        }
        stored.sort();
        copied.sort();
        assert_eq!(copied, stored);
    }
}
