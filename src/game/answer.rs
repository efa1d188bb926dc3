//! The moments of a decision. Pure: the caller owns the clock.
//!
//! The one rule of time: a decision may take the wire's limit less the configured margin, and the margin
//! never takes more than a quarter of a limit below 5 s.

use crate::card::Limits;
use crate::game::Budget;
use crate::wire::{Dialogue, Frame, Progress};
use std::time::Duration;

/// The margin where none is configured: time for a commit and the way back.
pub const MARGIN: Duration = Duration::from_millis(500);
/// A margin is at most this part of a limit: a flat one would leave nothing of a limit as short as
/// itself.
const MARGIN_SHARE: u32 = 4;
/// From this limit on the margin is taken as it is configured: it may be 4 s, which leaves enough.
const WHOLE_FROM: Duration = Duration::from_secs(5);
/// What the smallest decision may take.
const TARGET_MIN: Duration = Duration::from_millis(10);
/// How much later than its target a decision is waited for: its last slice ends, or it is stuck.
const TARGET_GRACE: Duration = Duration::from_millis(100);
/// The share of a program's decision that is kept for its fallback, if the program is late: at least so much, which
/// also takes the answer in, and at most so much.
const KEPT_SHARE: u32 = 20;
const KEPT_MIN: Duration = Duration::from_millis(5);
const KEPT_MAX: Duration = Duration::from_millis(200);
/// The part of what is left of a match's clock that a decision may take of a program that keeps the clock itself.
const OWN_CLOCK_SHARE: u32 = 4;
/// The part of a limit that a program has for a decision that may have been asked of a process before.
const AGAIN_SHARE: u32 = 10;
/// The share of what is kept in which nobody thinks any more.
const QUIET_SHARE: u32 = 4;

/// The part of `limit` that is left for everything but thinking.
#[must_use]
pub fn margin(configured: Duration, limit: Duration) -> Duration {
    if limit < WHOLE_FROM {
        configured.min(limit / MARGIN_SHARE)
    } else {
        configured.min(limit)
    }
}

/// The time for a decision, as the dialogue says it ([`crate::Next::Think`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The wire's own limit, from receipt to answer.
    pub limit: Duration,
    /// How long it should take where a clock runs over many decisions; zero if only one answer is legal.
    pub target: Option<Duration>,
}

impl Bounds {
    /// Whether only one answer is legal: a share of no time is granted to what is forced.
    #[must_use]
    pub fn is_forced(self) -> bool {
        self.target == Some(Duration::ZERO) && !self.limit.is_zero()
    }
}

/// The moments of a decision, as times since its message was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// When thinking ends.
    pub stop: Duration,
    /// When an answer must be there; never before `stop`.
    pub deadline: Duration,
}

impl Times {
    /// The moments of a decision.
    #[must_use]
    pub fn new(Bounds { limit, target }: Bounds, configured: Duration) -> Self {
        let last = limit.saturating_sub(margin(configured, limit));
        // Where one clock runs over many decisions, waiting uses it up as thinking does.
        let stop = target.map_or(last, |target| target.max(TARGET_MIN));
        Self {
            stop: stop.min(last),
            deadline: (stop + TARGET_GRACE).min(last),
        }
    }
}

/// The moments of a decision that a user's program makes, and its fallback if the program is late. The same wherever
/// a program plays or is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramTimes {
    /// When the program's answer must be there.
    pub program: Duration,
    /// The fallback's moments, where it decides from the beginning on.
    pub fallback: Times,
    /// When a fallback that is asked late stops thinking.
    pub late_stop: Duration,
    limit: Duration,
}

impl ProgramTimes {
    /// The moments of a decision in a contest with these limits. `None`: only one answer is legal, and the program is not
    /// asked for it.
    #[must_use]
    pub fn new(limits: Limits, asked: Bounds, configured: Duration) -> Option<Self> {
        if asked.is_forced() {
            return None;
        }
        let limit = asked.limit.min(limits.answer.max(limits.open));
        let target = program_target(limits, Bounds { limit, ..asked });
        let fallback = Times::new(Bounds { limit, target }, configured);
        let kept = kept(fallback.deadline);
        Some(Self {
            program: fallback.deadline.saturating_sub(kept),
            fallback,
            late_stop: fallback.deadline.saturating_sub(kept / QUIET_SHARE),
            limit,
        })
    }

    /// The same for a program that sees the match's clock itself and is given no share of it: where one clock runs over
    /// many decisions, it may take up to a part of all that is left.
    #[must_use]
    pub fn on_own_clock(self, asked: Bounds) -> Self {
        let most = own_clock(asked.limit);
        match asked.target {
            Some(_) if most > self.fallback.deadline => Self {
                program: most,
                ..self
            },
            _ => self,
        }
    }

    /// The same for a program that may take no longer than this; its fallback has as long after it as otherwise.
    #[must_use]
    pub fn within(self, most: Duration) -> Self {
        if most >= self.program {
            return self;
        }
        let kept = kept(self.fallback.deadline);
        Self {
            program: most,
            late_stop: self.late_stop.min(most + kept - kept / QUIET_SHARE),
            ..self
        }
    }

    /// The same where the asker may be waiting since before this process began, nobody knows how long: at most
    /// [`AGAIN_SHARE`] of the limit is for the program, which is being started again, and as much for its fallback.
    #[must_use]
    pub fn again(self) -> Self {
        let share = self.limit / AGAIN_SHARE;
        let program = self.program.min(share);
        let late_stop = self.late_stop.min(program + share);
        Self {
            program,
            fallback: Times {
                stop: self.fallback.stop.min(late_stop),
                deadline: self.fallback.deadline.min(self.limit / 2),
            },
            late_stop,
            ..self
        }
    }

    /// The moments of a fallback that is asked when so much time has gone, from then on.
    #[must_use]
    pub fn after(&self, gone: Duration) -> Times {
        let has_overrun = self.program > self.fallback.deadline && gone >= self.fallback.stop;
        if has_overrun {
            // More than its share is gone: what is kept of a share is all that it gets.
            let kept = kept(self.fallback.deadline);
            return Times {
                stop: kept.saturating_sub(kept / QUIET_SHARE),
                deadline: kept,
            };
        }
        let stop = match gone < self.fallback.stop.min(self.program) {
            true => self.fallback.stop,
            false => self.late_stop,
        };
        Times {
            stop: stop.saturating_sub(gone),
            deadline: self.fallback.deadline.saturating_sub(gone),
        }
    }
}

/// The most that a decision may take of a program that sees a match's clock itself, with so much left of it.
fn own_clock(left: Duration) -> Duration {
    left / OWN_CLOCK_SHARE
}

/// The target of a decision that a program makes: it may need all of the time that a wire gives for getting ready.
fn program_target(limits: Limits, Bounds { limit, target }: Bounds) -> Option<Duration> {
    target.filter(|_| limit != limits.open || limit == limits.answer)
}

/// The target of a decision for somebody who waits for a program of which nothing more is known.
#[must_use]
pub fn awaited_target(limits: Limits, asked: Bounds) -> Option<Duration> {
    let target = program_target(limits, asked)?;
    Some(target.max(own_clock(asked.limit)))
}

/// What of a decision's time is kept for a late program's fallback.
fn kept(deadline: Duration) -> Duration {
    (deadline / KEPT_SHARE).clamp(KEPT_MIN, KEPT_MAX)
}

/// Thinks in slices until it is done or the budget is spent. `best` is legal before and after.
pub fn think(dialogue: &mut dyn Dialogue, budget: Budget<'_>, best: &mut Frame) {
    // A budget in nodes is one slice.
    while dialogue.think(budget, best) == Progress::More
        && budget.nodes == u64::MAX
        && !(budget.stop)()
    {}
}

#[cfg(test)]
mod tests {
    use super::{Bounds, Limits, MARGIN, ProgramTimes, Times, awaited_target, margin};
    use std::time::Duration;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    const fn us(us: u64) -> Duration {
        Duration::from_micros(us)
    }

    const fn limits(answer: u64, open: u64) -> Limits {
        Limits {
            open: ms(open),
            ..Limits::new(ms(answer), Duration::ZERO)
        }
    }

    fn asked(limit: u64, target: Option<u64>) -> Bounds {
        Bounds {
            limit: ms(limit),
            target: target.map(ms),
        }
    }

    fn program_times(limits: Limits, asked: Bounds) -> ProgramTimes {
        ProgramTimes::new(limits, asked, MARGIN).expect("it is asked")
    }

    #[test]
    fn a_margin_leaves_most_of_a_short_limit() {
        let left = |limit: u64| Times::new(asked(limit, None), MARGIN).stop;
        assert_eq!(left(100), ms(75));
        assert_eq!(left(500), ms(375));
        assert_eq!(left(1_000), ms(750));
        assert_eq!(left(2_000), ms(1_500));
        assert_eq!(left(5_000), ms(4_500));
        assert_eq!(left(900_000), ms(899_500));
        assert_eq!(margin(ms(100), ms(500)), ms(100), "a small one stands");
        assert_eq!(margin(ms(4_000), ms(5_000)), ms(4_000), "as configured");
        for limit in (0..20_000).step_by(7).map(ms) {
            for configured in (0..=4_000).step_by(250).map(ms) {
                let margin = margin(configured, limit);
                assert!(margin <= configured && margin <= limit, "{limit:?}");
                let left = limit - margin;
                assert!(left >= (limit * 3 / 4).min(ms(1_000)), "{limit:?}");
            }
        }
    }

    #[test]
    fn a_target_is_kept_to_and_waited_for_a_little_longer() {
        let times = |target| {
            let times = Times::new(asked(1_000, Some(target)), MARGIN);
            (times.stop, times.deadline)
        };
        assert_eq!(times(0), (ms(10), ms(110)));
        assert_eq!(times(200), (ms(200), ms(300)));
        assert_eq!(times(700), (ms(700), ms(750)));
        assert_eq!(times(5_000), (ms(750), ms(750)));
        let none = Times::new(asked(0, Some(5)), MARGIN);
        assert_eq!((none.stop, none.deadline), (ms(0), ms(0)));
    }

    #[test]
    fn a_program_leaves_its_fallback_a_little_time() {
        let times = |contest: (u64, u64), limit, target: Option<u64>| {
            let contest = limits(contest.0, contest.1);
            let times = ProgramTimes::new(contest, asked(limit, target), MARGIN)?;
            Some((times.program, times.late_stop, times.fallback.deadline))
        };
        let expected = Some((ms(4_300), ms(4_450), ms(4_500)));
        assert_eq!(times((5_000, 5_000), 5_000, None), expected);
        let expected = Some((ms(70), us(73_750), ms(75)));
        assert_eq!(times((100, 2_000), 100, None), expected);
        // A program may get ready as long as the wire lets it.
        let prepared = times((100, 2_000), 2_000, Some(500)).expect("it is asked");
        assert_eq!((prepared.0, prepared.2), (ms(1_425), ms(1_500)));
        // Where one clock runs over the whole game, its share of that counts.
        let card = times((900_000, 900_000), 180_000, Some(900)).expect("it is asked");
        assert_eq!((card.0, card.2), (ms(950), ms(1_000)));
        assert_eq!(
            times((900_000, 900_000), 180_000, Some(0)),
            None,
            "only one card"
        );
        assert!(
            times((900_000, 900_000), 0, Some(0)).is_some(),
            "no time at all"
        );
    }

    #[test]
    fn what_may_have_been_asked_before_is_answered_soon() {
        let contest = limits(5_000, 5_000);
        for (limit, target) in [
            (5_000, None),
            (100, None),
            (5_000, Some(200)),
            (1_000, None),
        ] {
            let first = program_times(contest, asked(limit, target));
            let again = first.again();
            let most = ms(limit) / 10;
            assert!(again.program <= most.min(first.program), "{limit} ms");
            assert!(again.late_stop <= most * 2, "{limit} ms");
            let last = again.after(again.program);
            assert!(again.program + last.deadline <= ms(limit) / 2, "{limit} ms");
            assert!(last.stop > ms(0), "the fallback thinks: {limit} ms");
        }
    }

    #[test]
    fn a_fallback_has_what_is_left() {
        let contest = limits(5_000, 5_000);
        let times = program_times(contest, asked(5_000, None));
        let after = |gone| (times.after(ms(gone)).stop, times.after(ms(gone)).deadline);
        assert_eq!(after(0), (ms(4_500), ms(4_500)));
        assert_eq!(after(1_000), (ms(3_500), ms(3_500)));
        assert_eq!(after(4_300), (ms(150), ms(200)), "the program was late");
        assert_eq!(after(4_460), (ms(0), ms(40)));
        assert_eq!(after(9_000), (ms(0), ms(0)));
    }

    #[test]
    fn a_program_that_keeps_the_clock_itself_has_a_part_of_it() {
        let contest = limits(900_000, 900_000);
        let times = |limit: u64, target: u64| {
            let asked = asked(limit, Some(target));
            program_times(contest, asked).on_own_clock(asked)
        };
        let card = times(60_000, 900);
        assert_eq!(
            (card.program, card.fallback.deadline),
            (ms(15_000), ms(1_000))
        );
        let after = |gone| (card.after(ms(gone)).stop, card.after(ms(gone)).deadline);
        // Gone at once, its fallback has the share that the decision has; later, what is kept of it.
        assert_eq!(after(100), (ms(800), ms(900)));
        assert_eq!(after(5_000), (us(37_500), ms(50)));
        assert_eq!(after(15_000), (us(37_500), ms(50)));
        for limit in (10..60_000).step_by(90) {
            for target in [1, 30, 900, 20_000] {
                let times = times(limit, target);
                let last = times.after(times.program).deadline + times.program;
                assert!(last < ms(limit), "{limit} {target}: {last:?}");
            }
        }
        assert_eq!(
            times(60_000, 50_000).program,
            ms(49_900),
            "the share is more"
        );
        // Without such a clock nothing changes.
        let turn = program_times(limits(100, 2_000), asked(100, None));
        assert_eq!(turn.on_own_clock(asked(100, None)), turn);
        // Who waits for one waits at least as long.
        let waited = |target| awaited_target(contest, asked(60_000, Some(target)));
        assert_eq!(waited(900), Some(ms(15_000)));
        assert_eq!(waited(20_000), Some(ms(20_000)));
        let open = awaited_target(limits(100, 2_000), asked(2_000, Some(500)));
        assert_eq!(open, None, "all of the time for getting ready");
    }
}
