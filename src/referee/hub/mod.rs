//! A hub: players dial it, wait in rooms, and play there over their own connections.

mod connection;
mod game;
mod lobby;
mod maps;
mod rooms;
mod server;

pub use maps::{MapsError, read_maps};
pub use rooms::{Room, RoomError};
pub use server::{HubServer, HubSettings, OnLine};
