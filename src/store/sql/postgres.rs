//! Statements on PostgreSQL.

use super::row::Row;
use super::statement::Statement;
use super::value::{Bound, Value};
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgArguments, PgConnection, PgRow, Postgres};
use sqlx::{Arguments as _, AssertSqlSafe};
use std::borrow::Cow;
use std::sync::Arc;

/// A connection to PostgreSQL.
#[derive(Debug)]
pub(crate) struct PgLink {
    connection: Origin,
    /// Whether statements are kept prepared. If not, each runs within a transaction: behind a pooler of transactions the
    /// next one may have another server.
    prepares: bool,
    is_in_transaction: bool,
}

#[derive(Debug)]
enum Origin {
    Own(PgConnection),
    Pooled(PoolConnection<Postgres>),
}

impl Drop for PgLink {
    /// One that is given up within a transaction does not go back to its pool.
    fn drop(&mut self) {
        if let (true, Origin::Pooled(connection)) = (self.is_in_transaction, &mut self.connection) {
            connection.close_on_drop();
        }
    }
}

impl PgLink {
    pub(in crate::store) const fn new(connection: PgConnection, prepares: bool) -> Self {
        Self {
            connection: Origin::Own(connection),
            prepares,
            is_in_transaction: false,
        }
    }

    pub(super) const fn pooled(connection: PoolConnection<Postgres>, prepares: bool) -> Self {
        Self {
            connection: Origin::Pooled(connection),
            prepares,
            is_in_transaction: false,
        }
    }

    /// The connection itself.
    pub(in crate::store) fn raw(&mut self) -> &mut PgConnection {
        match &mut self.connection {
            Origin::Own(connection) => connection,
            Origin::Pooled(connection) => connection,
        }
    }

    /// Runs statements without parameters: one trip.
    pub(in crate::store) async fn run(
        &mut self,
        statements: impl Into<String>,
    ) -> Result<(), sqlx::Error> {
        let statements = AssertSqlSafe(statements.into());
        sqlx::raw_sql(statements)
            .execute(self.raw())
            .await
            .map(drop)
    }

    /// Begins a transaction with these statements.
    pub(in crate::store) async fn begin(
        &mut self,
        statements: impl Into<String>,
    ) -> Result<(), sqlx::Error> {
        self.is_in_transaction = true;
        self.run(statements).await
    }

    /// The same; gives the row that the last one reads.
    pub(in crate::store) async fn begin_and_read<T>(
        &mut self,
        statements: impl Into<String>,
    ) -> Result<T, sqlx::Error>
    where
        T: for<'r> sqlx::FromRow<'r, PgRow>,
    {
        self.is_in_transaction = true;
        self.read(statements).await
    }

    /// Runs statements without parameters; gives the row that the last one reads.
    pub(in crate::store) async fn read<T>(
        &mut self,
        statements: impl Into<String>,
    ) -> Result<T, sqlx::Error>
    where
        T: for<'r> sqlx::FromRow<'r, PgRow>,
    {
        let statements = AssertSqlSafe(statements.into());
        let rows = sqlx::raw_sql(statements).fetch_all(self.raw()).await?;
        T::from_row(rows.last().ok_or(sqlx::Error::RowNotFound)?)
    }

    pub(super) async fn commit(&mut self) -> Result<(), sqlx::Error> {
        self.run("COMMIT").await?;
        self.is_in_transaction = false;
        Ok(())
    }

    /// Opens a transaction around a statement that is not kept prepared and stands alone; whether it did.
    async fn opens(&mut self) -> Result<bool, sqlx::Error> {
        let opens = !self.prepares && !self.is_in_transaction;
        if opens {
            self.begin("BEGIN").await?;
        }
        Ok(opens)
    }

    /// Ends that transaction, if there is one.
    async fn ends(&mut self, opened: bool, succeeded: bool) -> Result<(), sqlx::Error> {
        match (opened, succeeded) {
            (false, _) => {}
            (true, true) => self.commit().await?,
            (true, false) => self.roll_back().await,
        }
        Ok(())
    }

    pub(super) async fn roll_back(&mut self) {
        self.is_in_transaction = self.run("ROLLBACK").await.is_err();
    }
}

pub(super) async fn execute(query: Bound, link: &mut PgLink) -> Result<u64, sqlx::Error> {
    Prepared::new(query, link.prepares).execute(link).await
}

pub(super) async fn fetch(query: Bound, link: &mut PgLink) -> Result<Vec<Row>, sqlx::Error> {
    Prepared::new(query, link.prepares).fetch(link).await
}

/// A statement with its parameters as PostgreSQL has them.
struct Prepared {
    sql: String,
    arguments: PgArguments,
    is_kept: bool,
}

impl Prepared {
    fn new(query: Bound, prepares: bool) -> Self {
        let mut arguments = PgArguments::default();
        for value in query.values {
            let added = match value {
                Value::Int(value) => arguments.add(value),
                Value::Real(value) => arguments.add(value),
                Value::Text(value) => arguments.add(value.map(without_nul)),
                Value::Bytes(value) => arguments.add(value),
            };
            added.expect("numbers, texts and bytes can always be bound");
        }
        Self {
            sql: translated(&query.sql),
            arguments,
            is_kept: query.is_kept && prepares,
        }
    }

    fn rows(text: &str, kinds: &str, values: Vec<Value>, prepares: bool) -> Self {
        Self {
            sql: text.to_owned(),
            arguments: lists(kinds, values),
            is_kept: prepares,
        }
    }

    async fn execute(self, link: &mut PgLink) -> Result<u64, sqlx::Error> {
        let opens = link.opens().await?;
        let done = self.query().execute(link.raw()).await;
        link.ends(opens, done.is_ok()).await?;
        Ok(done?.rows_affected())
    }

    async fn fetch(self, link: &mut PgLink) -> Result<Vec<Row>, sqlx::Error> {
        let opens = link.opens().await?;
        let rows = self.query().fetch_all(link.raw()).await;
        link.ends(opens, rows.is_ok()).await?;
        Ok(rows?.into_iter().map(Row::Postgres).collect())
    }

    fn query(self) -> sqlx::query::Query<'static, Postgres, PgArguments> {
        sqlx::query_with(AssertSqlSafe(self.sql), self.arguments).persistent(self.is_kept)
    }
}

/// Numbers of rows that one statement gives. (`horizon` in the schema knows them.)
pub(in crate::store) const BLOCK: i64 = 4096;

/// The text of a statement for rows: their columns come as lists.
pub(in crate::store) fn unnested(statement: &Statement) -> String {
    let Statement {
        before,
        kinds,
        after,
        is_numbered,
    } = *statement;
    let lists: Vec<String> = (1..)
        .zip(kinds.chars())
        .map(|(number, kind)| format!("${number}::{}[]", type_of(kind)))
        .collect();
    let names: Vec<String> = (1..=kinds.len()).map(|at| format!("column{at}")).collect();
    let (lists, names) = (lists.join(", "), names.join(", "));
    let text = match before.strip_suffix("SELECT * FROM") {
        Some(insert) if is_numbered => format!(
            "{} SELECT (SELECT nextval('numbers')) * {BLOCK} + place, {names}
             FROM UNNEST({lists}) WITH ORDINALITY AS v({names}, place) {after}",
            insert.replacen('(', "(id, ", 1)
        ),
        None if before.ends_with("IN") => {
            format!("{before} (SELECT * FROM UNNEST({lists}) AS v({names})) {after}")
        }
        Some(insert) => {
            format!("{insert} SELECT {names} FROM UNNEST({lists}) AS v({names}) {after}")
        }
        None => format!("{before} UNNEST({lists}) AS v({names}) {after}"),
    };
    translated(&text)
}

const fn type_of(kind: char) -> &'static str {
    match kind {
        'i' => "bigint",
        'r' => "float8",
        'b' | 'B' => "bytea",
        _ => "text",
    }
}

/// Writes rows by a statement for them.
pub(in crate::store) async fn write(
    link: &mut PgLink,
    text: &str,
    kinds: &str,
    values: Vec<Value>,
) -> Result<(), sqlx::Error> {
    let rows = Prepared::rows(text, kinds, values, link.prepares);
    rows.execute(link).await.map(drop)
}

/// Fetches what is stored about rows, by a statement for them.
pub(in crate::store) async fn fetch_all(
    link: &mut PgLink,
    text: &str,
    kinds: &str,
    values: Vec<Value>,
) -> Result<Vec<Row>, sqlx::Error> {
    let rows = Prepared::rows(text, kinds, values, link.prepares);
    rows.fetch(link).await
}

/// The columns of rows that come one after the other.
fn lists(kinds: &str, values: Vec<Value>) -> PgArguments {
    let mut columns: Vec<Vec<Value>> = kinds.chars().map(|_| Vec::new()).collect();
    for (column, value) in (0..kinds.len()).cycle().zip(values) {
        columns[column].push(value);
    }
    let mut arguments = PgArguments::default();
    for (kind, column) in kinds.chars().zip(columns) {
        let column = column.into_iter();
        let added = match kind {
            'i' => arguments.add(column.map(Value::int).collect::<Vec<_>>()),
            'r' => arguments.add(column.map(Value::real).collect::<Vec<_>>()),
            'B' => arguments.add(column.map(Value::bytes).collect::<Vec<_>>()),
            'b' => {
                let bytes = |value: Value| value.text().map(|text| text.as_bytes().to_vec());
                arguments.add(column.map(bytes).collect::<Vec<_>>())
            }
            _ => {
                let texts = column.map(|value| value.text().map(without_nul));
                let texts: Vec<Option<String>> = texts
                    .map(|text| text.map(|text| text.as_ref().to_owned()))
                    .collect();
                arguments.add(texts)
            }
        };
        added.expect("lists of numbers and texts can always be bound");
    }
    arguments
}

/// A text without the one character that PostgreSQL's texts cannot hold.
pub(in crate::store) fn without_nul(text: Arc<str>) -> Arc<str> {
    match text.contains('\0') {
        true => text.replace('\0', "\u{fffd}").into(),
        false => text,
    }
}

/// What SQLite and PostgreSQL call otherwise. SQLite's joins in the order given are any others here, and it has signs for
/// its planner.
const WORDS: [(&str, &str); 6] = [
    ("CROSS JOIN", "JOIN"),
    ("json_group_array(", "json_agg("),
    ("json_array(", "json_build_array("),
    ("json_object(", "json_build_object("),
    (" +id ", " id "),
    (" +match_id ", " match_id "),
];
const INDEX: &str = " INDEXED BY ";

/// A statement in PostgreSQL's words.
pub(super) fn translated(sql: &str) -> String {
    let mut text = Cow::Borrowed(sql);
    for (word, other) in WORDS {
        if text.contains(word) {
            text = text.replace(word, other).into();
        }
    }
    let mut parts = text.split(INDEX);
    let mut translated = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (_, rest) = part.split_once(' ').unwrap_or_default();
        translated.push(' ');
        translated.push_str(rest);
    }
    translated
}

#[cfg(test)]
mod tests {
    use super::translated;

    #[test]
    fn what_only_sqlite_understands_is_translated() {
        assert_eq!(
            translated("SELECT json_array(id) FROM a INDEXED BY b WHERE true AND +id < 3"),
            "SELECT json_build_array(id) FROM a WHERE true AND id < 3"
        );
        assert_eq!(translated("SELECT 1"), "SELECT 1");
    }
}
