//! Latencies and rates, and how they are shown.

use std::time::Duration;

/// Latencies in microseconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Latencies(Vec<u32>);

impl Latencies {
    pub(crate) fn add(&mut self, latency: Duration) {
        self.0
            .push(u32::try_from(latency.as_micros()).unwrap_or(u32::MAX));
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
    }

    pub(crate) fn count(&self) -> u64 {
        self.0.len() as u64
    }

    /// The given quantiles (0 to 1).
    pub(crate) fn quantiles<const N: usize>(&mut self, wanted: [f64; N]) -> [Duration; N] {
        self.0.sort_unstable();
        wanted.map(|quantile| {
            let at = games::stats::quantile(&self.0, quantile);
            Duration::from_micros(at.unwrap_or_default().into())
        })
    }
}

/// Prints a line of each name with measurements: their median and unit, the least and the most.
pub(crate) fn spreads<const N: usize>(digits: usize, rows: [(&str, Vec<f64>, &str); N]) {
    for (name, values, unit) in rows {
        if !values.is_empty() {
            let spread = Spread::from_numbers(values);
            let [least, median, most] = [spread.least, spread.median, spread.most];
            let range = format!("{least:.digits$} to {most:.digits$}");
            println!("{name:<34} {median:>8.digits$} {unit} ({range})");
        }
    }
}

/// What several measurements say.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spread {
    pub(crate) least: f64,
    pub(crate) median: f64,
    pub(crate) most: f64,
}

impl Spread {
    /// Zeros where there is nothing.
    pub(crate) fn from_numbers(mut numbers: Vec<f64>) -> Self {
        let median = games::stats::median(&mut numbers);
        let at = |place: usize| numbers.get(place).copied().unwrap_or_default();
        let last = numbers.len().saturating_sub(1);
        Self {
            least: at(0),
            median,
            most: at(last),
        }
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
