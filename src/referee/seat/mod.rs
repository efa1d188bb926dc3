//! The players at a table: how a seat is named, called and asked, and how long it may think.

pub mod budget;
mod own;
pub mod seat_builtin;
pub(super) mod seat_link;
mod seat_program;
pub mod seat_spec;

pub use own::OwnAddress;
pub use seat_link::{FollowError, HttpSeat, SeatLink, SeatReply};
pub use seat_program::{Discarded, Left, Notebook, OnEnd, SeatConduct, SeatPrograms};
pub use seat_spec::{SeatSpec, SeatSpecError};
