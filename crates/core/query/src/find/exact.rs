//! Sums of floats that nothing is rounded away from, and that do not end where floats do.

/// Bits of a digit; the other half of its number is for carries.
const DIGIT_BITS: usize = 32;
const DIGIT_MASK: i64 = 0xffff_ffff;
/// From the lowest bit of the smallest float, 2^-1074, up to 2^1024 as often as there can be rows, and a sign.
const DIGITS: usize = 68;
/// Which bit is worth one.
const ONE: usize = 1074;
/// Bits of a float behind the first one.
const FRACTION_BITS: usize = 52;
/// More floats than these could be more than the carries of a digit have room for.
const ADDED_MAX: u32 = 1 << 30;

/// A sum, digit by digit, the lowest first. Digits are positive or negative, or larger than a digit until
/// they are carried.
#[derive(Debug, Clone)]
pub(super) struct Exact {
    digits: [i64; DIGITS],
    added: u32,
}

impl Exact {
    pub(super) fn new() -> Self {
        Exact { digits: [0; DIGITS], added: 0 }
    }

    /// Adds a float that is a number.
    pub(super) fn add(&mut self, float: f64) {
        let bits = float.to_bits();
        let fraction = bits & ((1 << FRACTION_BITS) - 1);
        match (bits >> FRACTION_BITS) as usize & 0x7ff {
            // The smallest floats have no first bit.
            0 => self.add_bits(fraction, 0, float.is_sign_negative()),
            exponent => self.add_bits(fraction | 1 << FRACTION_BITS, exponent - 1, float.is_sign_negative()),
        }
    }

    pub(super) fn add_integer(&mut self, integer: i128) {
        let size = integer.unsigned_abs();
        self.add_bits(size as u64, ONE, integer < 0);
        self.add_bits((size >> 64) as u64, ONE + 64, integer < 0);
    }

    fn add_bits(&mut self, bits: u64, at: usize, is_negative: bool) {
        let mut left = u128::from(bits) << (at % DIGIT_BITS);
        for digit in &mut self.digits[at / DIGIT_BITS..] {
            if left == 0 {
                break;
            }
            let part = left as i64 & DIGIT_MASK;
            *digit += if is_negative { -part } else { part };
            left >>= DIGIT_BITS;
        }
        self.added += 1;
        if self.added >= ADDED_MAX {
            self.carry();
        }
    }

    /// Makes every digit one that is positive, but for the last, which has the sign of all.
    fn carry(&mut self) {
        let mut carried = 0;
        let [digits @ .., last] = &mut self.digits;
        for digit in digits {
            let sum = *digit + carried;
            carried = sum >> DIGIT_BITS;
            *digit = sum & DIGIT_MASK;
        }
        *last += carried;
        self.added = 0;
    }

    /// The float that is nearest to the sum divided by two so many times, the even one of two. Sums that are
    /// divided at all are beyond all floats.
    pub(super) fn nearest(&self, halvings: usize) -> f64 {
        let mut sum = self.clone();
        sum.carry();
        let is_negative = sum.digits[DIGITS - 1] < 0;
        if is_negative {
            sum.digits.iter_mut().for_each(|digit| *digit = -*digit);
            sum.carry();
        }
        let size = f64::from_bits(sum.rounded(halvings));
        if is_negative { -size } else { size }
    }

    /// The bits of the nearest float, of digits that are carried and positive.
    fn rounded(&self, halvings: usize) -> u64 {
        let Some(last) = self.digits.iter().rposition(|digit| *digit != 0) else { return 0 };
        let first_bit = last * DIGIT_BITS + self.digits[last].ilog2() as usize;
        let dropped = first_bit.saturating_sub(FRACTION_BITS);
        let mut kept = 0_u64;
        for bit in (dropped..=first_bit).rev() {
            kept = kept << 1 | u64::from(self.bit(bit));
        }
        // The first bit is not written but makes the exponent one larger, and so does one that is carried.
        let Some(exponent) = dropped.checked_sub(halvings).filter(|exponent| *exponent < 0x7fe) else {
            return f64::INFINITY.to_bits();
        };
        let is_half = dropped > 0 && self.bit(dropped - 1);
        let is_up = is_half && (kept & 1 == 1 || (0..dropped - 1).any(|bit| self.bit(bit)));
        ((exponent as u64) << FRACTION_BITS) + kept + u64::from(is_up)
    }

    fn bit(&self, at: usize) -> bool {
        self.digits[at / DIGIT_BITS] >> (at % DIGIT_BITS) & 1 == 1
    }
}
