//! Order statistics.

/// The median; sorts. 0 where there is nothing.
pub fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    let at = |place: usize| numbers.get(place).copied().unwrap_or(0.0);
    let half = numbers.len() / 2;
    if numbers.len() % 2 == 1 {
        at(half)
    } else {
        f64::midpoint(at(half.saturating_sub(1)), at(half))
    }
}

/// The value at the share `share` (0 to 1) of sorted values: the nearest one. `None` where there is none.
#[must_use]
pub fn quantile<T: Copy>(sorted: &[T], share: f64) -> Option<T> {
    let at = (sorted.len().saturating_sub(1) as f64 * share).round() as usize;
    sorted.get(at).copied()
}

#[cfg(test)]
mod tests {
    use super::{median, quantile};

    #[test]
    fn medians_and_quantiles() {
        assert_eq!(median(&mut []), 0.0);
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0, 2.0, 3.0]), 2.5);
        let sorted: Vec<u32> = (0..=100).collect();
        let found = [0.0, 0.5, 0.99, 1.0].map(|share| quantile(&sorted, share));
        assert_eq!(found, [0, 50, 99, 100].map(Some));
        assert_eq!(quantile::<u32>(&[], 0.5), None);
    }
}
