//! User bots: what one is started from, where it is found by name, and one in a match.
//!
//! # Adding one
//!
//! `manifest` reads `bot.toml`, `copy` copies the folder within limits next to its place on the shelf, `build` builds it there
//! under a guard, so that nothing of the build outlives the verb, and one rename gives it its name (`shelf`). Nothing of that is
//! cached: the shelf is read when a match begins, so that a running daemon finds what was just added. Other machines get a bot as
//! an `archive`: its folder as it was added, or what was built of it. `starters` writes new
//! bots; `check` plays a recorded match with one, in good and bad conditions, and goes on as recorded whatever it answers.
//!
//! # One in a match
//!
//! A `driver` stands between the dialogue, whose own bot is the fallback, and the program: it sends what the dialogue's `Post`
//! holds, asks for what is due, and hands the answer in. Sessions use it, and seats at our own tables. A thread talks to each bot
//! (`instance`); `runner` is what it sends, receives, counts and restarts, `log` what it has sent, and `carrier` what carries the
//! lines: the pipes of a process, or POSTs to a URL (`posts`). A POST is made when a decision is waited for. One that failed or
//! was late leaves open what was received, so the next one begins the match again.
//!
//! A program that speaks its game's own protocol receives each message as it is, and `native` reads its lines into answers, one
//! for each message that wants one, in order. At the arbiter's table such a program plays as `cmd:` does, without a driver:
//! acknowledgements between dialogue and table would cost it no time, and several that are asked at once would think one after the
//! other, so its clocks would not be the contest's.
//!
//! `account` notes who made each decision, and `conduct` how the program behaved; the code that ends the match stores both.
//! `starting` has programs take turns, so that a restart with hundreds of matches leaves the fallbacks time to answer.

mod account;
mod archive;
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
mod opening;
#[cfg(test)]
mod patience;
mod posts;
mod runner;
mod shelf;
mod starters;
mod starting;

pub use account::Account;
pub use archive::PACKED_MAX;
pub use bots::{Bots, protections_of};
pub use build::{BuildError, missing_protection};
pub use check::{Finding, Report, ScriptError, Weather, check};
pub use conduct::{Conduct, StderrPart, stderr_parts};
pub use copy::{Copied, CopyError};
pub use driver::Driver;
pub use instance::{Instance, Leaving, try_out};
pub use launch::{Launch, Programs, Protocol};
pub use manifest::{MANIFEST, Manifest, ManifestError};
pub use name::{BotName, NAME_RULE, NameError, VERSION_RULE, is_name, is_version};
pub use opening::Opening;
pub use shelf::{Added, Kept, Shelf, ShelfError, Version};
pub use starters::{LANGUAGES, Language, StarterError};
