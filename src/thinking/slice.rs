//! One slice of thinking on its thread, and whether it will ever end.

use std::time::{Duration, Instant};

/// A slice whose thread has used this much processor time hangs: slices take milliseconds.
const COMPUTED_MAX: Duration = Duration::from_secs(1);
/// A slice this long past its end hangs, however little processor time its thread has used.
const OVERRUN_MAX: Duration = Duration::from_secs(30);

/// A slice on its thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slice {
    thread: rustix::thread::Pid,
    /// The thread's processor time when the slice began.
    computed: Duration,
    end: Instant,
}

impl Slice {
    /// A slice of the calling thread that is due to end at `end`.
    pub(super) fn begin(end: Instant) -> Self {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Self {
            thread: rustix::thread::gettid(),
            computed: Duration::try_from(now).unwrap_or_default(),
            end,
        }
    }

    /// Whether it will not end by itself. Processor time counts, so that a thread starved by the machine is
    /// not mistaken for one that hangs.
    pub(super) fn hangs(&self, now: Instant) -> bool {
        let overrun = now.saturating_duration_since(self.end);
        if overrun < COMPUTED_MAX {
            return false;
        }
        let computed = computed(self.thread).map(|all| all.saturating_sub(self.computed));
        overrun >= OVERRUN_MAX || computed.is_some_and(|computed| computed >= COMPUTED_MAX)
    }
}

/// The processor time of a thread of this process; `None` if the system does not report it.
fn computed(thread: rustix::thread::Pid) -> Option<Duration> {
    let path = format!("/proc/self/task/{}/stat", thread.as_raw_nonzero());
    let stat = std::fs::read_to_string(path).ok()?;
    // The 14th and 15th fields; the 2nd, a name in parentheses, may contain blanks.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    let ticks = ticks()?.checked_add(ticks()?)?;
    let a_second = rustix::param::clock_ticks_per_second().max(1);
    Some(Duration::from_millis(
        ticks.saturating_mul(1_000) / a_second,
    ))
}

#[cfg(test)]
mod tests {
    use super::{COMPUTED_MAX, OVERRUN_MAX, Slice, computed};
    use std::time::{Duration, Instant};

    #[test]
    fn a_thread_that_computes_hangs_and_one_that_may_not_run_does_not() {
        let own = rustix::thread::gettid();
        let slice = Slice::begin(Instant::now());
        let begun = Instant::now();
        assert!(
            !slice.hangs(begun + COMPUTED_MAX),
            "it has computed nothing"
        );
        let before = computed(own).unwrap();
        while computed(own).unwrap().saturating_sub(before) <= COMPUTED_MAX {
            assert!(begun.elapsed() < Duration::from_secs(60));
        }
        assert!(slice.hangs(Instant::now().max(begun + COMPUTED_MAX)));
        let next = Slice::begin(Instant::now());
        assert!(
            !next.hangs(Instant::now() + COMPUTED_MAX),
            "only its own slice counts"
        );
        assert!(next.hangs(Instant::now() + OVERRUN_MAX + Duration::from_millis(1)));
    }
}
