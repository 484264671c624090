//! Exact decimal numbers with an order.

use std::cmp::Ordering;

use cairn_base::Number;

/// The number `mantissa * 10^exponent`, exactly. The mantissa has no trailing zero, so that each number has one form.
///
/// Nothing overflows: a mantissa starts below 2^64 or 10^17 and is multiplied once, by the ratio of a unit, which is
/// below 2^50. So it stays below 2^114, and below 10^35.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decimal {
    mantissa: i128,
    exponent: i32,
}

impl Decimal {
    /// Returns the decimal that a number is written as, times `ratio`. An integer within the bounds of 64 bits is
    /// exactly itself; another float is the shortest decimal that reads back as it, so that 0.1 is a tenth.
    pub(crate) fn new(number: Number, ratio: u64) -> Self {
        let (mantissa, exponent) = match integer(number) {
            Some(integer) => (integer, 0),
            None => shortest(number.to_f64()),
        };
        Decimal::normal(mantissa * i128::from(ratio), exponent)
    }

    fn normal(mut mantissa: i128, mut exponent: i32) -> Self {
        if mantissa == 0 {
            return Decimal { mantissa: 0, exponent: 0 };
        }
        while mantissa % 10 == 0 {
            mantissa /= 10;
            exponent += 1;
        }
        Decimal { mantissa, exponent }
    }

    /// The exponent of its first digit.
    fn magnitude(self) -> i32 {
        self.exponent + digits(self.mantissa)
    }

    /// Compares the absolute values of two numbers other than zero.
    fn compare_absolute(self, other: Self) -> Ordering {
        self.magnitude().cmp(&other.magnitude()).then_with(|| {
            // Aligned to the lower exponent both have the same count of digits, at most 35.
            let low = self.exponent.min(other.exponent);
            self.aligned(low).cmp(&other.aligned(low))
        })
    }

    fn aligned(self, exponent: i32) -> u128 {
        self.mantissa.unsigned_abs() * 10_u128.pow(self.exponent.abs_diff(exponent))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let (sign, others) = (self.mantissa.signum(), other.mantissa.signum());
        sign.cmp(&others).then_with(|| match sign {
            0 => Ordering::Equal,
            1 => self.compare_absolute(*other),
            _ => other.compare_absolute(*self),
        })
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Returns the same number as an integer, if it has no fraction and fits `i64` or `u64`.
pub(crate) fn integer(number: Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}

fn digits(mantissa: i128) -> i32 {
    let count = mantissa.unsigned_abs().checked_ilog10().map_or(0, |log| log + 1);
    i32::try_from(count).expect("an i128 has at most 39 digits")
}

/// Reads the shortest text of a float, such as `-1.25e-7`, into mantissa and exponent.
fn shortest(float: f64) -> (i128, i32) {
    let text = format!("{float:e}");
    let (number, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mut exponent: i32 = exponent.parse().expect("the exponent of a finite float is a small integer");
    let mut mantissa: i128 = 0;
    let mut fraction = false;
    for byte in number.bytes() {
        if byte == b'.' {
            fraction = true;
        } else if byte.is_ascii_digit() {
            mantissa = mantissa * 10 + i128::from(byte - b'0');
            exponent -= i32::from(fraction);
        }
    }
    (if float < 0.0 { -mantissa } else { mantissa }, exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn float(value: f64) -> Number {
        Number::from_f64(value).unwrap()
    }

    #[test]
    fn numbers_are_what_is_written_and_ratios_are_exact() {
        let rows: &[(Number, u64, Number, u64, Ordering)] = &[
            (float(0.1), 1_000, 100_i64.into(), 1, Ordering::Equal),
            (float(1.1), 1_000, 1_100_i64.into(), 1, Ordering::Equal),
            (float(0.3), 1, float(0.1 + 0.2), 1, Ordering::Less),
            (float(1.0), 1, 1_i64.into(), 1, Ordering::Equal),
            (float(-0.0), 1, 0_i64.into(), 7, Ordering::Equal),
            (u64::MAX.into(), 1, (u64::MAX - 1).into(), 1, Ordering::Greater),
            (u64::MAX.into(), 604_800_000_000_000, float(f64::MAX), 1, Ordering::Less),
            (i64::MIN.into(), 604_800_000_000_000, i64::MIN.into(), 1, Ordering::Less),
            (i64::MIN.into(), 1, float(-9_223_372_036_854_775_808.0), 1, Ordering::Equal),
            (9_007_199_254_740_993_i64.into(), 1, float(9_007_199_254_740_992.0), 1, Ordering::Greater),
            (float(5e-324), 1, 0_i64.into(), 1, Ordering::Greater),
            (float(-5e-324), 1, float(5e-324), 1, Ordering::Less),
            (float(1e300), 1, float(1e301), 1, Ordering::Less),
            (float(-1e300), 1, float(-1e301), 1, Ordering::Greater),
            (float(1.5e300), 10, float(1.5e301), 1, Ordering::Equal),
            (float(123.456), 1, float(123.4567), 1, Ordering::Less),
            (float(-123.456), 1, float(-123.4567), 1, Ordering::Greater),
        ];
        for (a, ratio, b, other, expected) in rows {
            let (left, right) = (Decimal::new(*a, *ratio), Decimal::new(*b, *other));
            assert_eq!(left.cmp(&right), *expected, "{a} * {ratio} against {b} * {other}");
            assert_eq!(right.cmp(&left), expected.reverse(), "{b} * {other} against {a} * {ratio}");
            assert_eq!(left == right, expected.is_eq(), "{a} * {ratio} equals {b} * {other}");
        }
    }

    proptest::proptest! {
        #[test]
        fn the_order_is_that_of_numbers(a: f64, b: f64, c: i64) {
            let numbers = [Number::from_f64(a), Number::from_f64(b), Some(Number::from(c))];
            for one in numbers.into_iter().flatten() {
                for other in numbers.into_iter().flatten() {
                    proptest::prop_assert_eq!(Decimal::new(one, 1).cmp(&Decimal::new(other, 1)), one.cmp(&other));
                }
            }
        }
    }
}
