//! Until when a certificate is valid: the one thing about it that people forget.
//!
//! Only the way to that field is read (RFC 5280, section 4.1), and nothing is verified. Whatever looks
//! different has no answer.

use cairn_base::from_iso;

const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xa0;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// The end of a DER certificate's validity in Unix milliseconds.
pub(crate) fn valid_until_ms(certificate: &[u8]) -> Option<i64> {
    let certificate = Fields(certificate).next_of(SEQUENCE)?;
    let mut signed = Fields(Fields(certificate).next_of(SEQUENCE)?);
    let (tag, _) = signed.next()?;
    if tag == VERSION {
        // The serial number comes after the version.
        signed.next()?;
    }
    let (_signature, _issuer) = (signed.next()?, signed.next()?);
    let mut validity = Fields(signed.next_of(SEQUENCE)?);
    let _from = validity.next()?;
    let (tag, until) = validity.next()?;
    let until = std::str::from_utf8(until).ok().filter(|until| until.is_ascii())?;
    match tag {
        // Years of two digits are those from 1950 to 2049.
        UTC_TIME => time(if until < "50" { "20" } else { "19" }, until),
        GENERALIZED_TIME => time("", until),
        _ => None,
    }
}

/// `YYYYMMDDHHMMSSZ`, the first two digits perhaps apart.
fn time(century: &str, text: &str) -> Option<i64> {
    let text = format!("{century}{text}");
    let digits = text.strip_suffix('Z').filter(|digits| digits.len() == 14)?;
    let (date, clock) = digits.split_at(8);
    let (year, month, day) = (&date[..4], &date[4..6], &date[6..]);
    let (hour, minute, second) = (&clock[..2], &clock[2..4], &clock[4..]);
    from_iso(&format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z"))
}

/// DER values, one after the other.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    /// The next value, which must have this tag.
    fn next_of(&mut self, tag: u8) -> Option<&'a [u8]> {
        self.next().filter(|(found, _)| *found == tag).map(|(_, content)| content)
    }

    fn next(&mut self) -> Option<(u8, &'a [u8])> {
        let (&[tag, first], mut rest) = self.0.split_first_chunk()?;
        let mut length = usize::from(first);
        if first >= 0x80 {
            let (bytes, behind) = rest.split_at_checked(usize::from(first & 0x7f))?;
            // More than four bytes of length are more than anybody has.
            length = (1..=4)
                .contains(&bytes.len())
                .then(|| bytes.iter().fold(0_usize, |length, byte| (length << 8) | usize::from(*byte)))?;
            rest = behind;
        }
        let (content, behind) = rest.split_at_checked(length)?;
        self.0 = behind;
        Some((tag, content))
    }
}

#[cfg(test)]
mod tests {
    use cairn_base::to_iso;
    use rcgen::{CertificateParams, KeyPair, date_time_ymd};

    use super::*;

    fn certificate(year: i32) -> Vec<u8> {
        let mut params = CertificateParams::new(["localhost".to_owned()]).expect("a name");
        params.not_before = date_time_ymd(1970, 1, 1);
        params.not_after = date_time_ymd(year, 2, 3);
        let key = KeyPair::generate().expect("a key");
        params.self_signed(&key).expect("a certificate").der().to_vec()
    }

    #[test]
    fn both_ways_to_write_a_year() {
        for year in [1999, 2027, 2049, 2050, 4096] {
            let until = valid_until_ms(&certificate(year)).and_then(to_iso);
            assert_eq!(until, Some(format!("{year}-02-03T00:00:00+00:00")));
        }
    }

    #[test]
    fn what_is_cut_or_changed_is_no_reason_to_panic() {
        let whole = certificate(2027);
        for length in 0..whole.len() {
            assert_eq!(valid_until_ms(&whole[..length]), None, "{length}");
        }
        for at in 0..whole.len().min(200) {
            for byte in [0, 0x7f, 0x80, 0x84, 0xff] {
                let mut changed = whole.clone();
                changed[at] = byte;
                valid_until_ms(&changed);
            }
        }
    }
}
