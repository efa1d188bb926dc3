//! What pins the rulings, the wire and the fold. README.md names the test of each ruling.

mod facts;
mod fold;
mod over_text;
mod play;
