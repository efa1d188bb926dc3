//! The incomplete beta function and its inverse. Figures derived from it are stored and shown to the last
//! digit, so its steps never change.

/// The continued fraction's steps; it converges in far fewer.
const STEPS_MAX: usize = 300;
/// Halvings of the interval searched: finer than any figure shown.
const HALVINGS: usize = 60;

/// The regularised incomplete beta function: the share of Beta(a, b) below `x`.
fn share_below(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front =
        (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln()).exp();
    if x < (a + 1.0) / (a + b + 2.0) {
        front * fraction(x, a, b) / a
    } else {
        1.0 - front * fraction(1.0 - x, b, a) / b
    }
}

/// The `x` with the share `share` of Beta(a, b) below it.
pub(super) fn quantile(share: f64, a: f64, b: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = (low + high) / 2.0;
        if share_below(middle, a, b) < share {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}

/// Lentz's continued fraction of the incomplete beta function.
fn fraction(x: f64, a: f64, b: f64) -> f64 {
    let tiny = 1e-300;
    let keep = |value: f64| if value.abs() < tiny { tiny } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / keep(1.0 - (a + b) * x / (a + 1.0));
    let mut result = d;
    for step in 1..STEPS_MAX {
        let m = step as f64;
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / keep(1.0 + even * d);
        c = keep(1.0 + even / c);
        result *= c * d;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / keep(1.0 + odd * d);
        c = keep(1.0 + odd / c);
        let change = c * d;
        result *= change;
        if (change - 1.0).abs() < 1e-12 {
            break;
        }
    }
    result
}

/// The logarithm of the gamma function above 0, by Stirling's series after raising the argument.
pub fn ln_gamma(mut x: f64) -> f64 {
    let mut shift = 0.0;
    while x < 8.0 {
        shift -= x.ln();
        x += 1.0;
    }
    let inverse = 1.0 / (x * x);
    let series = (1.0 / 12.0 - inverse * (1.0 / 360.0 - inverse / 1260.0)) / x;
    shift + (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series
}

#[cfg(test)]
mod tests {
    use super::share_below;

    #[test]
    fn known_shares() {
        assert!((share_below(0.3, 1.0, 1.0) - 0.3).abs() < 1e-9);
        assert!((share_below(0.5, 7.0, 7.0) - 0.5).abs() < 1e-9);
        // 1 - (1 - x)^b for a = 1.
        assert!((share_below(0.1, 1.0, 20.0) - (1.0 - 0.9f64.powi(20))).abs() < 1e-9);
        assert!((share_below(0.9, 500.0, 50.0) - 0.2347).abs() < 0.03);
    }
}
