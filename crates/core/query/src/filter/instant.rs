//! Texts that are times.

use cairn_base::from_iso;

/// A point in time as RFC 3339 writes it, exact to every digit. Ordered by time, whatever its offset is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Instant<'a> {
    ms: i64,
    /// Digits of the fraction after those of milliseconds, without zeros at their end: they compare as they
    /// are written.
    finer: &'a str,
}

impl<'a> Instant<'a> {
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        // Most texts are no times; the shortest time is 1970-01-01T00:00Z.
        if text.len() < 17 || !text.as_bytes()[0].is_ascii_digit() {
            return None;
        }
        let ms = from_iso(text)?;
        let fraction = text.split_once('.').map_or("", |(_, fraction)| fraction);
        let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
        let finer = fraction[..digits].get(3..).unwrap_or("").trim_end_matches('0');
        Some(Instant { ms, finer })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_ordered_by_time_and_other_texts_are_none() {
        let ascending = [
            "1969-12-31T23:59:59Z",
            "1970-01-01T02:00:00+02:00",
            "1970-01-01T00:00:00.001Z",
            "1970-01-01T00:00:00.0010001Z",
            "1970-01-01T00:00:00.00100010001Z",
            "1970-01-01T00:00:00.002Z",
        ];
        let times: Vec<_> = ascending.iter().map(|text| Instant::parse(text).unwrap()).collect();
        assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
        let same = ["1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z", "1970-01-01T00:00Z"];
        assert!(same.iter().all(|text| Instant::parse(text) == Instant::parse(same[0])));
        for text in
            ["", "1970-01-01", "some text that is long enough", "1970-01-01T00:00:00", "9999999999999999999"]
        {
            assert_eq!(Instant::parse(text), None, "{text}");
        }
    }
}
