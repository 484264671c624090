//! Numbers that stay what they were.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// An integer from `i64::MIN` to `u64::MAX`, or a finite float.
///
/// Compares as numbers do, exactly: 1 equals 1.0, -0.0 equals 0, and 2^53 + 1 is greater than the
/// float 2^53. Equal numbers hash alike and answer alike to everything except
/// [`is_float`](Number::is_float) and how they are written: `1` and `1.0`.
#[derive(Clone, Copy)]
pub struct Number(Repr);

#[derive(Clone, Copy)]
enum Repr {
    /// Always within `i64::MIN..=u64::MAX`. Wider than both, so that comparing needs no cases.
    Integer(i128),
    /// Always finite.
    Float(f64),
}

impl Number {
    /// A float; `None` when it is infinite or not a number.
    pub fn from_f64(value: f64) -> Option<Self> {
        value.is_finite().then_some(Number(Repr::Float(value)))
    }

    /// An integer; `None` when it fits neither `i64` nor `u64`.
    pub fn from_i128(value: i128) -> Option<Self> {
        let range = i128::from(i64::MIN)..=i128::from(u64::MAX);
        range.contains(&value).then_some(Number(Repr::Integer(value)))
    }

    /// Whether it is kept, and written, as a float.
    pub fn is_float(self) -> bool {
        matches!(self.0, Repr::Float(_))
    }

    /// The same number as `i64`, if there is one.
    pub fn as_i64(self) -> Option<i64> {
        i64::try_from(self.as_integer()?).ok()
    }

    /// The same number as `u64`, if there is one.
    pub fn as_u64(self) -> Option<u64> {
        u64::try_from(self.as_integer()?).ok()
    }

    /// The same number as `f64`, if there is one. [`to_f64`](Number::to_f64) rounds.
    pub fn as_f64(self) -> Option<f64> {
        let float = self.to_f64();
        (Number(Repr::Float(float)) == self).then_some(float)
    }

    /// The nearest `f64`.
    pub fn to_f64(self) -> f64 {
        match self.0 {
            Repr::Integer(value) => value as f64,
            Repr::Float(value) => value,
        }
    }

    /// The same number as an integer, if it has no fraction and is within bounds.
    fn as_integer(self) -> Option<i128> {
        match self.0 {
            Repr::Integer(value) => Some(value),
            // Casting cuts the fraction off and stops at the ends of i128, far outside our bounds.
            Repr::Float(value) if value.fract() == 0.0 => {
                Number::from_i128(value as i128).and_then(Number::as_integer)
            }
            Repr::Float(_) => None,
        }
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Number(Repr::Integer(value.into()))
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        Number(Repr::Integer(value.into()))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.0, other.0) {
            (Repr::Integer(a), Repr::Integer(b)) => a.cmp(&b),
            (Repr::Integer(a), Repr::Float(b)) => compare(a, b),
            (Repr::Float(a), Repr::Integer(b)) => compare(b, a).reverse(),
            (Repr::Float(a), Repr::Float(b)) => compare_floats(a, b),
        }
    }
}

/// Compares without rounding either side.
fn compare(integer: i128, float: f64) -> Ordering {
    // The cast cuts the fraction off, exactly; beyond i128 it stops at an end, which no integer of
    // ours reaches, so the order stands.
    integer.cmp(&(float as i128)).then_with(|| compare_floats(0.0, float.fract()))
}

fn compare_floats(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).expect("a number is never NaN")
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Number {}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self.as_integer() {
            Some(value) => value.hash(state),
            // A float that equals no integer of ours has only one bit pattern.
            None => self.to_f64().to_bits().hash(state),
        }
    }
}

impl serde::Serialize for Number {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Repr::Float(value) => serializer.serialize_f64(value),
            Repr::Integer(value) => match u64::try_from(value) {
                Ok(value) => serializer.serialize_u64(value),
                Err(_) => {
                    serializer.serialize_i64(i64::try_from(value).expect("bounds checked at construction"))
                }
            },
        }
    }
}

impl fmt::Display for Number {
    /// As in JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Repr::Integer(value) => value.fmt(f),
            // Debug writes a float the shortest way that reads back, with a point or an exponent.
            Repr::Float(value) => fmt::Debug::fmt(&value, f),
        }
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
