//! Numbers for people.

use std::fmt;

/// A number with three significant digits, in whichever notation is shorter. Whole numbers below a million keep all
/// their digits.
///
/// ```
/// use tumble_scene::figure::Figure;
/// assert_eq!(format!("{} m, {} J", Figure(0.123_456), Figure(4.5e-7)), "0.123 m, 4.5e-7 J");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure(pub f64);

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        if size == 0.0 || !size.is_finite() {
            return f.pad(&self.0.to_string());
        }
        if !(0.001..1e6).contains(&size) {
            let text = format!("{:.2e}", self.0);
            let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            return f.pad(&format!("{}e{exponent}", trimmed(mantissa)));
        }
        // Digits after the point such that three are significant.
        let decimals = [(0.01, 5), (0.1, 4), (1.0, 3), (10.0, 2), (100.0, 1)];
        match decimals.into_iter().find(|(limit, _)| size < *limit) {
            Some((_, decimals)) => f.pad(trimmed(&format!("{:.decimals$}", self.0))),
            None => f.pad(&format!("{:.0}", self.0)),
        }
    }
}

/// Without the zeros at the end of its decimals.
fn trimmed(decimals: &str) -> &str {
    decimals.trim_end_matches('0').trim_end_matches('.')
}

/// A number with all its digits, without hundreds of zeros.
///
/// ```
/// use tumble_scene::figure::Exact;
/// assert_eq!(format!("{} {} {}", Exact(-1.0), Exact(0.062_5), Exact(1e300)), "-1 0.0625 1e300");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exact(pub f64);

impl fmt::Display for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = self.0 == 0.0 || !self.0.is_finite() || (1e-6..1e9).contains(&self.0.abs());
        if plain { f.pad(&self.0.to_string()) } else { f.pad(&format!("{:e}", self.0)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three digits, no noise.
    #[test]
    fn figures_are_short() {
        let cases: [(f64, &str); 12] = [
            (0.0, "0"),
            (1.0, "1"),
            (0.02, "0.02"),
            (0.123456, "0.123"),
            (9.81, "9.81"),
            (123.456, "123"),
            (120000.0, "120000"),
            (1e-4, "1e-4"),
            (-2.5e9, "-2.5e9"),
            (1.0e100, "1e100"),
            (f64::INFINITY, "inf"),
            (f64::NAN, "NaN"),
        ];
        for (figure, text) in cases {
            assert_eq!(Figure(figure).to_string(), text);
        }
        assert_eq!(format!("{:>6}|", Figure(9.81)), "  9.81|");
    }
}
