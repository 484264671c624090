//! Lengths of time as people write them.

use std::time::Duration;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// A length of time with its unit: `90s`, `15m`, `12h`, `30d`.
pub fn time_span(text: &str) -> Option<Duration> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "s" => 1,
        "m" => MINUTE,
        "h" => HOUR,
        "d" => DAY,
        _ => return None,
    };
    digits.trim().parse::<u64>().ok()?.checked_mul(unit).map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_of_time_has_a_unit() {
        for (text, seconds) in [("90s", 90), ("15m", 900), ("12h", 43_200), ("30d", 2_592_000), ("0s", 0)] {
            assert_eq!(time_span(text), Some(Duration::from_secs(seconds)), "{text}");
        }
        for bad in ["", "30", "d", "30D", "30 days", "-1d", "1.5h", "30dd", "213503982334602d", "3ä"] {
            assert_eq!(time_span(bad), None, "{bad}");
        }
    }
}
