//! Where the next page of a search begins, as clients carry it. Opaque to them.

use cairn_base::{Base64Url, ContentHash, from_base64_url};
use cairn_engine::SearchIn;
use cairn_engine::limits;

/// The first byte of every cursor; another form gets another number.
const VERSION: u8 = 1;
const BYTES: usize = 14;
/// Units as they stand in a cursor: their places here.
const UNITS: [SearchIn; 4] = [SearchIn::Turns, SearchIn::Windows, SearchIn::Contexts, SearchIn::Artifacts];

/// How much of which search was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cursor {
    /// What was found; never [`SearchIn::Auto`].
    pub(super) search_in: SearchIn,
    /// Hits that were seen.
    pub(super) skip: usize,
    /// Of the search.
    pub(super) fingerprint: [u8; 8],
}

impl Cursor {
    pub(super) fn encode(self) -> String {
        let unit = UNITS.iter().position(|unit| *unit == self.search_in).unwrap_or(0);
        let mut bytes = [0; BYTES];
        bytes[0] = VERSION;
        bytes[1] = u8::try_from(unit).unwrap_or(0);
        bytes[2..6].copy_from_slice(&u32::try_from(self.skip).unwrap_or(u32::MAX).to_be_bytes());
        bytes[6..].copy_from_slice(&self.fingerprint);
        Base64Url(&bytes).to_string()
    }

    /// A cursor of this server; `None` for anything else.
    pub(super) fn decode(text: &str) -> Option<Self> {
        let bytes: [u8; BYTES] = from_base64_url(text)?.try_into().ok()?;
        let [version, unit, a, b, c, d, fingerprint @ ..] = bytes;
        let skip = usize::try_from(u32::from_be_bytes([a, b, c, d])).ok()?;
        let is_ours = version == VERSION && skip < limits::SEARCH_DEPTH_MAX;
        let search_in = *UNITS.get(usize::from(unit))?;
        is_ours.then_some(Cursor { search_in, skip, fingerprint })
    }
}

/// What the parts of a search are recognised by. Equal ones have equal parts, as far as anybody can tell.
pub(super) fn fingerprint(parts: &[Option<String>]) -> [u8; 8] {
    let mut bytes = Vec::new();
    for part in parts {
        // With their lengths, so that no two lists of parts read the same.
        let length = part.as_ref().map_or(u64::MAX, |part| part.len() as u64);
        bytes.extend(length.to_be_bytes());
        bytes.extend(part.as_deref().unwrap_or_default().as_bytes());
    }
    let hash = ContentHash::of(&bytes);
    let mut fingerprint = [0; 8];
    fingerprint.copy_from_slice(&hash.as_bytes()[..8]);
    fingerprint
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(parts: &[Option<&str>]) -> [u8; 8] {
        fingerprint(&parts.iter().map(|part| part.map(str::to_owned)).collect::<Vec<_>>())
    }

    #[test]
    fn a_cursor_leads_back_to_its_place() {
        for search_in in UNITS {
            for skip in [0, 1, 10, limits::SEARCH_DEPTH_MAX - 1] {
                let cursor = Cursor { search_in, skip, fingerprint: of(&[Some("q")]) };
                assert_eq!(Cursor::decode(&cursor.encode()), Some(cursor));
            }
        }
    }

    #[test]
    fn what_is_no_cursor_is_not_taken_for_one() {
        let fingerprint = of(&[None]);
        let good = Cursor { search_in: SearchIn::Turns, skip: 10, fingerprint };
        let too_far = Cursor { skip: limits::SEARCH_DEPTH_MAX, ..good }.encode();
        let with = |at: usize, byte| {
            let mut bytes = from_base64_url(&good.encode()).expect("its own text");
            bytes[at] = byte;
            Base64Url(&bytes).to_string()
        };
        for bad in [
            "",
            "x",
            "10",
            &too_far,
            &with(0, 2),
            &with(1, 4),
            &good.encode()[1..],
            &format!("{}A", good.encode()),
        ] {
            assert_eq!(Cursor::decode(bad), None, "{bad}");
        }
    }

    #[test]
    fn parts_do_not_run_into_each_other() {
        let all = [
            of(&[Some("ab"), None]),
            of(&[Some("a"), Some("b")]),
            of(&[None, Some("ab")]),
            of(&[Some("ab"), Some("")]),
        ];
        for (at, one) in all.iter().enumerate() {
            assert!(!all[at + 1..].contains(one), "{at}");
        }
    }
}
