//! Who is of one's own team? One word a turn from the player before in the ring says it (README.md).

mod identify;
mod masks;
mod relay;
mod word;

pub use identify::Ring;
pub use word::{DONE, HELLO, RELAY, read, word};
