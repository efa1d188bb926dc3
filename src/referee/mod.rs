//! Plays one match: drives a table against its seats, over HTTP, over pipes or in process, seats players that
//! dial a hub, and records what happened.
//!
//! What happens in a match is decided by `games::Match` alone; `drive` is the loop between it and a port, and `play` the way
//! to one match of any game over any wire. Four ports: `host` (HTTP; it draws numbers of matches and resumes interrupted
//! ones through `replay`, including the dialogues of built-in seats), `hub`, `arbiter` (pipes) and `in_process`. `seat`
//! calls players and asks bots; seats on our own listener are called with the nonce, and stored and shown without it.
//! `record` keeps every seat's transcript in the store and, at the match's end, the facts that it shows; its writer waits
//! while nothing can be written. `feed` passes on a match that somebody watches while it is played, and `followed` one in
//! process. `http` is what asks for matches.

pub mod arbiter;
mod drive;
mod feed;
mod followed;
pub mod host;
pub mod http;
pub mod hub;
mod in_process;
mod play;
pub mod record;
mod refereed;
pub mod seat;
mod spec;
mod stop;
#[cfg(test)]
mod tests;

pub use arbiter::Pipes;
pub use feed::{Beginning, Fed, Feed};
pub use host::{
    Call, Draw, Ending, Host, HostSettings, HostedMatch, MatchEnd, MatchInfo, MatchRequest,
    Numbers, OnMatch, StartError, Started, demo, merged,
};
pub use http::{Reaches, ServerSettings, query, serve};
pub use in_process::InProcess;
pub use play::{HubPorts, MatchError, Ports, play};
pub use record::{
    DecisionTimes, MatchRecord, OpenRecord, RecordError, RecordLine, Recording, UnfinishedMatch,
    cancelled, lines_of, result_of,
};
pub use refereed::Refereed;
pub use seat::{
    HttpSeat, Notebook, OnEnd, OwnAddress, SeatConduct, SeatLink, SeatPrograms, SeatReply,
    SeatSpec, SeatSpecError, budget, seat_builtin, seat_spec,
};
pub use spec::MatchSpec;
pub use stop::Stop;
