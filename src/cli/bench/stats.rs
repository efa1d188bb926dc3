//! Latencies and how they are shown.

pub(super) use games::stats::median;
use std::time::Duration;

/// Latencies in microseconds.
#[derive(Clone, Debug, Default)]
pub(super) struct Latencies(Vec<u32>);

impl Latencies {
    pub(super) fn add(&mut self, latency: Duration) {
        self.0
            .push(u32::try_from(latency.as_micros()).unwrap_or(u32::MAX));
    }

    pub(super) fn merge(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    pub(super) fn count(&self) -> u64 {
        self.0.len() as u64
    }

    /// The given quantiles (0 to 1).
    pub(super) fn quantiles<const N: usize>(&mut self, wanted: [f64; N]) -> [Duration; N] {
        self.0.sort_unstable();
        wanted.map(|quantile| {
            Duration::from_micros(
                games::stats::quantile(&self.0, quantile)
                    .unwrap_or(0)
                    .into(),
            )
        })
    }
}

/// A duration with three digits or so.
pub(super) fn shown(span: Duration) -> String {
    let us = span.as_micros();
    match us {
        0..1_000 => format!("{us} µs"),
        1_000..100_000 => format!("{:.1} ms", us as f64 / 1e3),
        _ => format!("{:.2} s", us as f64 / 1e6),
    }
}
