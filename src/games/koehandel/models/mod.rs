//! Opponent models as data: what was counted for a rival over all matches, in one JSON schema; how a match
//! adds to it, how it is shown, and how it becomes the champion's prior for a rival.

mod evidence;
mod known;
mod observer;
mod show;
mod who;

pub use evidence::{Evidence, VERSION, merge};
pub use known::Models;
pub use observer::Observer;
pub use show::{FOREMOST, NOTES, show};
pub use who::{Guess, Who};

#[cfg(test)]
mod tests;
