//! The referee over HTTP: who may ask, what is asked, and the page that answers.

mod allowed;
mod page;
pub mod query;
pub mod server;

pub use allowed::Reaches;
pub use server::{ServerSettings, serve};
