//! The writer's SQL. Rows go to SQLite as multi-row VALUES of a few fixed sizes, so that their statements stay
//! prepared; rows missing to the next size are null, and null keys are ignored.

use crate::store::sql::{Connection, Row, Statement, Value, postgres, sqlite};
use sqlx::sqlite::SqliteArguments;
use sqlx::{Arguments as _, AssertSqlSafe, SqliteConnection};
use std::collections::HashMap;

/// The maximum number of entries in one transaction, and so in one append.
pub const ENTRIES_MAX: usize = 2048;

/// How many rows the prepared statements take.
const SIZES: [usize; 9] = [1, 4, 16, 64, 128, 256, 512, 1024, ROWS_MAX];
/// More rows than these take several statements.
const ROWS_MAX: usize = 2048;
/// More rows than these do not share their trip to SQLite's thread: each pair of sizes is kept prepared.
const TOGETHER_MAX: usize = 512;

/// The writer's connection, and the statements that it keeps.
#[derive(Debug)]
pub(in crate::store) struct Database {
    pub(in crate::store) connection: Connection,
    pub(super) texts: Texts,
}

impl Database {
    pub(in crate::store) fn new(connection: Connection) -> Self {
        Self {
            connection,
            texts: Texts::default(),
        }
    }
}

/// Rows for one statement.
#[derive(Debug)]
pub(in crate::store) struct Rows {
    statement: &'static Statement,
    values: Vec<Value>,
}

impl Rows {
    pub(in crate::store) const fn new(statement: &'static Statement) -> Self {
        let values = Vec::new();
        Self { statement, values }
    }

    pub(super) fn push<const COLUMNS: usize>(&mut self, row: [Value; COLUMNS]) {
        debug_assert_eq!(COLUMNS, self.statement.columns());
        self.values.extend(row);
    }

    /// Adds a row.
    pub(in crate::store) fn extend(&mut self, row: Vec<Value>) {
        self.values.extend(row);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    pub(super) fn count(&self) -> usize {
        self.values.len() / self.statement.columns()
    }

    /// The same value for one of the columns, wherever it is below 0.
    pub(super) fn place(&mut self, column: usize, base: i64) {
        let columns = self.statement.columns();
        for value in self.values.iter_mut().skip(column).step_by(columns) {
            if let Value::Int(Some(number @ ..0)) = value {
                *number = base + (*number - i64::MIN);
            }
        }
    }

    /// Writes the rows.
    pub(in crate::store) async fn write(self, database: &mut Database) -> Result<(), sqlx::Error> {
        match &mut database.connection {
            Connection::Postgres(link) => {
                for rows in self.chunks() {
                    let text = database.texts.unnested(rows.statement);
                    postgres::write(link, text, rows.statement.kinds, rows.values).await?;
                }
            }
            connection => {
                if let Some(connection) = connection.sqlite() {
                    for text in self.texts(&mut database.texts) {
                        text.write(connection).await?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Fetches what is stored about these rows.
    pub(super) async fn fetch(self, database: &mut Database) -> Result<Vec<Row>, sqlx::Error> {
        let mut found = Vec::new();
        match &mut database.connection {
            Connection::Postgres(link) => {
                for rows in self.chunks() {
                    let text = database.texts.unnested(rows.statement);
                    let (kinds, values) = (rows.statement.kinds, rows.values);
                    found.append(&mut postgres::fetch_all(link, text, kinds, values).await?);
                }
            }
            connection => {
                if let Some(connection) = connection.sqlite() {
                    for Text { sql, arguments } in self.texts(&mut database.texts) {
                        let query = sqlx::query_with(AssertSqlSafe(sql), arguments);
                        let rows = query.fetch_all(&mut *connection).await?;
                        found.extend(rows.into_iter().map(Row::Sqlite));
                    }
                }
            }
        }
        Ok(found)
    }

    /// The rows, as many together as one statement may number.
    fn chunks(self) -> impl Iterator<Item = Self> {
        let Self { statement, values } = self;
        let most = ROWS_MAX * statement.columns();
        let mut values = values.into_iter();
        std::iter::from_fn(move || {
            let values: Vec<Value> = values.by_ref().take(most).collect();
            (!values.is_empty()).then_some(Self { statement, values })
        })
    }

    /// The rows, a text with its parameters for each statement that they take.
    fn texts(self, texts: &mut Texts) -> impl Iterator<Item = Text> {
        let Self { statement, values } = self;
        let mut values = values.into_iter();
        std::iter::from_fn(move || {
            let rows = values.len() / statement.columns();
            (rows > 0).then(|| {
                let mut text = Text::default();
                text.add_rows(statement, rows.min(ROWS_MAX), &mut values, texts);
                text
            })
        })
    }
}

/// Statements and their parameters: one trip to SQLite's thread.
#[derive(Debug, Default)]
pub(super) struct Text {
    pub(super) sql: String,
    arguments: SqliteArguments,
}

impl Text {
    pub(super) async fn write(self, connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
        let query = sqlx::query_with(AssertSqlSafe(self.sql), self.arguments);
        query.execute(connection).await.map(drop)
    }

    /// Adds rows, if they are few enough to share a trip and not none.
    pub(super) fn add(&mut self, rows: &mut Rows, texts: &mut Texts) {
        let count = rows.count();
        if (1..=TOGETHER_MAX).contains(&count) {
            let values = std::mem::take(&mut rows.values);
            self.add_rows(rows.statement, count, &mut values.into_iter(), texts);
        }
    }

    fn add_rows(
        &mut self,
        statement: &'static Statement,
        rows: usize,
        values: &mut impl Iterator<Item = Value>,
        texts: &mut Texts,
    ) {
        let size = SIZES.into_iter().find(|size| *size >= rows);
        let size = size.unwrap_or(ROWS_MAX);
        self.sql.push_str(texts.text(statement, size));
        let (used, room) = (rows * statement.columns(), size * statement.columns());
        self.arguments.reserve(room, 0);
        for value in values.take(used) {
            sqlite::add(&mut self.arguments, value);
        }
        for _ in used..room {
            let added = self.arguments.add(None::<i64>);
            added.expect("null can always be bound");
        }
    }
}

/// The texts written so far, by statement and size.
#[derive(Debug, Default)]
pub(super) struct Texts(HashMap<(&'static str, usize), String>);

impl Texts {
    /// For SQLite: with this number of rows.
    fn text(&mut self, statement: &'static Statement, size: usize) -> &str {
        let Statement { before, after, .. } = *statement;
        self.0.entry((before, size)).or_insert_with(|| {
            let row = format!("({})", vec!["?"; statement.columns()].join(","));
            let rows = vec![row.as_str(); size].join(",");
            format!("{before} (VALUES {rows}) {after};")
        })
    }

    /// For PostgreSQL: with one list a column.
    fn unnested(&mut self, statement: &'static Statement) -> &str {
        let texts = self.0.entry((statement.before, 0));
        texts.or_insert_with(|| postgres::unnested(statement))
    }
}

/// For statements that insert: rows that are there, not those that fill up.
const WHOLE: &str = "WHERE column1 IS NOT NULL";
const NEW: &str = "WHERE column1 IS NOT NULL ON CONFLICT DO NOTHING";

pub(in crate::store) const ENTRIES: Statement = Statement {
    before: "INSERT INTO entries (id, session, previous, at_us, direction, text) SELECT * FROM",
    kinds: "iiiiit",
    after: WHOLE,
    is_numbered: false,
};

/// The same of PostgreSQL's log, which has each entry's place in its session instead of links.
pub(in crate::store) const PLACED_ENTRIES: Statement = Statement {
    before: "INSERT INTO entries (id, session, seq, at_us, direction, text) SELECT * FROM",
    kinds: "iiiiib",
    after: WHOLE,
    is_numbered: false,
};

pub(super) const MATCHES: Statement = Statement {
    before: "INSERT INTO matches (id, game, referee, market, ours, started_us, setup) SELECT * FROM",
    kinds: "tttiiit",
    after: NEW,
    is_numbered: false,
};

pub(super) const SEATS: Statement = Statement {
    before: "INSERT INTO seats (match_id, seat, spec, name, player, entrant) SELECT * FROM",
    kinds: "tittit",
    after: NEW,
    is_numbered: false,
};

pub(super) const SESSIONS: Statement = Statement {
    before: "
    INSERT INTO sessions (id, match_id, side, game, bot, referee, market, player, seat, seed, setup,
                          durability, opened_us, first_entry)
    SELECT * FROM",
    kinds: "itttttiiiittii",
    after: WHOLE,
    is_numbered: false,
};

/// Of PostgreSQL alone. Where another session was begun meanwhile, NULL is refused.
pub(super) const NEWEST_SESSIONS: Statement = Statement {
    before: "INSERT INTO newest_sessions (game, referee, market, player, called, session, former) SELECT * FROM",
    kinds: "ttiitii",
    after: "WHERE column1 IS NOT NULL
    ON CONFLICT (game, referee, market, player, called) DO UPDATE SET former = excluded.former,
        session = CASE WHEN newest_sessions.session = excluded.former THEN excluded.session END",
    is_numbered: false,
};

pub(super) const CHANGES: Statement = Statement {
    before: "INSERT INTO changes (match_id, session) SELECT * FROM",
    kinds: "ti",
    after: WHOLE,
    is_numbered: true,
};

pub(super) const BLUFFS: Statement = Statement {
    before: "INSERT INTO bluffs (session, entry, at_us, by, place, bid, held, caught) SELECT * FROM",
    kinds: "iiitiiii",
    after: WHOLE,
    is_numbered: true,
};

pub(super) const FACTS: Statement = Statement {
    before: "INSERT INTO facts (session, entry, kind, data) SELECT * FROM",
    kinds: "iitt",
    after: WHOLE,
    is_numbered: true,
};

pub(super) const LEDGER: Statement = Statement {
    before: "
    INSERT INTO ledger (session, entry, at_us, queued_us, thought_us, committed_us, sent_us, limit_us,
                        fallback)
    SELECT * FROM",
    kinds: "iiiiiiiii",
    after: WHOLE,
    is_numbered: false,
};

pub(super) const ENDED_SESSIONS: Statement = Statement {
    before: "
    UPDATE sessions SET ended_us = column2, cause = column3, detail = column4, scores = column5,
           last_entry = column6, entries = column7
    FROM",
    kinds: "iitttii",
    after: "WHERE id = column1",
    is_numbered: false,
};

pub(super) const ENDED_MATCHES: Statement = Statement {
    before: "
    UPDATE matches SET ended_us = column2, cause = column3, blame = column4, detail = column5,
           scores = column6
    FROM",
    kinds: "tititt",
    after: "WHERE id = column1",
    is_numbered: false,
};

pub(super) const RESULTS: Statement = Statement {
    before: "INSERT INTO results (match_id, seat, score, win_share) SELECT * FROM",
    kinds: "tiir",
    after: "WHERE column1 IS NOT NULL
    ON CONFLICT (match_id, seat) DO UPDATE SET score = excluded.score, win_share = excluded.win_share",
    is_numbered: false,
};

/// What the referee saw and what a seat's own program reports add up: whatever went wrong stays.
pub(super) const PARTICIPATIONS: Statement = Statement {
    before: "INSERT INTO participations (match_id, seat, how, turn, detail, decisions, fallback) SELECT * FROM",
    kinds: "tititii",
    after: PARTICIPATION_MERGED,
    is_numbered: false,
};

/// How a further row of a seat is merged into the one that is there.
pub(in crate::store) const PARTICIPATION_MERGED: &str = "WHERE column1 IS NOT NULL
    ON CONFLICT (match_id, seat) DO UPDATE SET
        how = CASE participations.how WHEN 'played' THEN excluded.how ELSE participations.how END,
        turn = CASE participations.how WHEN 'played' THEN excluded.turn ELSE participations.turn END,
        detail = CASE participations.how WHEN 'played' THEN excluded.detail ELSE participations.detail END,
        decisions = CASE WHEN coalesce(excluded.fallback, -1) >= coalesce(participations.fallback, -1)
            THEN excluded.decisions ELSE participations.decisions END,
        fallback = CASE WHEN coalesce(excluded.fallback, -1) >= coalesce(participations.fallback, -1)
            THEN excluded.fallback ELSE participations.fallback END";

/// A place is filled once, by a match that ends once: a second row is refused, and with it its match's end.
pub(super) const TOURNAMENT_MATCHES: Statement = Statement {
    before: "
    INSERT INTO tournament_matches (tournament, number, round, table_no, match_id, seed, notes)
    SELECT * FROM",
    kinds: "tiiitit",
    after: WHOLE,
    is_numbered: false,
};

/// Takes matches out of the queue that end by these claims; gives those whose claim was the last one.
pub(super) const CLAIMED_MATCHES: Statement = Statement {
    before: "DELETE FROM planned_matches WHERE (tournament, number, claim) IN",
    kinds: "tii",
    after: "RETURNING tournament, number",
    is_numbered: false,
};

pub(super) const LESSONS: Statement = Statement {
    before: "
    INSERT INTO lessons (session, match_id, game, rival, seat, kind, weight, evidence, merged_into)
    SELECT * FROM",
    kinds: "itttitrtt",
    after: WHOLE,
    is_numbered: false,
};

pub(super) const MODELS: Statement = Statement {
    before: "
    INSERT INTO opponent_models (game, kind, name, model, version, updated_us, last_match)
    SELECT * FROM",
    kinds: "ttttiit",
    after: "WHERE column1 IS NOT NULL
    ON CONFLICT (game, kind, name) DO UPDATE SET model = excluded.model, version = excluded.version,
           updated_us = excluded.updated_us, last_match = excluded.last_match",
    is_numbered: false,
};

/// What the ending of these sessions needs to know.
pub(super) const CLOSING_SESSIONS: Statement = Statement {
    before: "
    SELECT s.id, s.match_id, s.game, s.side, s.seat, m.ours, m.ended_us, m.cause,
           (SELECT count(*) FROM seats WHERE match_id = s.match_id),
           (SELECT coalesce(CAST(json_group_array(json_array(seat, name)) AS TEXT), '[]') FROM seats
            WHERE match_id = s.match_id AND name IS NOT NULL),
           m.scores
    FROM sessions s JOIN matches m ON m.id = s.match_id
    WHERE s.id IN",
    kinds: "i",
    after: "",
    is_numbered: false,
};

/// What the ending of these matches needs to know.
pub(super) const CLOSING_MATCHES: Statement = Statement {
    before: "SELECT id, ended_us, game, setup FROM matches WHERE id IN",
    kinds: "t",
    after: "",
    is_numbered: false,
};

/// Stored models by (game, kind, name); for a deleted one only its last version's number, so that numbering
/// continues.
pub(super) const STORED_MODELS: Statement = Statement {
    before: "
    SELECT v.game, v.kind, v.name, m.model, max(v.version)
    FROM model_versions v LEFT JOIN opponent_models m USING (game, kind, name)
    WHERE (v.game, v.kind, v.name) IN",
    kinds: "ttt",
    after: "GROUP BY v.game, v.kind, v.name, m.model",
    is_numbered: false,
};

/// The live heads.
pub(in crate::store) const HEADS: &str = "
    INSERT INTO heads (id, entry, packed) VALUES (1, $1, $2)
    ON CONFLICT (id) DO UPDATE SET entry = excluded.entry, packed = excluded.packed";

#[cfg(test)]
mod tests {
    use super::{FACTS, Rows, SIZES, TOGETHER_MAX, Text, Texts};
    use sqlx::Arguments as _;

    #[test]
    fn every_number_of_rows_has_a_statement_with_room_for_them() {
        let rows = |count: usize| {
            let mut rows = Rows::new(&FACTS);
            for _ in 0..count {
                rows.push([1i64.into(), None::<i64>.into(), "kind".into(), "{}".into()]);
            }
            assert_eq!(rows.count(), count);
            rows
        };
        let mut texts = Texts::default();
        for size in SIZES {
            for count in [size - 1, size, size + 1] {
                let mut room = 0;
                for text in rows(count).texts(&mut texts) {
                    assert_eq!(text.sql.matches('?').count(), text.arguments.len());
                    room += text.arguments.len() / FACTS.columns();
                }
                assert!((count..=4 * count).contains(&room), "{room} for {count}");
            }
        }
        let mut many = rows(TOGETHER_MAX + 1);
        let mut text = Text::default();
        text.add(&mut many, &mut texts);
        assert_eq!((text.arguments.len(), many.count()), (0, TOGETHER_MAX + 1));
    }
}
