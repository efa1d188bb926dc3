//! Users' programs: what one is started from, and where it is found by name.

mod build;
mod copy;
mod launch;
mod manifest;
mod name;
mod shelf;

pub use build::BuildError;
pub use copy::{Copied, CopyError};
pub use launch::{Launch, Programs};
pub use manifest::{MANIFEST, Manifest, ManifestError};
pub use name::{BotName, NAME_RULE, NameError, VERSION_RULE, is_name, is_version};
pub use shelf::{Added, Kept, Shelf, ShelfError, Version};
