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
    let digits = without_separators(text)?;
    if let Ok(number) = digits.parse::<i64>() {
        return Some(Quantity::Int(number));
    }
    let number = digits.parse::<f64>().ok().and_then(Number::from_f64)?;
    Some(Quantity::Decimal(number.to_f64()))
}

/// Returns digits without their thousands separators; `None` if a comma separates anything else, as in `1,5`.
fn without_separators(text: &str) -> Option<String> {
    let whole = text.split('.').next().unwrap_or_default();
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    let is_grouped = groups.all(|group| group.len() == 3) && (first.len() <= 3 || !whole.contains(','));
    let has_others = text[whole.len()..].contains(',');
    (is_grouped && !has_others).then(|| text.replace(',', ""))
}

/// Returns the usual spelling of a unit: times are plural words but for `ms`. Others are as they are written, because
/// `MB` and `Mb` are two units, but for a capital that only begins a word: `Characters` is `characters`.
pub(crate) fn unit(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    match lower.as_str() {
        "ms" | "millisecond" | "milliseconds" => "ms",
        "s" | "sec" | "secs" | "second" | "seconds" => "seconds",
        "min" | "mins" | "minute" | "minutes" => "minutes",
        "h" | "hr" | "hrs" | "hour" | "hours" => "hours",
        "day" | "days" => "days",
        "week" | "weeks" => "weeks",
        "month" | "months" => "months",
        "year" | "years" => "years",
        "percent" | "%" => "percent",
        word if word.len() > 3 && word.get(1..) == text.get(1..) => word,
        _ => text,
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
            ("1,234,567.5", Some("1234567.5")),
            ("1,5", None),
            ("3,14", None),
            ("1234,567", None),
            ("1,0000", None),
            ("1.5,000", None),
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
        for (text, expected) in [
            ("Minute", "minutes"),
            ("s", "seconds"),
            ("milliseconds", "ms"),
            ("%", "percent"),
            ("MB", "MB"),
            ("GiB", "GiB"),
            ("Mb", "Mb"),
            ("Bytes", "bytes"),
            ("MBit/s", "MBit/s"),
            ("24", "24"),
        ] {
            assert_eq!(unit(text), expected);
        }
    }
}
