//! What is read of stored matches: lists, contents, rivals, tournaments.

mod analysis;
mod contents;
mod lists;
mod naming;
mod rivals;
mod tournaments;
