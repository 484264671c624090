//! Scalars and the core schema of YAML 1.2, with exact numbers.

use cairn_base::Value;

/// A scalar as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scalar {
    /// Its text, without quotes and escapes.
    pub(crate) text: String,
    /// Whether its text decides its type: it has no quotes and no tag.
    pub(crate) form: Form,
}

/// The rule by which the type of a scalar is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Plain text: the core schema decides.
    Plain,
    /// Quotes, a block, or the tag `!!str`.
    Text,
}

impl Scalar {
    /// Whether it stands for nothing.
    pub(crate) fn is_null(&self) -> bool {
        self.form == Form::Plain && matches!(self.text.as_str(), "" | "~" | "null" | "Null" | "NULL")
    }

    /// Its value in the core schema. Fails with a message if it is a number that cannot be kept exactly.
    pub(crate) fn value(&self) -> Result<Value, String> {
        let text = self.text.as_str();
        if self.form == Form::Text {
            return Ok(text.into());
        }
        if self.is_null() {
            return Ok(Value::Null);
        }
        match text {
            "true" | "True" | "TRUE" => return Ok(true.into()),
            "false" | "False" | "FALSE" => return Ok(false.into()),
            _ => {}
        }
        if is_special_float(text) {
            return Err(format!("{text} is no number that can be stored"));
        }
        match json_number(text) {
            None => Ok(text.into()),
            Some(json) => Value::parse_json(json.as_bytes())
                .map_err(|_| format!("the number {} cannot be kept exactly; put it in quotes", cut(text))),
        }
    }
}

fn is_special_float(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN")
}

/// A number of the core schema as JSON writes it; `None` if the text is no number.
fn json_number(text: &str) -> Option<String> {
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    let (sign, rest) = match text.as_bytes().first()? {
        b'-' => ("-", &text[1..]),
        b'+' => ("", &text[1..]),
        _ => ("", text),
    };
    let (mantissa, exponent) = match rest.find(['e', 'E']) {
        Some(at) => (&rest[..at], Some(&rest[at + 1..])),
        None => (rest, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(whole) || !fraction.is_none_or(is_digits) {
        return None;
    }
    if whole.is_empty() && fraction.is_none_or(str::is_empty) {
        return None;
    }
    let exponent = match exponent {
        None => String::new(),
        Some(exponent) => {
            let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            if digits.is_empty() || !is_digits(digits) {
                return None;
            }
            format!("e{exponent}")
        }
    };
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let fraction = match fraction {
        None => String::new(),
        Some("") => ".0".to_owned(),
        Some(fraction) => format!(".{fraction}"),
    };
    Some(format!("{sign}{whole}{fraction}{exponent}"))
}

/// Digits of another base as a decimal integer; as they are if there are too many, which no number keeps.
fn radix(digits: &str, radix: u32) -> Option<String> {
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    Some(i128::from_str_radix(digits, radix).map_or_else(|_| "1e999".to_owned(), |number| number.to_string()))
}

fn cut(text: &str) -> String {
    text.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let value = Scalar { text: text.to_owned(), form: Form::Plain }.value();
        let shown = match value {
            Ok(Value::String(text)) => format!("text {text}"),
            Ok(value) => value.to_json(),
            Err(_) => "refused".to_owned(),
        };
        assert_eq!(shown, expected, "{text:?}");
    }

    #[test]
    fn plain_scalars_have_the_types_of_the_core_schema() {
        for null in ["", "~", "null", "Null", "NULL"] {
            check(null, "null");
        }
        check("true", "true");
        check("FALSE", "false");
        for text in
            ["yes", "no", "on", "off", "y", "nULL", "tRue", "-", "+", ".", "1_000", "1e", "e1", "0x", "0xg"]
        {
            check(text, &format!("text {text}"));
        }
        for text in ["2026-05-01", "12:30", "1.2.3", "-.", "0o8", "1e+", "--1", "∞"] {
            check(text, &format!("text {text}"));
        }
        check("30", "30");
        check("+30", "30");
        check("-0", "0");
        check("007", "7");
        check("0x1F", "31");
        check("0o17", "15");
        check("1.50", "1.5");
        check(".5", "0.5");
        check("5.", "5.0");
        check("1e3", "1000.0");
        check("-1.5E-2", "-0.015");
        check("18446744073709551615", "18446744073709551615");
        check("18446744073709551617", "refused");
        check("0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF", "refused");
        check("1e999", "refused");
        check(".inf", "refused");
        check("-.INF", "refused");
        check(".nan", "refused");
    }

    #[test]
    fn quotes_make_text() {
        let quoted = Scalar { text: "null".to_owned(), form: Form::Text };
        assert!(!quoted.is_null());
        assert_eq!(quoted.value(), Ok("null".into()));
    }
}
