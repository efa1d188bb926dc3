//! A hub: players dial it, wait in rooms, and play there over their own connections. Or it is open to invited
//! entrants only, and seats them as planned.

mod appointment;
mod bot;
mod connection;
mod game;
mod guesses;
mod guests;
mod lobby;
mod maps;
mod matches;
mod rooms;
mod server;
mod token;

pub use appointment::{Appointment, AppointmentError, Held, Place};
pub use guests::{Invited, InvitedError};
pub use maps::{MapsError, read_maps};
pub use rooms::{Room, RoomError};
pub use server::{HubServer, HubSettings, OnLine};
pub use token::{TokenDigest, TokenError};
