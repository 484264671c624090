//! Points in time for people.

use std::time::Duration;

use cairn_base::civil_date;
use indicatif::HumanDuration;

/// A time in Unix milliseconds as date and time in UTC, such as `2026-11-16 05:45:23Z`.
pub(crate) fn absolute(unix_ms: u64) -> String {
    let seconds = unix_ms / 1000;
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Times of 64 bits have far fewer days than numbers have.
    let (year, month, day) = civil_date(i64::try_from(days).unwrap_or(i64::MAX));
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
