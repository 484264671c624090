//! The calendar: days of Unix time as dates, and times as ISO 8601 has them.

use std::fmt::Write as _;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// 9999-12-31T23:59:59.999Z: what follows has five digits of years, which few readers expect.
const LAST_MS: i64 = 253_402_300_799_999;
/// 0000-01-01T00:00:00Z.
const FIRST_MS: i64 = -62_167_219_200_000;

/// A time in Unix milliseconds like `2024-01-30T11:43:20.123+00:00`, the fraction only where there is one;
/// `None` for times that have no such form.
pub fn to_iso(ms: i64) -> Option<String> {
    if !(FIRST_MS..=LAST_MS).contains(&ms) {
        return None;
    }
    let (day, in_day) = (ms.div_euclid(DAY_MS), ms.rem_euclid(DAY_MS));
    let (year, month, day) = civil_date(day);
    let (seconds, fraction) = (in_day / 1000, in_day % 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let mut out = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
    if fraction > 0 {
        // Writing to a text does not fail.
        let _ = write!(out, ".{fraction:03}");
    }
    out.push_str("+00:00");
    Some(out)
}

/// A time in Unix milliseconds like `2024-01-30T11:43:20.123Z`, always with milliseconds: as texts they have
/// the order of the times. A time after the year 9999 is shown as the last one that has such a form.
pub fn to_iso_utc(ms: u64) -> String {
    let ms = i64::try_from(ms).unwrap_or(LAST_MS).min(LAST_MS);
    let (year, month, day) = civil_date(ms.div_euclid(DAY_MS));
    let (seconds, fraction) = (ms.rem_euclid(DAY_MS) / 1000, ms % 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction:03}Z")
}

/// Year, month and day of a number of days after the first of January 1970.
///
/// Years are counted from March on, so that the day that leap years have more is their last; 400 of them
/// always have 146,097 days.
pub fn civil_date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

/// Reads a time like `2024-01-30T11:43:20.123+00:00` or `…Z`, in milliseconds; finer fractions are cut off.
pub fn from_iso(text: &str) -> Option<i64> {
    let (date, time) = text.split_once(['T', 't', ' '])?;
    let mut date = date.splitn(3, '-').map(|part| digits(part, part.len()));
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let (time, offset_minutes) = offset(time)?;
    let (clock, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut clock = clock.split(':').map(|part| digits(part, 2));
    let (hour, minute) = (clock.next()??, clock.next()??);
    let second = clock.next().unwrap_or(Some(0))?;
    let is_date = (0..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !is_date || hour > 23 || minute > 59 || second > 60 || clock.next().is_some() {
        return None;
    }
    digits(fraction, fraction.len())?;
    let millis: i64 =
        fraction.bytes().chain(*b"00").take(3).fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
    let days = days(year, month, day);
    // The 31st of a month that has none.
    if civil_date(days) != (year, month, day) {
        return None;
    }
    Some(days * DAY_MS + ((hour * 60 + minute - offset_minutes) * 60 + second) * 1000 + millis)
}

/// The time of day, and how many minutes it is ahead.
fn offset(time: &str) -> Option<(&str, i64)> {
    if let Some(time) = time.strip_suffix(['Z', 'z']) {
        return Some((time, 0));
    }
    let at = time.rfind(['+', '-'])?;
    let (time, offset) = time.split_at(at);
    let sign = if offset.starts_with('-') { -1 } else { 1 };
    let (hours, minutes) = offset[1..].split_once(':')?;
    Some((time, sign * (digits(hours, 2)? * 60 + digits(minutes, 2)?)))
}

fn digits(text: &str, count: usize) -> Option<i64> {
    let is_number = text.len() == count && !text.is_empty() && text.len() < 12;
    (is_number && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

/// The other way round than [`civil_date`].
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let month = if month > 2 { month - 3 } else { month + 9 };
    let of_year = (153 * month + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_every_usual_form_and_nothing_else_is() {
        let rows = [
            ("1970-01-01T00:00:00Z", 0),
            ("1970-01-01 00:00Z", 0),
            ("1970-01-01T02:00:00.5+02:00", 500),
            ("1970-01-01T00:00:00.1239999Z", 123),
            ("1969-12-31T19:00:00-05:00", 0),
        ];
        for (text, ms) in rows {
            assert_eq!(from_iso(text), Some(ms), "{text}");
        }
        for bad in [
            "",
            "now",
            "1970-01-01",
            "1970-01-01T00:00:00",
            "1970-02-30T00:00:00Z",
            "1970-13-01T00:00:00Z",
            "1970-01-01T24:00:00Z",
            "1970-01-01T00:61:00Z",
            "1970-01-01T0:00:00Z",
            "1970-01-01T00:00:00.Z",
            "1970-01-01T00:00:00.xZ",
            "99999-01-01T00:00:00Z",
            "1970-01-01T00:00:00:00Z",
            "1970-01-01T00:00:00+1:00",
        ] {
            assert_eq!(from_iso(bad), None, "{bad}");
        }
    }

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
            assert_eq!(to_iso(ms).as_deref(), Some(expected));
            assert_eq!(from_iso(expected), Some(ms));
        }
        for ms in [LAST_MS + 1, FIRST_MS - 1, i64::MIN, i64::MAX] {
            assert_eq!(to_iso(ms), None, "{ms}");
        }
    }
    #[test]
    fn times_of_one_width_have_the_order_of_their_texts() {
        let rows = [
            (0, "1970-01-01T00:00:00.000Z"),
            (1_706_615_000_120, "2024-01-30T11:43:20.120Z"),
            (1_706_615_000_123, "2024-01-30T11:43:20.123Z"),
            (LAST_MS.cast_unsigned(), "9999-12-31T23:59:59.999Z"),
        ];
        for (ms, expected) in rows {
            assert_eq!(to_iso_utc(ms), expected);
            assert_eq!(from_iso(expected), i64::try_from(ms).ok());
        }
        assert!(rows.is_sorted_by_key(|(_, text)| text));
        assert_eq!(to_iso_utc(u64::MAX), "9999-12-31T23:59:59.999Z");
    }
}
