//! What is followed: streams of events (SSE) of one match and of all, and lists. Each of them is one loop: read what
//! comes after a mark, send it, then wait until more is committed ([`shared`]).

mod all_matches;
mod feeds;
mod follow;
mod one_match;
mod sending;
mod shared;
mod streams;

pub use feeds::Feeds;
pub(super) use follow::{Changes, OfMatch, OfNews};
pub(super) use one_match::{Mark, News};
pub(super) use shared::Waiting;
pub(super) use streams::{__path_all, __path_of_match, all, of_match};
