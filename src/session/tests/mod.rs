//! Sessions over a real store and a real pool, with the toy game.

mod agree;
mod behind;
mod compare;
mod faults;
mod foreign;
mod life;
mod native;
mod program;
mod recovery;
mod server;
mod shares;
pub(crate) mod world;
