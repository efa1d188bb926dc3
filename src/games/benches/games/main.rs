//! Rules and dialects of the games, in process. One thread each, so that every figure is a core's.
//!
//! `cargo bench --bench games` measures all; a word picks some, such as `-- smartdog`.

mod koehandel;
mod lighthouses;
mod planetwars;
mod smartdog;

use criterion::{criterion_group, criterion_main};

criterion_group!(
    benches,
    koehandel::matches,
    koehandel::wire,
    lighthouses::rules,
    lighthouses::wire,
    planetwars::rules,
    planetwars::wire,
    smartdog::turns,
    smartdog::wire,
);
criterion_main!(benches);
