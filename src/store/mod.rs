//! SQLite behind one writer and many readers: the only place that knows SQL.

pub mod types;
