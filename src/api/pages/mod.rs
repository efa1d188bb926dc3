//! Pages for people, made here from the same reads as the API's answers: they work without scripts, and load
//! nothing from elsewhere.

mod assets;
mod layout;
mod login;
mod refused;
mod routes;
mod start;
mod visit;

pub(super) use refused::dress;
pub(super) use routes::{admitted, open};
