//! One form of statements for both engines. SQL is written once, in what both understand: parameters are `$1`, lists are
//! JSON texts read by `json_each`. What PostgreSQL calls otherwise is translated ([`postgres::translated`]), or its schema
//! has a function of SQLite's name; what an engine has of its own is in [`sqlite`] and [`postgres`].

mod builder;
mod connection;
pub(super) mod postgres;
mod query;
mod row;
pub(super) mod sqlite;
mod statement;
mod value;

pub(crate) use builder::Builder;
pub(crate) use connection::{Connection, Pool};
pub(crate) use query::{Query, query, query_as};
pub(crate) use row::Row;
pub(in crate::store) use statement::Statement;
pub(super) use value::Value;
