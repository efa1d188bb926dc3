//! Users' programs: what one is started from, and where it is found by name.

mod build;
mod check;
mod copy;
mod launch;
mod manifest;
mod name;
mod shelf;
mod starters;

pub use build::BuildError;
pub use check::{Finding, Report, Weather, check};
pub use copy::{Copied, CopyError};
pub use launch::{Launch, Programs};
pub use manifest::{MANIFEST, Manifest, ManifestError};
pub use name::{BotName, NAME_RULE, NameError, VERSION_RULE, is_name, is_version};
pub use shelf::{Added, Kept, Shelf, ShelfError, Version};
pub use starters::{STARTERS, Starter, StarterError};
