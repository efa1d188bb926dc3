//! Latencies and how they are shown.

use std::time::Duration;

/// Latencies in microseconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Latencies(Vec<u32>);

impl Latencies {
    pub(crate) fn add(&mut self, latency: Duration) {
        self.0
            .push(u32::try_from(latency.as_micros()).unwrap_or(u32::MAX));
    }

    pub(crate) fn merge(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    pub(crate) fn count(&self) -> u64 {
        self.0.len() as u64
    }

    /// The given quantiles (0 to 1).
    pub(crate) fn quantiles<const N: usize>(&mut self, wanted: [f64; N]) -> [Duration; N] {
        self.0.sort_unstable();
        wanted.map(|quantile| {
            let at = (self.0.len().saturating_sub(1) as f64 * quantile).round() as usize;
            Duration::from_micros(self.0.get(at).copied().unwrap_or(0).into())
        })
    }
}

/// The median; sorts. Zero where there is nothing.
pub(crate) fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    let at = |place: usize| numbers.get(place).copied().unwrap_or(0.0);
    let half = numbers.len() / 2;
    if numbers.len() % 2 == 1 {
        at(half)
    } else {
        f64::midpoint(at(half.saturating_sub(1)), at(half))
    }
}

/// A duration with three digits or so.
pub(crate) fn shown(span: Duration) -> String {
    let us = span.as_micros();
    match us {
        0..1_000 => format!("{us} µs"),
        1_000..100_000 => format!("{:.1} ms", us as f64 / 1e3),
        _ => format!("{:.2} s", us as f64 / 1e6),
    }
}
