//! Koehandel.

mod climb;
mod farm;
mod learn;
mod own;
mod strangers;

pub(crate) use farm::Keys;
pub(crate) use own::Own;
