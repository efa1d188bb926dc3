//! Shims: they connect over a Unix socket, one connection per shim, and leave journals next to it of what they
//! answered while nobody listened there.

mod connection;
mod journals;
mod listener;
mod relayed;

pub use connection::attend;
pub use journals::collect;
pub use listener::{Access, SocketError, open_socket, serve};
