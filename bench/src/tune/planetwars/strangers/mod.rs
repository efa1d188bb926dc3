//! Players outside the ladder, written from what is known of other authors' programs: how they open, hold,
//! roll up, search, or what they were given as samples. Nobody trained against them.

mod futures;
mod plain;
mod sketch;
mod space;
mod stranger;
mod tree;

pub(crate) use stranger::stranger;
