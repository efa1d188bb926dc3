//! What became of a program in a match.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// Faults that are told in sentences; of more, only their number is kept.
const FAULTS_MAX: usize = 16;

/// What became of a program in a match.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Conduct {
    /// How often it was started.
    pub starts: u32,
    /// Decisions that it answered in time.
    pub answered: u64,
    /// Decisions that it did not answer in time.
    pub late: u64,
    /// Answers that were not taken.
    pub refused: u64,
    /// Answers that came after their time.
    pub stale: u64,
    /// After it was started again: earlier answers that it gave again ...
    pub repeated: u64,
    /// ... and those that it changed.
    pub changed: u64,
    /// How often it failed.
    pub failed: u64,
    /// How it failed, in sentences, the first ones.
    pub faults: Vec<String>,
    /// What it noted last.
    #[serde(skip)]
    pub note: Option<Value>,
    /// The end of its standard error.
    #[serde(skip)]
    pub stderr: String,
}

impl Conduct {
    pub(super) fn fails(&mut self, why: String) {
        self.failed += 1;
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(why);
        }
    }
}
