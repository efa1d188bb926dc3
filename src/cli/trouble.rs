//! What was wrong with programs in matches, as it is shown on a terminal.

use crate::plain::plain_line;
use crate::programs::Conduct;
use crate::referee::{OnEnd, SeatConduct, SeatPrograms};
use crate::tournament::{Failure, FinishedMatch};
use games::{Cause, Histogram, is_earned};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// Lines of a program's standard error that are shown, and characters of each.
const STDERR_LINES: usize = 12;
const STDERR_CHARS: usize = 200;
/// How long to wait after a match for a program's report.
pub(super) const CONDUCT_WITHIN: Duration = Duration::from_secs(15);

/// What was wrong with a program in a match.
pub(super) struct Trouble<'a>(pub(super) &'a SeatConduct);

impl<'a> Trouble<'a> {
    pub(super) const fn from_conduct(conduct: &'a SeatConduct) -> Self {
        Self(conduct)
    }

    pub(super) fn is_none(&self) -> bool {
        let SeatConduct {
            asked,
            taken,
            conduct,
            ..
        } = self.0;
        asked == taken && conduct.failed == 0
    }

    /// Whether the match is the program's own, not rather its fallback's.
    pub(super) const fn counts(&self) -> bool {
        2 * self.0.taken >= self.0.asked
    }

    /// Whether it was late alone, and no more often than a tournament forgives: as while an interpreter starts.
    pub(super) const fn is_slight(&self) -> bool {
        let SeatConduct {
            asked,
            taken,
            conduct,
            ..
        } = self.0;
        let others = conduct.failed + conduct.refused;
        others == 0 && conduct.late > 0 && is_earned(*asked, *asked - *taken)
    }

    /// Whether it took no decision at all.
    pub(super) const fn is_hopeless(&self) -> bool {
        self.0.taken == 0 && self.0.asked > 0
    }

    /// What it did wrong, in words.
    pub(super) fn sentence(&self) -> String {
        let conduct = &self.0.conduct;
        let mut parts = Vec::new();
        if conduct.failed > 0 {
            let mut kinds: Vec<&str> = conduct.faults.iter().map(String::as_str).collect();
            kinds.sort_unstable();
            kinds.dedup();
            let (times, kinds) = (conduct.failed, kinds.join("; "));
            let times = if times == 1 {
                "once".to_owned()
            } else {
                format!("{times} times")
            };
            parts.push(format!("it failed {times}: {}", plain(&kinds)));
        }
        if conduct.late > 0 {
            parts.push(format!(
                "{} of its answers did not come in time",
                conduct.late
            ));
        }
        if conduct.refused > 0 {
            parts.push(format!("{} of its answers were refused", conduct.refused));
        }
        match parts.is_empty() {
            true => "it could not be asked".to_owned(),
            false => parts.join("; "),
        }
    }

    /// The end of its standard error on lines of their own, or nothing.
    pub(super) fn stderr(&self) -> String {
        let lines = last_lines(&self.0.conduct.stderr);
        match lines.is_empty() {
            true => String::new(),
            false => "\n".to_owned() + Failure::ended_with(&lines).trim_end(),
        }
    }
}

/// The last lines of a program's standard error, as they can be shown.
fn last_lines(stderr: &str) -> Vec<String> {
    let lines: Vec<&str> = stderr.trim_end().lines().collect();
    let last = lines.iter().skip(lines.len().saturating_sub(STDERR_LINES));
    last.map(|line| plain(line)).collect()
}

/// The beginning of a program's text, on a terminal.
fn plain(text: &str) -> String {
    let shown: String = text.chars().take(STDERR_CHARS).collect();
    plain_line(&shown)
}

/// What the arbiter found of a program that has no fallback.
pub(super) fn at_fault(finished: &FinishedMatch, own: usize) -> SeatConduct {
    let played = &finished.played;
    let blames = played.blames.iter();
    let faults = blames.filter(|blame| blame.seat.index() == own);
    let faults: Vec<String> = faults
        .map(|blame| format!("{}: {}", blame.cause.word(), blame.detail))
        .collect();
    let left = played.left.get(own);
    let count = |counts: &[u32]| u64::from(counts.get(own).copied().unwrap_or_default());
    let (late, refused) = (count(&played.missed), count(&played.refused));
    // Whatever came of them.
    let timed = played.took.get(own).map_or(0, Histogram::count);
    let failed = faults.len() as u64;
    SeatConduct {
        bot: played.seats.get(own).cloned().unwrap_or_default(),
        // A greeting is no decision.
        asked: timed.max(failed),
        taken: timed.saturating_sub(late + failed + refused),
        conduct: Conduct {
            failed,
            late,
            refused,
            faults,
            stderr: left.map(|left| left.stderr.clone()).unwrap_or_default(),
            ..Conduct::default()
        },
    }
}

/// Until no program can report any more.
pub(super) struct AllReported(mpsc::Receiver<Infallible>);

impl AllReported {
    /// Waits for that, but not for ever.
    pub(super) async fn wait(mut self) {
        let _ = tokio::time::timeout(CONDUCT_WITHIN, self.0.recv()).await;
    }
}

/// What went wrong with the programs of a run, by their specs.
#[derive(Clone, Default)]
pub(super) struct Failures(Arc<Mutex<BTreeMap<String, Failure>>>);

impl Failures {
    /// Takes note of a match that has ended.
    pub(super) fn ended(&self, finished: &FinishedMatch) {
        let (planned, played) = (&finished.planned, &finished.played);
        let programs = played.seats.iter().enumerate().filter(|(_, spec)| {
            let mut kinds = ["cmd:", "bot:", "url:"].iter();
            kinds.any(|kind| spec.starts_with(kind))
        });
        for (seat, spec) in programs {
            let left = played.left.get(seat);
            let conduct = at_fault(finished, seat);
            let lost = left.and_then(|left| left.discarded.as_ref());
            let why = conduct.conduct.faults.first();
            let Some(why) = why.or(lost.map(|lost| &lost.first)) else {
                continue;
            };
            let timed_out = |cause| matches!(cause, Cause::TimeForfeit | Cause::InitFailure);
            let mut blames = played.blames.iter();
            let failure = Failure {
                match_number: Some(planned.number + 1),
                why: plain(why),
                stderr: last_lines(&conduct.conduct.stderr),
                matches_not_played: u64::from(match lost {
                    Some(lost) => lost.all,
                    None => conduct.taken + conduct.conduct.refused == 0,
                }),
                silent: left.is_some_and(|left| left.late)
                    && blames.any(|blame| blame.seat.index() == seat && timed_out(blame.cause)),
            };
            self.note(spec, failure);
        }
    }

    /// Receives these programs' reports as their matches end.
    pub(super) fn receive_reports(&self, programs: &mut SeatPrograms) -> AllReported {
        // Dropped with the last program that may still report.
        let (open, closed) = mpsc::channel::<Infallible>(1);
        let own = self.clone();
        programs.on_end = Some(OnEnd(Arc::new(move |conduct| {
            let _open = &open;
            own.bot(&conduct);
        })));
        AllReported(closed)
    }

    /// Records how a user's bot did in a match.
    fn bot(&self, conduct: &SeatConduct) {
        let trouble = Trouble::from_conduct(conduct);
        if trouble.is_none() {
            return;
        }
        let failure = Failure {
            match_number: None,
            why: trouble.sentence(),
            stderr: last_lines(&conduct.conduct.stderr),
            matches_not_played: u64::from(trouble.is_hopeless()),
            silent: false,
        };
        self.note(&conduct.bot, failure);
    }

    /// The first failure of each program, by its spec.
    pub(super) fn take(&self) -> BTreeMap<String, Failure> {
        std::mem::take(&mut self.0.lock())
    }

    fn note(&self, spec: &str, failure: Failure) {
        match self.0.lock().entry(spec.to_owned()) {
            Entry::Vacant(first) => {
                first.insert(failure);
            }
            Entry::Occupied(mut first) => {
                let first = first.get_mut();
                first.matches_not_played += failure.matches_not_played;
                first.silent |= failure.silent;
            }
        }
    }
}
