//! The daemon: what `serve` starts, wires together and stops cleanly. It knows every module and none knows
//! it.

mod apart;
mod descriptors;
mod figures;
mod hub;
mod listeners;
mod process;
mod referee;
mod replica;
mod room;
mod running;
mod signals;
mod site;
mod watching;

pub use hub::hub_settings;
pub use listeners::{Inherited, ListenError};
pub use referee::{known_match, server_settings};
pub use running::{Addresses, Daemon, Extras, Stopping};
pub use signals::Signals;
pub use site::Site;
pub use watching::Watching;
