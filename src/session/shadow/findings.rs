//! What is found out about a shadow in a session.

use crate::programs::Conduct;
use crate::store::ShadowTally;
use crate::store::types::EntryId;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use utoipa::ToSchema;

/// Differences that are listed; of more, only their number is kept.
pub const DIFFERENCES_MAX: usize = 200;
/// Of each answer in that list, so many characters.
const TEXT_CHARS_MAX: usize = 400;
/// Faults that are told in sentences.
const FAULTS_MAX: usize = 16;

/// Where a shadow differed in a session, and how it failed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ShadowReport {
    /// Where its answer was another one: the first 200.
    pub differences: Vec<ShadowDifference>,
    /// Why it did not hear or answer everything, in sentences.
    pub faults: Vec<String>,
    /// What a user's program did beside its answers; `null` for a built-in bot.
    pub conduct: Option<Conduct>,
}

/// A decision at which a shadow differed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ShadowDifference {
    /// The entry that asked.
    #[schema(value_type = i64)]
    pub entry: EntryId,
    /// What was sent, at most its first 400 characters.
    #[schema(example = "?a=50")]
    pub sent: String,
    /// What the shadow said, at most its first 400 characters.
    #[schema(example = "?a=0")]
    pub said: String,
}

/// What a shadow made of a decision.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Decided {
    /// It answered so, after so long.
    Said(String, Duration),
    /// Its answer, after so long, was not legal.
    Illegal(Duration),
    /// It had no answer after so long.
    Late(Duration),
    /// It was not running.
    Failed,
    /// It was not asked.
    Skipped,
}

/// What is known so far.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// Whether it is at a decision.
    pub(super) asked: bool,
    pub(super) tally: ShadowTally,
    pub(super) report: ShadowReport,
}

impl Findings {
    /// Adds a decision that was answered so, by the playing bot after so long; `None`: it was not asked.
    pub(super) fn count(
        &mut self,
        decided: Decided,
        (entry, sent, took): (EntryId, &str, Option<Duration>),
    ) {
        let counts = &mut self.tally.counts;
        let shadow_took = match decided {
            Decided::Said(said, took) if said == sent => {
                counts.agreed += 1;
                Some(took)
            }
            Decided::Said(said, took) => {
                counts.differed += 1;
                if self.report.differences.len() < DIFFERENCES_MAX {
                    self.report.differences.push(ShadowDifference {
                        entry,
                        sent: cut(sent),
                        said: cut(&said),
                    });
                }
                Some(took)
            }
            Decided::Illegal(took) => {
                counts.illegal += 1;
                Some(took)
            }
            Decided::Late(took) => {
                counts.late += 1;
                Some(took)
            }
            Decided::Failed => {
                counts.failed += 1;
                None
            }
            Decided::Skipped => {
                counts.skipped += 1;
                return;
            }
        };
        if let Some(took) = took {
            self.tally.bot_times.add(took);
        }
        if let Some(took) = shadow_took {
            self.tally.shadow_times.add(took);
        }
    }

    /// It does not come back from the decision that it is at, if it is at one.
    pub(super) fn lose(&mut self) {
        self.tally.counts.failed += u64::from(std::mem::take(&mut self.asked));
    }

    /// The shadow is not told or asked everything: why.
    pub(super) fn break_off(&mut self, why: impl Into<String>) {
        self.tally.whole = false;
        if self.report.faults.len() < FAULTS_MAX {
            self.report.faults.push(why.into());
        }
    }
}

fn cut(text: &str) -> String {
    text.chars().take(TEXT_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::{DIFFERENCES_MAX, Decided, Findings, TEXT_CHARS_MAX};
    use crate::store::types::EntryId;
    use std::time::Duration;

    #[test]
    fn counts_are_exact_and_the_list_is_bounded() {
        let mut findings = Findings::default();
        let ms = Duration::from_millis(1);
        let long = "é".repeat(TEXT_CHARS_MAX + 1);
        for entry in 0..DIFFERENCES_MAX as i64 + 5 {
            let said = Decided::Said(long.clone(), ms);
            findings.count(said, (EntryId(entry), "x", Some(ms)));
        }
        for decided in [
            Decided::Said("x".into(), ms),
            Decided::Illegal(ms),
            Decided::Late(ms),
            Decided::Failed,
            Decided::Skipped,
        ] {
            findings.count(decided, (EntryId(9_999), "x", Some(ms)));
        }
        let counts = findings.tally.counts;
        assert_eq!((counts.agreed, counts.differed), (1, 205));
        assert_eq!((counts.illegal, counts.late), (1, 1));
        assert_eq!((counts.failed, counts.skipped), (1, 1));
        assert_eq!(counts.asked(), 209);
        assert_eq!(findings.tally.bot_times.count(), 209);
        assert_eq!(findings.tally.shadow_times.count(), 208);
        let listed = &findings.report.differences;
        assert_eq!(listed.len(), DIFFERENCES_MAX);
        assert!(
            listed
                .iter()
                .all(|one| one.said.chars().count() == TEXT_CHARS_MAX)
        );
    }
}
