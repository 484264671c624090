//! Days as the calendar names them.

/// Year, month and day of a number of days since 1970.
///
/// Years are counted from March on, so that the day that leap years have more is their last; 400 of them
/// always have 146,097 days.
pub(crate) fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

/// The number of days from 1970 to a day; `None` if the calendar has no such day.
pub(crate) fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        _ => return None,
    };
    if !(0..=9999).contains(&year) || !(1..=last).contains(&day) {
        return None;
    }
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * month + 2) / 5 + day - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_are_the_inverse_of_each_other() {
        for number in (-719_528..2_932_897).step_by(7) {
            let (year, month, day) = civil(number);
            assert_eq!(days(year, month, day), Some(number), "{year}-{month}-{day}");
        }
        for (year, month, day) in [
            (2023, 2, 29),
            (2100, 2, 29),
            (2024, 4, 31),
            (2024, 0, 1),
            (2024, 13, 1),
            (2024, 1, 0),
            (10_000, 1, 1),
            (-1, 1, 1),
        ] {
            assert_eq!(days(year, month, day), None, "{year}-{month}-{day}");
        }
        assert_eq!((days(1970, 1, 1), days(2000, 2, 29)), (Some(0), Some(11_016)));
    }
}
