//! How long requests have waited before this process read them, by the moment at which a proxy received them
//! (`X-Request-Start`). A network that was cut delivers old requests when it is whole again: their senders have repeated them
//! elsewhere meanwhile. And what a proxy repeats has less time left than what it sends for the first time.

use hyper::HeaderMap;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;
use tokio::time::Instant;

/// When a proxy received a request: `t=` and milliseconds since 1970, or seconds with a fraction.
const HEADER: &str = "x-request-start";
/// Clocks differ, and one may be set: what counts is how much longer a request took than the fastest one of this time, and of
/// as much before.
const SPAN: Duration = Duration::from_secs(30);
/// No network holds a request for longer: a clock was set.
const WAITED_MAX: Duration = Duration::from_secs(150);
/// A request that has waited for longer is late; once all have been late for so much time, a clock was set.
const LATE: f64 = 1e3;
const ALL_LATE: Duration = Duration::from_secs(5);
/// Numbers below this are seconds: as milliseconds they would be of 1973.
const SECONDS_MAX: f64 = 1e11;
/// Proxies that are known at most.
const PROXIES_MAX: usize = 64;

/// How fast the requests of each proxy come.
#[derive(Debug, Default)]
pub(super) struct Waited(Mutex<HashMap<IpAddr, Fastest>>);

/// The least difference between a proxy's clock and ours, in milliseconds.
#[derive(Debug)]
struct Fastest {
    since: Instant,
    now: f64,
    before: f64,
    /// Since when all were late.
    late_since: Option<Instant>,
}

impl Waited {
    /// How long a request of this proxy has waited that is read now. `wall_us`: the same moment in microseconds since 1970,
    /// on a clock that is never set.
    pub(super) fn before(
        &self,
        proxy: IpAddr,
        headers: &HeaderMap,
        now: Instant,
        wall_us: i64,
    ) -> Duration {
        let Some(started) = headers
            .get(HEADER)
            .and_then(|text| started_ms(text.to_str().ok()?))
        else {
            return Duration::ZERO;
        };
        let took = wall_us as f64 / 1e3 - started;
        let mut proxies = self.0.lock();
        if proxies.len() >= PROXIES_MAX && !proxies.contains_key(&proxy) {
            proxies.clear();
        }
        let fastest = proxies.entry(proxy).or_insert(Fastest {
            since: now,
            now: took,
            before: took,
            late_since: None,
        });
        if now.saturating_duration_since(fastest.since) > SPAN {
            (fastest.before, fastest.now, fastest.since) = (fastest.now, took, now);
        }
        fastest.now = fastest.now.min(took);
        let waited = took - fastest.now.min(fastest.before);
        let late_since = fastest.late_since.filter(|_| waited > LATE);
        fastest.late_since = (waited > LATE).then(|| late_since.unwrap_or(now));
        if late_since.is_some_and(|since| now.saturating_duration_since(since) > ALL_LATE) {
            (fastest.now, fastest.before, fastest.late_since) = (took, took, None);
            return Duration::ZERO;
        }
        let waited = Duration::from_secs_f64(waited.max(0.0) / 1e3);
        if waited > WAITED_MAX {
            Duration::ZERO
        } else {
            waited
        }
    }
}

/// The header's moment in milliseconds since 1970.
fn started_ms(text: &str) -> Option<f64> {
    let number: f64 = text.trim().trim_start_matches("t=").parse().ok()?;
    let is_moment = number.is_finite() && number > 0.0;
    is_moment.then_some(match number < SECONDS_MAX {
        true => number * 1e3,
        false => number,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    /// 2026, in milliseconds.
    const BASE: i64 = 1_795_000_000_000;

    struct Line {
        waited: Waited,
        began: Instant,
    }

    impl Line {
        /// How long a request has waited that a proxy received and we read then, in milliseconds.
        fn read(&self, received: i64, read: u64) -> u64 {
            self.read_with(&format!("t={}", BASE + received), read)
        }

        fn read_with(&self, header: &str, read: u64) -> u64 {
            let mut headers = HeaderMap::new();
            headers.insert(HEADER, HeaderValue::from_str(header).unwrap());
            let proxy = IpAddr::from([10, 0, 0, 1]);
            let now = self.began + Duration::from_millis(read);
            let wall_us = (BASE + read as i64) * 1_000;
            let waited = self.waited.before(proxy, &headers, now, wall_us);
            waited.as_millis() as u64
        }
    }

    fn line() -> Line {
        Line {
            waited: Waited::default(),
            began: Instant::now(),
        }
    }

    #[test]
    fn what_a_network_has_held_is_old_however_clocks_differ() {
        for ahead in [-90_000, 0, 3_000] {
            let line = line();
            assert_eq!(line.read(ahead, 1), 0);
            assert_eq!(line.read(100 + ahead, 103), 2);
            // Cut for longer than anything is remembered while requests come.
            assert_eq!(line.read(200 + ahead, 100_201), 100_000);
            assert_eq!(line.read(100_200 + ahead, 100_202), 1);
            // Repeated elsewhere after two seconds.
            assert_eq!(line.read(98_300 + ahead, 100_301), 2_000);
        }
    }

    #[test]
    fn a_clock_that_is_set_is_soon_believed() {
        let line = line();
        for second in 0..40 {
            assert_eq!(line.read(second * 1_000, second as u64 * 1_000), 0);
        }
        let old: Vec<u64> = (40..60_u64)
            .map(|second| line.read(second as i64 * 1_000 - 7_000, second * 1_000))
            .collect();
        assert_eq!(old.first(), Some(&7_000));
        let lasted = old.iter().filter(|waited| **waited > 0).count();
        assert!(lasted <= 6, "{lasted}");
        assert_eq!(old.last(), Some(&0));
        // No network holds anything for a day.
        assert_eq!(line.read(-86_400_000, 61_000), 0);
    }

    #[test]
    fn proxies_write_the_moment_in_their_ways() {
        let line = line();
        for header in ["t=1795000000000", "1795000000.000", "t=1795000000"] {
            assert_eq!(line.read_with(header, 0), 0, "{header}");
        }
        assert_eq!(line.read_with("t=1795000000.000", 1_500), 1_500);
        for header in ["", "t=", "soon", "t=-4", "t=inf", "NaN"] {
            assert_eq!(line.read_with(header, 9_000), 0, "{header}");
        }
    }
}
