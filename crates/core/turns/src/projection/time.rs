//! Times as ISO 8601 has them.

use std::fmt::Write as _;

use crate::calendar::civil;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// 9999-12-31T23:59:59.999Z: what follows has five digits of years, which few readers expect.
const LAST_MS: i64 = 253_402_300_799_999;
/// 0000-01-01T00:00:00Z.
const FIRST_MS: i64 = -62_167_219_200_000;

/// Writes a time like `2024-01-30T11:43:20.123+00:00`, the fraction only where there is one; `false` for
/// times that have no such form.
pub(super) fn iso(ms: i64, out: &mut String) -> bool {
    if !(FIRST_MS..=LAST_MS).contains(&ms) {
        return false;
    }
    let (day, in_day) = (ms.div_euclid(DAY_MS), ms.rem_euclid(DAY_MS));
    let (year, month, day) = civil(day);
    let (seconds, fraction) = (in_day / 1000, in_day % 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    // Writing to a text does not fail.
    let _ = write!(out, "\"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
    if fraction > 0 {
        let _ = write!(out, ".{fraction:03}");
    }
    out.push_str("+00:00\"");
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_the_calendar_has_them() {
        let rows = [
            (0, "1970-01-01T00:00:00+00:00"),
            (-1, "1969-12-31T23:59:59.999+00:00"),
            (1_706_615_000_123, "2024-01-30T11:43:20.123+00:00"),
            (951_782_400_000, "2000-02-29T00:00:00+00:00"),
            (4_107_542_400_000, "2100-03-01T00:00:00+00:00"),
            (4_107_456_000_000, "2100-02-28T00:00:00+00:00"),
            (LAST_MS, "9999-12-31T23:59:59.999+00:00"),
            (FIRST_MS, "0000-01-01T00:00:00+00:00"),
        ];
        for (ms, expected) in rows {
            let mut out = String::new();
            assert!(iso(ms, &mut out));
            assert_eq!(out, format!("\"{expected}\""));
        }
        for ms in [LAST_MS + 1, FIRST_MS - 1, i64::MIN, i64::MAX] {
            assert!(!iso(ms, &mut String::new()), "{ms}");
        }
    }
}
