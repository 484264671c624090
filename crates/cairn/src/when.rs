//! Points in time for people.

use std::time::Duration;

use indicatif::HumanDuration;

/// A time in Unix milliseconds as date and time in UTC, such as `2026-11-16 05:45:23Z`.
pub(crate) fn absolute(unix_ms: u64) -> String {
    let seconds = unix_ms / 1000;
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}Z")
}

/// How long ago that was, such as `2 minutes ago`.
pub(crate) fn relative(unix_ms: u64, now_ms: u64) -> String {
    match now_ms.saturating_sub(unix_ms) {
        0..1000 => "just now".to_owned(),
        ms => format!("{} ago", HumanDuration(Duration::from_secs(ms / 1000))),
    }
}

/// Year, month and day of a number of days after the first of January 1970.
fn date(days: u64) -> (u64, u64, u64) {
    let mut left = days;
    let mut year = 1970;
    // The calendar repeats every 400 years; what is left is at most 400 steps.
    const DAYS_OF_400_YEARS: u64 = 146_097;
    year += left / DAYS_OF_400_YEARS * 400;
    left %= DAYS_OF_400_YEARS;
    while left >= days_of_year(year) {
        left -= days_of_year(year);
        year += 1;
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let mut month = 1;
    for days in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if left < days {
            break;
        }
        left -= days;
        month += 1;
    }
    (year, month, left + 1)
}

fn days_of_year(year: u64) -> u64 {
    if is_leap(year) { 366 } else { 365 }
}

fn is_leap(year: u64) -> bool {
    (year.is_multiple_of(4) && !year.is_multiple_of(100)) || year.is_multiple_of(400)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01 00:00:00Z"),
            (951_782_399, "2000-02-28 23:59:59Z"),
            (951_782_400, "2000-02-29 00:00:00Z"),
            (951_868_800, "2000-03-01 00:00:00Z"),
            (1_700_000_000, "2023-11-14 22:13:20Z"),
            (4_107_542_400, "2100-03-01 00:00:00Z"),
            (1_735_689_599, "2024-12-31 23:59:59Z"),
        ] {
            assert_eq!(absolute(seconds * 1000 + 999), expected);
        }
        // Far away, and no loop that takes for ever.
        assert!(absolute(u64::MAX).starts_with("584556019-"));
    }

    #[test]
    fn distances_are_said_in_words() {
        assert_eq!(relative(1000, 1999), "just now");
        assert_eq!(relative(5000, 1000), "just now");
        assert_eq!(relative(0, 45_000), "45 seconds ago");
        assert_eq!(relative(0, 7_200_000), "2 hours ago");
    }
}
