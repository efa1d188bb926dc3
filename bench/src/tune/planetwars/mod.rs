//! Planet Wars.

mod close;
mod galaxy;
mod strangers;

pub(crate) use galaxy::{Keys, Own};
