//! How long the daemon is waited for, and when the bot in this process begins to search next to it. Pure: the
//! caller owns the clock.

use games::answer::{MARGIN, margin};
use std::time::Duration;

/// The most that anything is waited for beyond what it should take.
const EXTRA_MAX: Duration = Duration::from_secs(1);
/// The share of a decision's own time by which the daemon may be later, where one clock runs over many decisions;
const LATER_SHARE: u32 = 4;
/// or this share of what is left of the clock: more decisions than this are never to come.
const DECISIONS_MAX: u32 = 512;
/// The most that handing over what the daemon has missed may take while a game goes on.
const CATCH_UP_MAX: Duration = Duration::from_millis(100);
/// The share of the clock that a mere message may take of a program, which answers each in its own words.
const MESSAGES_SHARE: u32 = 50;
/// The share of a turn with a clock of its own in which this process searches next to the daemon.
const TURN_SHARE: u32 = 20;
/// How often the worst of this process's own late wake-ups is kept free: to wake, and to answer.
const WAKE_UPS: u32 = 2;
/// With less than this left of a clock over many decisions, a daemon that was late is left alone for as long as that:
/// taking it back costs the machine more than its decisions are worth.
const SHORT: Duration = Duration::from_secs(5);
/// How long a daemon that was late is left alone: at first, and how often that is doubled at most.
const ALONE: Duration = Duration::from_secs(3);
const DOUBLED_MAX: u32 = 3;

/// The moments of a decision that the daemon is asked for, as times since its message was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wait {
    /// When this process begins to search as well.
    pub(super) search_from: Duration,
    /// When its answer is given instead of the daemon's.
    pub(super) give_up: Duration,
}

/// What is known of the daemon's quickness, and of the clock.
#[derive(Debug, Default)]
pub(super) struct Patience {
    /// How often it was late since it was in time last.
    late: u32,
    /// What was left of a clock over many decisions at the last one.
    left: Option<Duration>,
    /// How late this process woke up at worst; half of it is forgotten with each decision.
    lag: Duration,
    /// Whether the daemon has less time for its decision on account of that.
    cut: bool,
}

impl Patience {
    /// The wait for a decision with this limit and target ([`games::Next::Think`]); this process would think for
    /// `own` by itself.
    pub(super) fn wait(
        &mut self,
        limit: Duration,
        target: Option<Duration>,
        own: Duration,
    ) -> Wait {
        self.left = target.map(|_| limit);
        let margin = margin(MARGIN, limit);
        let trusted = self.late == 0;
        let lag = self.lag;
        self.played_alone();
        self.cut = target.is_none() && !lag.is_zero();
        let (give_up, alongside) = match target {
            Some(target) => {
                let extra = later(limit, target);
                let most = limit.saturating_sub(margin / 2);
                // Only once the daemon is late does anything compete with its search.
                ((target + extra).min(most), extra / 2)
            }
            None => {
                // A moment before the margin's end, as long as it keeps its own: it thinks until the margin begins.
                let kept = if trusted { margin * 3 / 4 } else { margin };
                let most = limit.saturating_sub(kept);
                let most = most.saturating_sub(lag * WAKE_UPS).max(margin);
                (most, limit / TURN_SHARE)
            }
        };
        let search_from = match trusted {
            true => give_up.saturating_sub(own.min(alongside)),
            // It is tried out: waiting for it costs no time of our own search.
            false => Duration::ZERO,
        };
        Wait {
            search_from,
            give_up,
        }
    }

    /// How long a message may take that asks for no decision, in a contest that gives so long for an answer.
    pub(super) fn message(&self, answer: Duration) -> Duration {
        let most = EXTRA_MAX.min(answer);
        self.left
            .map_or(most, |left| most.min(left / MESSAGES_SHARE))
    }

    /// How long the daemon may take for the last messages that it has missed, when it is back.
    pub(super) fn catching_up(&self) -> Duration {
        let later = self.left.map(|left| later(left, Duration::ZERO));
        later.unwrap_or(CATCH_UP_MAX).min(CATCH_UP_MAX)
    }

    /// Another game begins, with a clock of its own.
    pub(super) fn begin_again(&mut self) {
        self.left = None;
    }

    /// This process has woken up so much later than it wanted to.
    pub(super) fn woke(&mut self, late: Duration) {
        self.lag = self.lag.max(late);
    }

    /// The daemon has decided in time.
    pub(super) fn in_time(&mut self) {
        self.late = 0;
    }

    /// This process decides without waiting.
    pub(super) fn played_alone(&mut self) {
        self.lag /= 2;
    }

    /// It has not: how long it is left alone. Where this process's own late wake-ups have left it less time, that is not
    /// counted.
    pub(super) fn late(&mut self) -> Duration {
        let alone = ALONE * (1 << self.late.min(DOUBLED_MAX));
        self.late += u32::from(!self.cut);
        self.left
            .filter(|left| *left < SHORT)
            .map_or(alone, |left| alone.max(left))
    }
}

/// How much later than its target a decision may come, where one clock runs over many of them.
fn later(limit: Duration, target: Duration) -> Duration {
    (target / LATER_SHARE)
        .max(limit / DECISIONS_MAX)
        .min(EXTRA_MAX)
}

#[cfg(test)]
mod tests {
    use super::{Patience, Wait};
    use std::time::Duration;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn wait(patience: &mut Patience, limit: u64, target: Option<u64>, own: u64) -> (u64, u64) {
        let Wait {
            search_from,
            give_up,
        } = patience.wait(ms(limit), target.map(ms), ms(own));
        let whole = |time: Duration| time.as_micros() as u64;
        (whole(search_from), whole(give_up))
    }

    #[test]
    fn the_daemon_is_waited_for_a_share_of_the_clock() {
        for (limit, target, expected) in [
            // The contest's clock at its beginning, and in the middle of a short decision.
            (180_000, Some(4_000), (4_500_000, 5_000_000)),
            (180_000, Some(100), (275_781, 451_562)),
            (60_000, Some(20_000), (20_500_000, 21_000_000)),
            // A second for a whole game.
            (1_000, Some(12), (13_500, 15_000)),
            (1_000, Some(1), (1_976, 2_953)),
            (20, Some(1), (1_125, 1_250)),
            // Getting ready.
            (10_000, Some(2_000), (2_250_000, 2_500_000)),
            // No time was given.
            (1_000, Some(1_000), (750_000, 875_000)),
            // A clock for each turn.
            (1_000, None, (762_500, 812_500)),
            (100, None, (76_250, 81_250)),
        ] {
            let found = wait(&mut Patience::default(), limit, target, 60_000);
            assert_eq!(found, expected, "{limit} ms, {target:?}");
        }
    }

    #[test]
    fn waiting_for_a_daemon_that_is_always_late_leaves_most_of_a_clock() {
        for whole in [500, 1_000, 2_000, 60_000, 900_000].map(ms) {
            let (mut left, mut waited) = (whole, Duration::ZERO);
            for decision in 0..150 {
                let target = left / (160 - decision);
                let wait = Patience::default().wait(left, Some(target), ms(60_000));
                left -= wait.give_up;
                waited += wait.give_up - target;
                assert!(wait.search_from < wait.give_up, "there is something to say");
            }
            assert!(waited < whole * 2 / 5, "{waited:?} of {whole:?}");
            assert!(left > Duration::ZERO);
        }
    }

    #[test]
    fn a_search_of_ones_own_is_as_long_as_it_needs_and_no_longer() {
        let mut patience = Patience::default();
        assert_eq!(wait(&mut patience, 1_000, None, 10), (802_500, 812_500));
        assert_eq!(wait(&mut patience, 1_000, None, 0), (812_500, 812_500));
    }

    #[test]
    fn a_daemon_that_was_late_is_left_alone_and_then_tried_out() {
        let mut patience = Patience::default();
        assert_eq!(patience.late(), ms(3_000));
        assert_eq!(wait(&mut patience, 1_000, None, 300), (0, 750_000));
        assert_eq!(wait(&mut patience, 1_000, Some(12), 300), (0, 15_000));
        assert_eq!(patience.late(), ms(6_000));
        assert_eq!(patience.late(), ms(12_000));
        assert_eq!(patience.late(), ms(24_000));
        assert_eq!(patience.late(), ms(24_000), "no longer than that");
        patience.in_time();
        assert_eq!(wait(&mut patience, 1_000, None, 300), (762_500, 812_500));
        assert_eq!(patience.late(), ms(3_000));
    }

    #[test]
    fn a_daemon_that_was_late_in_a_short_game_is_left_alone_for_what_is_left() {
        let mut patience = Patience::default();
        assert_eq!(wait(&mut patience, 4_900, Some(12), 300).0, 16_785);
        assert_eq!(patience.late(), ms(4_900));
        assert_eq!(wait(&mut patience, 5_000, Some(12), 300).0, 0);
        assert_eq!(patience.late(), ms(6_000));
    }

    #[test]
    fn a_process_that_wakes_up_late_waits_for_less() {
        let mut patience = Patience::default();
        patience.woke(ms(40));
        patience.woke(ms(100));
        patience.woke(ms(20));
        assert_eq!(wait(&mut patience, 1_000, None, 300), (562_500, 612_500));
        assert_eq!(wait(&mut patience, 1_000, None, 300), (662_500, 712_500));
        patience.woke(ms(5_000));
        // A quarter is always waited for.
        assert_eq!(wait(&mut patience, 1_000, None, 300), (200_000, 250_000));
        // It was not the daemon's fault,
        assert_eq!(patience.late(), ms(3_000));
        assert_eq!(patience.late(), ms(3_000));
        // and passes while this process plays alone.
        for _ in 0..40 {
            patience.played_alone();
        }
        assert_eq!(wait(&mut patience, 1_000, None, 300), (762_500, 812_500));
        assert_eq!(patience.late(), ms(3_000));
        assert_eq!(patience.late(), ms(6_000));
    }

    #[test]
    fn a_message_takes_no_more_than_its_share_either() {
        let mut patience = Patience::default();
        assert_eq!(
            patience.message(ms(900_000)),
            ms(1_000),
            "no clock is known"
        );
        assert_eq!(patience.message(ms(100)), ms(100));
        patience.wait(ms(1_000), Some(ms(10)), ms(10));
        assert_eq!(patience.message(ms(900_000)), ms(20));
        assert_eq!(patience.catching_up(), Duration::from_nanos(1_953_125));
        patience.begin_again();
        assert_eq!(patience.message(ms(900_000)), ms(1_000));
        patience.wait(ms(180_000), Some(ms(10)), ms(10));
        assert_eq!(patience.message(ms(900_000)), ms(1_000));
    }
}
