//! A hub: players dial it, wait in rooms, and play there over their own connections. Or it is open to invited
//! entrants only, and seats them as planned.
//!
//! `connection` is one player's socket, `guest` the player as the hub holds it, `lobby` the matchmaking without clock or
//! socket, and `dialled` the port between the players of one match and `games::Match`, which decides; lines come in as they
//! arrive, so that the order of arrival decides. `server/matches` seats and records a match; `server` joins them all. For
//! invited entrants there are no rooms: `guests` knows who waits, plays or is missing, and `server/appointment` holds the
//! planned matches, with built-in bots in this process (`bot`). A turn of smart-dog is decided at once by a bot, and played
//! command by command, as the commands arrive.

mod bot;
mod connection;
mod dialled;
mod guest;
mod guests;
mod lobby;
mod maps;
mod rooms;
mod server;
mod token;

pub use guests::{Invited, InvitedError};
pub use maps::{MapsError, read_maps};
pub use rooms::{Room, RoomError};
pub use server::appointment::AppointmentError;
pub use server::{HubServer, HubSettings, OnLine};
pub use token::{TokenDigest, TokenError};
