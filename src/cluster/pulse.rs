//! Whether this process was stopped, as by `SIGSTOP`, a starved machine or a paused container.

use std::time::Duration;

/// A process that has not beaten for this many beats was stopped.
const MISSED: u32 = 3;

/// Beats regularly. What is read right after a stop may have waited in the kernel since its start: it has to be taken for
/// as old as that, or messages that their sender has long given up, and has sent to others, would be new here.
#[derive(Clone, Debug)]
pub struct Pulse {
    every: Duration,
    last: Duration,
    /// The last stop: from, until.
    stop: Option<Stop>,
}

#[derive(Clone, Copy, Debug)]
struct Stop {
    from: Duration,
    until: Duration,
}

impl Pulse {
    /// A process that beats so often, from `now` on, on its own clock.
    #[must_use]
    pub fn new(every: Duration, now: Duration) -> Self {
        let (last, stop) = (now, None);
        Self { every, last, stop }
    }

    /// Beats.
    pub fn beat(&mut self, now: Duration) {
        if self.has_missed(now) {
            let from = self.last;
            self.stop = Some(Stop { from, until: now });
        }
        self.last = now;
    }

    /// When a message that is read now may have arrived.
    #[must_use]
    pub fn arrived(&self, now: Duration) -> Duration {
        if self.has_missed(now) {
            return self.last;
        }
        let recent = |stop: &Stop| now < stop.until + self.every * MISSED;
        self.stop.filter(recent).map_or(now, |stop| stop.from)
    }

    fn has_missed(&self, now: Duration) -> bool {
        now.saturating_sub(self.last) > self.every * MISSED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_after_a_stop_is_as_old_as_the_stop() {
        let ms = Duration::from_millis;
        let mut pulse = Pulse::new(ms(100), ms(1_000));
        pulse.beat(ms(1_150));
        assert_eq!(pulse.arrived(ms(1_400)), ms(1_400));
        assert_eq!(
            pulse.arrived(ms(9_000)),
            ms(1_150),
            "read before the first beat"
        );
        pulse.beat(ms(9_000));
        assert_eq!(pulse.arrived(ms(9_299)), ms(1_150));
        assert_eq!(pulse.arrived(ms(9_300)), ms(9_300));
    }
}
