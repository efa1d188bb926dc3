//! Notifies callers that their work is not stored.

use super::batch::{Batch, Work};
use super::command::answer;
use super::fault::{Verdict, shown};
use crate::store::error::StoreError;
use std::collections::HashSet;

/// Answers all callers whose work was rolled back.
pub(super) fn refuse(works: Vec<Work>, verdict: Verdict, why: &str) {
    for work in works {
        match work {
            Work::Append { reply, .. } => answer(reply, Err(shown(verdict, why))),
            Work::Open { reply, .. } | Work::Close { reply, .. } => {
                answer(reply, Err(shown(verdict, why)));
            }
        }
    }
}

impl Batch {
    /// Answers the callers that wanted to end matches that do not exist.
    pub(super) fn refuse_unknown(&mut self, unknown: &HashSet<String>) {
        if unknown.is_empty() {
            return;
        }
        for work in std::mem::take(&mut self.works) {
            match work {
                Work::Close { id, reply, .. } if unknown.contains(&id) => {
                    answer(reply, Err(StoreError::Unknown { what: "match", id }));
                }
                other => self.works.push(other),
            }
        }
    }
}
