//! What pins the rules and the map format. README.md names the test of each rule.

mod equal;
mod laws;
mod lines;
mod maps;
mod recorded;
mod reference;
mod situations;
mod wire;
