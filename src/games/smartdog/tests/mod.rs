//! Tests of the rules and the map format. README.md names the test of each rule.

mod ending;
mod equal;
mod four;
mod garbage;
mod generated;
mod late;
mod laws;
mod learnt;
mod lines;
mod maps;
mod proofs;
mod recorded;
mod reference;
mod scenes;
mod shipped;
mod situations;
mod wire;
