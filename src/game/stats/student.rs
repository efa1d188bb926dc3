//! Student's distribution, for means over few blocks.

use super::beta;
use super::interval::Z95;

/// From this many degrees of freedom on the normal distribution is as good: it differs in the sixth digit.
const NORMAL_FROM: f64 = 1e6;

/// Two-sided 95 % of Student's distribution with `n` degrees of freedom, 1 or more.
#[must_use]
pub fn t95(freedom: f64) -> f64 {
    if freedom >= NORMAL_FROM {
        return Z95;
    }
    // t² / (t² + freedom) has the distribution Beta(1/2, freedom / 2).
    let share = beta::quantile(0.95, 0.5, freedom / 2.0);
    (freedom * share / (1.0 - share)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::t95;

    #[test]
    fn as_printed_in_tables() {
        for (freedom, expected) in [
            (1.0, 12.706_205),
            (2.0, 4.302_653),
            (3.0, 3.182_446),
            (10.0, 2.228_139),
            (30.0, 2.042_272),
            (100.0, 1.983_972),
            (1_000.0, 1.962_339),
            (100_000.0, 1.959_988),
            (10_000_000.0, 1.959_964),
        ] {
            let found = t95(freedom);
            assert!((found - expected).abs() < 2e-6, "{freedom}: {found}");
        }
    }
}
