//! What is to be seen of a match: the state by the table or by one seat, in words and as a picture (README.md,
//! section 5).

mod drawings;
mod news;
mod picture;
mod pieces;
mod plan;
mod state;
mod table;
mod watch;
mod words;

pub use news::news;
pub use picture::{draw, draw_narrow};
pub use state::{Auction, Bid, CURVES, Cash, Payment, Player, Settled, Stage, Stake, State, Trade};
pub use watch::Watch;
pub use words::{counted, sentence, title, worth};
