//! One slice of thinking on its thread, and whether it will ever end.

use std::time::{Duration, Instant};

/// A slice whose thread has computed for so long hangs: slices are of milliseconds.
const COMPUTED_MAX: Duration = Duration::from_secs(1);
/// A slice so long past its end hangs, however little its thread has computed.
const OVERRUN_MAX: Duration = Duration::from_secs(30);

/// A slice on its thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slice {
    thread: rustix::thread::Pid,
    /// What the thread had computed when the slice began.
    computed: Duration,
    end: Instant,
}

impl Slice {
    /// A slice of the calling thread that is to be over at `end`.
    pub(super) fn begin(end: Instant) -> Self {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Self {
            thread: rustix::thread::gettid(),
            computed: Duration::try_from(now).unwrap_or_default(),
            end,
        }
    }

    /// Whether it will not end by itself. Time on the processor counts, so that a thread which the
    /// machine does not let run is not taken for one that hangs.
    pub(super) fn hangs(&self, now: Instant) -> bool {
        let overrun = now.saturating_duration_since(self.end);
        if overrun < COMPUTED_MAX {
            return false;
        }
        let computed = computed(self.thread).map(|all| all.saturating_sub(self.computed));
        overrun >= OVERRUN_MAX || computed.is_some_and(|computed| computed >= COMPUTED_MAX)
    }
}

/// What a thread of this process has computed; `None` where the system does not say.
fn computed(thread: rustix::thread::Pid) -> Option<Duration> {
    let path = format!("/proc/self/task/{}/stat", thread.as_raw_nonzero());
    let stat = std::fs::read_to_string(path).ok()?;
    // The 14th and 15th fields; the 2nd, a name in parentheses, may hold blanks.
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
