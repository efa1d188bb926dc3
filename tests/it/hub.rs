//! Both ends of a hub's line: our hub with other people's players, our players on other people's hubs.

mod client;
mod crowd;
mod daemon;
mod dialled;
mod player;
mod scripted;
mod server;
