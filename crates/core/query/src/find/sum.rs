//! Sums that do not depend on the order of what is added.

use cairn_base::Number;

use super::exact::Exact;

/// A sum that is kept exactly, integers and floats each by themselves.
#[derive(Debug, Default)]
pub(super) struct Sum {
    integers: i128,
    /// Whether a float was among the numbers, added or not.
    pub(super) has_float: bool,
    floats: Option<Box<Exact>>,
}

/// Halvings that bring the sum of as many floats as there can be rows within the bounds of one.
const HALVINGS: usize = 64;

impl Sum {
    /// Bytes that it has besides its own.
    pub(super) const BYTES: usize = size_of::<Exact>();

    pub(super) fn add(&mut self, number: Number) {
        let whole = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
        match whole.filter(|_| !number.is_float()) {
            // No budget allows so many numbers that this could overflow.
            Some(whole) => self.integers = self.integers.saturating_add(whole),
            None => {
                self.has_float = true;
                self.floats.get_or_insert_with(|| Box::new(Exact::new())).add(number.to_f64());
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
        Number::from_f64(self.nearest(0))
    }

    /// The mean of so many numbers; of none there is none. It is within bounds even if their sum is not.
    pub(super) fn mean(&self, count: u64) -> Option<Number> {
        let count = count as f64;
        let total = self.nearest(0);
        if total.is_finite() {
            return Number::from_f64(total / count);
        }
        Number::from_f64(self.nearest(HALVINGS) / count * 2_f64.powi(HALVINGS as i32))
    }

    /// The float that is nearest to the sum, divided by two so many times.
    fn nearest(&self, halvings: usize) -> f64 {
        let Some(floats) = &self.floats else { return self.integers as f64 };
        let mut all = floats.clone();
        all.add_integer(self.integers);
        all.nearest(halvings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_base::Value;

    fn numbers(json: &str) -> Vec<Number> {
        let value = Value::parse_json(json.as_bytes()).unwrap();
        value.as_array().unwrap().iter().map(|item| item.as_number().unwrap()).collect()
    }

    fn sum(numbers: impl IntoIterator<Item = Number>) -> Sum {
        let mut sum = Sum::default();
        numbers.into_iter().for_each(|number| sum.add(number));
        sum
    }

    fn shown(number: Option<Number>) -> String {
        number.map_or("none".to_owned(), |number| number.to_string())
    }

    fn total(json: &str) -> String {
        shown(sum(numbers(json)).total())
    }

    #[test]
    fn sums_are_exact_whatever_the_order() {
        for (json, expected) in [
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
            ("[-1e308,-1e308]", "none"),
            // What goes beyond all floats on the way comes back, and with everything that is small.
            ("[1e308,1e308,-1e308]", "1e308"),
            ("[1e308,1e308,5e-324,-1e308,-1e308]", "5e-324"),
            ("[1.7976931348623157e308,9.97e291]", "1.7976931348623157e308"),
            ("[1.7976931348623157e308,9.98e291]", "none"),
            ("[2.2250738585072014e-308,-5e-324]", "2.225073858507201e-308"),
            ("[-0.1,-0.2]", "-0.30000000000000004"),
            ("[-2.5,2]", "-0.5"),
            ("[-0.0]", "0.0"),
        ] {
            assert_eq!(total(json), expected, "{json}");
            assert_eq!(shown(sum(numbers(json).into_iter().rev()).total()), expected, "{json} from behind");
        }
        assert_eq!(total("[0.1,1e16,0.2,-1e16,0.3]"), total("[-1e16,0.3,0.2,0.1,1e16]"));
    }

    #[test]
    fn a_mean_is_there_even_if_the_sum_is_beyond_all_floats() {
        for (json, expected) in [
            ("[]", "none"),
            ("[1,2]", "1.5"),
            ("[1e308,1e308]", "1e308"),
            ("[-1e308,-1e308,-1e308]", "-1e308"),
            ("[1e308,1e308,-1e308,-1e308]", "0.0"),
        ] {
            let numbers = numbers(json);
            assert_eq!(shown(sum(numbers.iter().copied()).mean(numbers.len() as u64)), expected, "{json}");
        }
    }
}
