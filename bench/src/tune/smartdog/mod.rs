//! Smart-dog.

mod meadow;
mod strangers;

pub(crate) use meadow::Keys;
