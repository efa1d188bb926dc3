//! Who is in one's own team? One word a turn from the previous player in the ring identifies its members (README.md).

mod guests;
mod identify;
mod masks;
mod relay;
mod word;

pub use identify::Ring;
pub use word::{DONE, HELLO, RELAY, read, word};
