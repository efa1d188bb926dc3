//! The referee over HTTP: who may ask, what may be asked, and the start page.

mod allowed;
mod page;
pub mod query;
pub mod server;

pub use allowed::Reaches;
pub use server::{ServerSettings, serve};
