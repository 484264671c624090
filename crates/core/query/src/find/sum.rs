//! Sums that do not depend on the order of what is added.

use cairn_base::Number;

/// A sum that is kept exactly: as an integer, and as floats that do not overlap.
#[derive(Debug, Default)]
pub(super) struct Sum {
    integers: i128,
    /// Whether a float was among the numbers, added or not.
    pub(super) has_float: bool,
    /// Ascending by size; each is smaller than the last digit of the next, so that together they are exact.
    floats: Vec<f64>,
}

impl Sum {
    pub(super) fn add(&mut self, number: Number) {
        let whole = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
        match whole.filter(|_| !number.is_float()) {
            // No budget allows so many numbers that this could overflow.
            Some(whole) => self.integers = self.integers.saturating_add(whole),
            None => {
                self.has_float = true;
                add_exactly(&mut self.floats, number.to_f64());
            }
        }
    }

    /// An integer if all were integers and it is within bounds, else the nearest float; nothing if that is
    /// beyond all floats.
    pub(super) fn total(&self) -> Option<Number> {
        if !self.has_float
            && let Some(number) = Number::from_i128(self.integers)
        {
            return Some(number);
        }
        Number::from_f64(self.nearest())
    }

    /// The nearest float.
    pub(super) fn nearest(&self) -> f64 {
        let mut floats = self.floats.clone();
        let high = self.integers as f64;
        // What the cast has rounded away fits into a float.
        let low = self.integers.saturating_sub(high as i128) as f64;
        add_exactly(&mut floats, high);
        add_exactly(&mut floats, low);
        // From the largest down, until something is rounded away.
        let mut total = floats.pop().unwrap_or(0.0);
        while let Some(next) = floats.pop() {
            let (sum, rest) = add_with_rest(total, next);
            total = sum;
            if rest == 0.0 {
                continue;
            }
            // Halfway between two floats what is left decides, and it is on the same side or not.
            let twice = rest * 2.0;
            let is_tie = (total + twice) - total == twice;
            if is_tie && floats.pop().is_some_and(|left| (left < 0.0) == (rest < 0.0)) {
                total += twice;
            }
            break;
        }
        total
    }
}

/// Adds a float to others that do not overlap.
fn add_exactly(floats: &mut Vec<f64>, value: f64) {
    let mut carried = value;
    let mut kept = 0;
    for at in 0..floats.len() {
        let (sum, rest) = add_with_rest(carried, floats[at]);
        if rest != 0.0 {
            floats[kept] = rest;
            kept += 1;
        }
        carried = sum;
    }
    floats.truncate(kept);
    floats.push(carried);
}

/// The rounded sum of two floats, and what was rounded away.
fn add_with_rest(a: f64, b: f64) -> (f64, f64) {
    let (large, small) = if a.abs() < b.abs() { (b, a) } else { (a, b) };
    let sum = large + small;
    (sum, small - (sum - large))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_base::Value;

    fn total(json: &str) -> String {
        let mut sum = Sum::default();
        let value = Value::parse_json(json.as_bytes()).unwrap();
        value.as_array().unwrap().iter().for_each(|item| sum.add(item.as_number().unwrap()));
        sum.total().map_or("none".to_owned(), |number| number.to_string())
    }

    #[test]
    fn sums_are_exact_whatever_the_order() {
        for (numbers, expected) in [
            ("[]", "0"),
            ("[1,2,3]", "6"),
            ("[18446744073709551615,-1]", "18446744073709551614"),
            ("[18446744073709551615,1]", "1.8446744073709552e19"),
            ("[1,2.5]", "3.5"),
            ("[1,2.0]", "3.0"),
            ("[0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1]", "1.0"),
            ("[1e16,1,-1e16]", "1.0"),
            ("[1e100,1.0,-1e100]", "1.0"),
            ("[9007199254740993,0.0]", "9007199254740992.0"),
            ("[9007199254740993,0.5]", "9007199254740994.0"),
            ("[9007199254740993,-0.5]", "9007199254740992.0"),
            // Halfway between two floats, and something that is smaller than what either can show.
            ("[9007199254740993,1e-20]", "9007199254740994.0"),
            ("[9007199254740993,-1e-20]", "9007199254740992.0"),
            ("[1e308,1e308]", "none"),
        ] {
            assert_eq!(total(numbers), expected, "{numbers}");
        }
        assert_eq!(total("[0.1,1e16,0.2,-1e16,0.3]"), total("[-1e16,0.3,0.2,0.1,1e16]"));
    }
}
