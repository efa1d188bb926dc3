//! Users' programs: what one is started from, where it is found by name, and one in a match.

mod account;
mod bots;
mod build;
mod carrier;
mod check;
mod conduct;
mod copy;
mod driver;
mod instance;
mod launch;
mod log;
mod manifest;
mod name;
mod native;
#[cfg(test)]
mod patience;
mod posts;
mod runner;
mod shelf;
mod starters;
mod starting;

pub use account::Account;
pub use bots::{Bots, protections_of};
pub use build::BuildError;
pub use check::{Finding, Report, Weather, check};
pub use conduct::Conduct;
pub use copy::{Copied, CopyError};
pub use driver::{Answer, Driver, SPENT, contest};
pub use instance::{Instance, Leaving, Opening, Reply, try_out};
pub use launch::{Launch, Programs, Protocol};
pub use manifest::{MANIFEST, Manifest, ManifestError};
pub use name::{BotName, NAME_RULE, NameError, VERSION_RULE, is_name, is_version};
pub use shelf::{Added, Kept, Shelf, ShelfError, Version};
pub use starters::{STARTERS, Starter, StarterError};
