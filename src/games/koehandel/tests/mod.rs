//! Tests of the rulings, the wire and the fold. README.md names the test of each ruling.

mod auctions;
mod coverage;
mod disturbed;
mod facts;
mod fold;
mod golden;
mod hall;
mod hangs;
mod laws;
mod match_facts;
pub mod play;
mod readings;
mod scenes;
mod scorer;
mod sound;
mod trades;
