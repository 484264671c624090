//! Numbers and units in sentences.

use cairn_base::Number;

/// A number as it is written: an integer or a decimal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Quantity {
    /// An integer.
    Int(i64),
    /// Another number.
    Decimal(f64),
}

impl Quantity {
    /// Returns its digits.
    pub(crate) fn text(self) -> String {
        match self {
            Quantity::Int(number) => number.to_string(),
            Quantity::Decimal(number) => number.to_string(),
        }
    }
}

/// Numbers that are written as words, in order from zero.
pub(crate) const NUMBER_WORDS: [&str; 11] =
    ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/// Returns a number in digits, with or without thousands separators, or as a word up to ten.
pub(crate) fn quantity(text: &str) -> Option<Quantity> {
    if let Some(number) = (0..).zip(NUMBER_WORDS).find(|(_, word)| text.eq_ignore_ascii_case(word)) {
        return Some(Quantity::Int(number.0));
    }
    let digits: String = text.chars().filter(|letter| *letter != ',').collect();
    if let Ok(number) = digits.parse::<i64>() {
        return Some(Quantity::Int(number));
    }
    let number = digits.parse::<f64>().ok().and_then(Number::from_f64)?;
    Some(Quantity::Decimal(number.to_f64()))
}

/// Returns the usual spelling of a unit: times are plural words but for `ms`; others are in lower case.
pub(crate) fn unit(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    match lower.as_str() {
        "ms" | "millisecond" | "milliseconds" => "ms",
        "s" | "sec" | "secs" | "second" | "seconds" => "seconds",
        "min" | "mins" | "minute" | "minutes" => "minutes",
        "h" | "hour" | "hours" => "hours",
        "day" | "days" => "days",
        "week" | "weeks" => "weeks",
        "month" | "months" => "months",
        "year" | "years" => "years",
        "percent" | "%" => "percent",
        other => other,
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_digits_decimals_and_words() {
        for (text, expected) in [
            ("30", Some("30")),
            ("1,000", Some("1000")),
            ("99.9", Some("99.9")),
            ("Seven", Some("7")),
            ("ten", Some("10")),
            ("eleven", None),
            ("", None),
            ("9999999999999999999999", Some("10000000000000000000000")),
        ] {
            assert_eq!(quantity(text).map(Quantity::text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn units_have_one_spelling() {
        for (text, expected) in
            [("Minute", "minutes"), ("s", "seconds"), ("milliseconds", "ms"), ("%", "percent"), ("MB", "mb")]
        {
            assert_eq!(unit(text), expected);
        }
    }
}
