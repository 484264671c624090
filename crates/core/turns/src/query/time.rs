//! Times as people write them in queries.

use cairn_base::from_iso;

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;

/// Unix milliseconds of a time like `2026-01-31T12:00:00.5+01:00` (RFC 3339), of a day like `2026-01-31`
/// (its start in UTC), or of one that counts back from now, like `-7d`, `-24h` or `-30m`.
pub fn parse_time(text: &str, now_ms: u64) -> Option<i64> {
    if let Some(back) = text.strip_prefix('-') {
        return before_now(back, now_ms);
    }
    let is_day = text.len() == "2026-01-31".len();
    if is_day { from_iso(&format!("{text}T00:00:00Z")) } else { from_iso(text) }
}

fn before_now(back: &str, now_ms: u64) -> Option<i64> {
    let (amount, unit) = back.split_at_checked(back.len().checked_sub(1)?)?;
    let unit = match unit {
        "d" => DAY_MS,
        "h" => HOUR_MS,
        "m" => MINUTE_MS,
        _ => return None,
    };
    let all_digits = amount.bytes().all(|byte| byte.is_ascii_digit());
    let amount = amount.parse::<i64>().ok().filter(|_| all_digits)?;
    i64::try_from(now_ms).ok()?.checked_sub(amount.checked_mul(unit)?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn times_are_read_in_every_form_and_nothing_else_is() {
        let now = 1_700_000_000_000;
        let rows = [
            ("1970-01-01", Some(0)),
            ("2024-01-30", Some(1_706_572_800_000)),
            ("2024-01-30T11:43:20Z", Some(1_706_615_000_000)),
            ("2024-01-30t11:43:20.1234567z", Some(1_706_615_000_123)),
            ("2024-01-30 12:43:20.1+01:00", Some(1_706_615_000_100)),
            ("2024-01-30T06:13:20-05:30", Some(1_706_615_000_000)),
            ("1969-12-31T23:59:59.999Z", Some(-1)),
            ("9999-12-31T23:59:60Z", Some(253_402_300_800_000)),
            ("-7d", Some(1_700_000_000_000 - 7 * 86_400_000)),
            ("-24h", Some(1_700_000_000_000 - 86_400_000)),
            ("-30m", Some(1_700_000_000_000 - 1_800_000)),
            ("-106751991167d", Some(1_700_000_000_000 - 106_751_991_167 * 86_400_000)),
            ("-0m", Some(1_700_000_000_000)),
            ("-9223372036854775807d", None),
            ("-99999999999999999999d", None),
        ];
        for (text, expected) in rows {
            assert_eq!(parse_time(text, now), expected, "{text}");
        }
        for bad in [
            "",
            "-",
            "-d",
            "-7",
            "-7s",
            "7d",
            "--7d",
            "-7ä",
            "2024-1-30",
            "2024-02-30",
            "24-01-30",
            "2024-01-30T",
            "2024-01-30T11:43:20",
            "2024-01-30T24:00:00Z",
            "2024-01-30T11:43:61Z",
            "2024-01-30T11:43:20.Z",
            "2024-01-30T11:43:20.5",
            "2024-01-30T11:43:20+1:00",
            "2024-01-30T11:43:20Zz",
            "2024-01-30X11:43:20Z",
            "2024-01-3ä",
            "+024-01-30",
            "1706572800000",
        ] {
            assert_eq!(parse_time(bad, now), None, "{bad}");
        }
        assert_eq!(parse_time("-1m", u64::MAX), None);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC*", close in "-?[0-9T:.+Z-]{0,30}[dhmZ]?", now: u64) {
            let _ = parse_time(&text, now);
            let _ = parse_time(&close, now);
        }
    }
}
