//! Rows that were read.

use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{ColumnIndex, Row as _, TypeInfo as _, ValueRef as _};

/// A row that was read.
#[derive(Debug)]
pub(crate) enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

/// The place of a column, or its name.
pub(crate) trait Place: ColumnIndex<SqliteRow> + ColumnIndex<PgRow> + Copy {}

impl<T: ColumnIndex<SqliteRow> + ColumnIndex<PgRow> + Copy> Place for T {}

/// What a column is read as.
pub(crate) trait Column<'r>: Sized {
    fn read(row: &'r Row, at: impl Place) -> Result<Self, sqlx::Error>;
}

impl Row {
    /// Reads a column.
    pub(crate) fn try_get<'r, T: Column<'r>>(&'r self, at: impl Place) -> Result<T, sqlx::Error> {
        T::read(self, at)
    }
}

fn decode(error: impl Into<sqlx::error::BoxDynError>) -> sqlx::Error {
    sqlx::Error::Decode(error.into())
}

impl Column<'_> for i64 {
    fn read(row: &Row, at: impl Place) -> Result<Self, sqlx::Error> {
        match row {
            Row::Sqlite(row) => row.try_get(at),
            Row::Postgres(row) => {
                let raw = row.try_get_raw(at)?;
                match raw.type_info().name() {
                    "INT4" => row.try_get::<i32, _>(at).map(Self::from),
                    "BOOL" => row.try_get::<bool, _>(at).map(Self::from),
                    _ => row.try_get(at),
                }
            }
        }
    }
}

impl Column<'_> for u8 {
    fn read(row: &Row, at: impl Place) -> Result<Self, sqlx::Error> {
        Self::try_from(<i64 as Column>::read(row, at)?).map_err(decode)
    }
}

impl Column<'_> for u32 {
    fn read(row: &Row, at: impl Place) -> Result<Self, sqlx::Error> {
        Self::try_from(<i64 as Column>::read(row, at)?).map_err(decode)
    }
}

impl Column<'_> for bool {
    fn read(row: &Row, at: impl Place) -> Result<Self, sqlx::Error> {
        <i64 as Column>::read(row, at).map(|number| number != 0)
    }
}

impl Column<'_> for f64 {
    fn read(row: &Row, at: impl Place) -> Result<Self, sqlx::Error> {
        match row {
            Row::Sqlite(row) => row.try_get(at),
            Row::Postgres(row) => row.try_get(at),
        }
    }
}

impl<'r> Column<'r> for &'r [u8] {
    fn read(row: &'r Row, at: impl Place) -> Result<Self, sqlx::Error> {
        match row {
            Row::Sqlite(row) => row.try_get(at),
            Row::Postgres(row) => row.try_get(at),
        }
    }
}

impl Column<'_> for Vec<u8> {
    fn read(row: &Row, at: impl Place) -> Result<Self, sqlx::Error> {
        <&[u8] as Column>::read(row, at).map(<[u8]>::to_vec)
    }
}

impl<'r> Column<'r> for &'r str {
    fn read(row: &'r Row, at: impl Place) -> Result<Self, sqlx::Error> {
        match row {
            Row::Sqlite(row) => row.try_get(at),
            // Texts from strangers, which may hold what PostgreSQL's texts cannot.
            Row::Postgres(row) if row.try_get_raw(at)?.type_info().name() == "BYTEA" => {
                str::from_utf8(row.try_get(at)?).map_err(decode)
            }
            Row::Postgres(row) => row.try_get(at),
        }
    }
}

impl Column<'_> for String {
    fn read(row: &Row, at: impl Place) -> Result<Self, sqlx::Error> {
        <&str as Column>::read(row, at).map(str::to_owned)
    }
}

impl<'r, T: Column<'r>> Column<'r> for Option<T> {
    fn read(row: &'r Row, at: impl Place) -> Result<Self, sqlx::Error> {
        let is_null = match row {
            Row::Sqlite(row) => row.try_get_raw(at)?.is_null(),
            Row::Postgres(row) => row.try_get_raw(at)?.is_null(),
        };
        (!is_null).then(|| T::read(row, at)).transpose()
    }
}

/// Columns that are read together, from the first on.
pub(crate) trait Columns: Sized {
    fn read(row: &Row) -> Result<Self, sqlx::Error>;
}

impl<T: for<'r> Column<'r>> Columns for T {
    fn read(row: &Row) -> Result<Self, sqlx::Error> {
        row.try_get(0)
    }
}

macro_rules! tuples {
    ($(($($type:ident $at:tt),+))*) => {$(
        impl<$($type: for<'r> Column<'r>),+> Columns for ($($type,)+) {
            fn read(row: &Row) -> Result<Self, sqlx::Error> {
                Ok(($(row.try_get::<$type>($at)?,)+))
            }
        }
    )*};
}

tuples! {
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
}
