//! A hub: players dial it, wait in rooms, and play there over their own connections. Or it is open to invited
//! entrants only, and seats them as planned.
//!
//! `connection` is one player's socket, `lobby` the matchmaking without clock or socket, and `game` one match: it feeds
//! each line to the table as it arrives, so that the order of arrival decides, and gives up on players that are late or
//! gone. `matches` seats and records it; `server` joins them all. For invited entrants there are no rooms: `guests`
//! knows who waits, plays or is missing, and `appointment` holds the planned matches, with built-in bots in this
//! process (`bot`). A turn of smart-dog is decided at once by a bot, and played command by command, as the commands
//! arrive.

mod appointment;
mod bot;
mod connection;
mod dialled;
mod guests;
mod lobby;
mod maps;
mod matches;
mod rooms;
mod server;
mod token;

pub use appointment::{Appointment, AppointmentError, Place};
pub use guests::{Invited, InvitedError};
pub use maps::{MapsError, read_maps};
pub use rooms::{Room, RoomError};
pub use server::{HubServer, HubSettings, OnLine};
pub use token::{TokenDigest, TokenError};
