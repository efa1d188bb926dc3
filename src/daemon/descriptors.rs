//! Open files: the process's limit, and each listener's part of it.

use crate::config::Config;
use rustix::process::{Resource, getrlimit};
use std::path::Path;

/// Reserved for the store, the log, timers, journals and other files, if the limit is high enough.
const RESERVE: usize = 256;
/// The largest part of the limit for the reserve, and for our own calls.
const RESERVE_PART: usize = 4;
const OUTGOING_PART: usize = 8;
/// The smallest part of the room for connections that everything but the callbacks gets.
const OTHERS_PART: usize = 4;
/// The maximum number of concurrent shims.
const SHIMS_MAX: usize = 4_096;
/// Concurrent calls of a match of our referee.
const CALLS_A_MATCH: usize = 4;
/// Of twenty open files, the last is left unused.
const NEARLY: (usize, usize) = (19, 20);

/// How many connections each listener may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Maxima {
    pub(super) callbacks: usize,
    pub(super) api: usize,
    pub(super) referee: usize,
    pub(super) hub: usize,
    pub(super) shims: usize,
}

impl Maxima {
    /// What the configuration asks for; listeners that are off need none.
    fn wanted(config: &Config, referee: bool) -> Self {
        let smartdog = &config.referee.smartdog;
        let if_on = |on: bool, max: usize| if on { max } else { 0 };
        Self {
            callbacks: config.callbacks.connections_max,
            api: config.api.connections_max,
            referee: if_on(referee, config.referee.koehandel.connections_max),
            hub: if_on(smartdog.listen.is_some(), smartdog.connections_max),
            shims: if_on(config.shim.socket.is_some(), SHIMS_MAX),
        }
    }

    fn others(&mut self) -> [&mut usize; 4] {
        [
            &mut self.api,
            &mut self.referee,
            &mut self.shims,
            &mut self.hub,
        ]
    }

    fn sum(mut self) -> usize {
        let others = self.others().map(|max| *max);
        others
            .into_iter()
            .fold(self.callbacks, usize::saturating_add)
    }

    /// The same within this many open files, of which our own calls need `outgoing`: the others give way to
    /// the callbacks, the most demanding first.
    fn within(self, limit: usize, outgoing: usize) -> Self {
        let reserve = RESERVE.min(limit / RESERVE_PART) + outgoing.min(limit / OUTGOING_PART);
        let room = limit.saturating_sub(reserve);
        if self.sum() <= room {
            return self;
        }
        let mut left = room.saturating_sub(self.callbacks).max(room / OTHERS_PART);
        let mut fitted = self;
        let mut others = fitted.others();
        others.sort_unstable();
        let count = others.len();
        for (given, max) in others.into_iter().enumerate() {
            // Even shares; what small ones leave goes to those that want more.
            *max = (*max).min(left / (count - given));
            left -= *max;
        }
        let taken = fitted.sum() - fitted.callbacks;
        fitted.callbacks = self.callbacks.min(room.saturating_sub(taken)).max(1);
        // A listener that is on gets at least one.
        for (max, wanted) in fitted.others().into_iter().zip({ self }.others()) {
            *max = (*max).max(1).min(*wanted);
        }
        fitted
    }
}

/// What the listeners get under this process's limit; logged if it is less than they want.
pub(super) fn maxima(config: &Config, referee: bool) -> Maxima {
    let wanted = Maxima::wanted(config, referee);
    let dialled: usize = config.hub.iter().map(|hub| hub.seats).sum();
    let calls = if referee {
        config.referee.koehandel.matches_max * CALLS_A_MATCH
    } else {
        0
    };
    let outgoing = dialled + calls;
    let Some(limit) = limit() else { return wanted };
    let fitted = wanted.within(limit, outgoing);
    if fitted != wanted {
        let Maxima {
            callbacks,
            api,
            referee,
            hub,
            shims,
        } = fitted;
        let needed = wanted.sum() + outgoing.min(wanted.sum()) + RESERVE;
        tracing::warn!(
            limit,
            needed,
            callbacks,
            api,
            referee,
            hub,
            shims,
            "too few files may be open for the configured connections: fewer are taken; raise the limit \
             (LimitNOFILE=, ulimit -n) or lower connections_max"
        );
    }
    fitted
}

/// How many files may be open; `None`: unlimited.
pub(super) fn limit() -> Option<usize> {
    usize::try_from(getrlimit(Resource::Nofile).current?).ok()
}

/// How many are open.
pub(super) fn open() -> Option<usize> {
    let folder = Path::new("/proc/self/fd");
    // Since Linux 6.2 the folder's size is their number.
    let size = std::fs::metadata(folder).ok()?.len();
    match usize::try_from(size) {
        Ok(open) if open > 0 => Some(open),
        _ => Some(std::fs::read_dir(folder).ok()?.count()),
    }
}

/// Whether the limit is almost reached.
pub(super) fn nearly_exhausted(open: usize, limit: usize) -> bool {
    let (most, of) = NEARLY;
    open.saturating_mul(of) >= limit.saturating_mul(most)
}

#[cfg(test)]
mod tests {
    use super::{Maxima, nearly_exhausted, open};

    const WANTED: Maxima = Maxima {
        callbacks: 4_096,
        api: 256,
        referee: 256,
        hub: 4_096,
        shims: 4_096,
    };

    #[test]
    fn with_enough_files_everybody_gets_what_they_want() {
        assert_eq!(WANTED.within(65_536, 4_000), WANTED);
    }

    #[test]
    fn the_others_give_way_first() {
        for limit in [64, 128, 256, 1_024, 4_096, 8_192, 12_000] {
            let fitted = WANTED.within(limit, 4_000);
            let sum = fitted.sum();
            assert!(sum < limit - limit / 8, "{limit}: {fitted:?}");
            assert!(
                fitted.callbacks * 2 >= sum || limit > 8_192,
                "{limit}: {fitted:?}"
            );
            let Maxima {
                api, referee, hub, ..
            } = fitted;
            assert!(api > 0 && referee > 0 && hub >= api, "{limit}: {fitted:?}");
        }
        let fitted = WANTED.within(8_192, 0);
        assert_eq!((fitted.callbacks, fitted.api), (4_096, 256));
        assert!(fitted.hub < 4_096);
        let off = Maxima { hub: 0, ..WANTED };
        assert_eq!(off.within(1_024, 0).hub, 0, "what is off stays off");
    }

    #[test]
    fn open_files_are_counted() {
        let before = open().unwrap();
        let files: Vec<_> = (0..50)
            .map(|_| std::fs::File::open("/proc/self/stat").unwrap())
            .collect();
        assert!(open().unwrap() >= before + 25);
        drop(files);
        assert!(nearly_exhausted(975, 1_024) && !nearly_exhausted(900, 1_024));
    }
}
