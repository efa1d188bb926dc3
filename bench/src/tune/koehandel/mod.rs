//! Koehandel.

mod climb;
mod farm;
mod own;
mod strangers;

pub(crate) use farm::Keys;
pub(crate) use own::Own;
