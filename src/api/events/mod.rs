//! Streams of events (SSE): all matches as they begin and end, and one match entry by entry. A stream begins with
//! what there is (`state`), unless its reader says how far it has followed it before; then it goes on with what the
//! writer commits.

mod everything;
mod feed;
mod feeds;
mod follow;
mod ring;
mod sending;
mod stream;
mod told;

pub(super) use feed::News;
pub use feeds::Feeds;
pub(super) use follow::{Begin, Bluffs, Changes, OfMatch, OfNews, Tail};
pub(super) use sending::Close;
pub(super) use stream::{AllState, LAST_EVENT, MatchState, all, of_match};
