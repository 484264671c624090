//! Lines of an export: JSON objects with one key each, which says what it is.
//!
//! ```text
//! {"cairn":"turns","version":1,"store":"9f86…"}                        first, and the same in every export of a store
//! {"bundle":{"bytes_b64":"…"}}
//! {"context":{"context_id":"7","base_turn_id":"0","created_at_unix_ms":…}}
//! {"blob":{"hash":"…","data_b64":"…"}}
//! {"turn":{"turn_id":"9","context_id":"7","parent_turn_id":"8",…,"payload_b64":"…"}}
//! {"unreadable":{"turn_id":"9",…,"reason":"…"}}                        a turn whose payload is damaged
//! {"head":{"context_id":"7","head_turn_id":"9","as_of_turn_id":"9"}}
//! {"end":{"contexts":1,"turns":9,"blobs":0,"bundles":0}}               last, so that a cut is noticed
//! ```
//!
//! The end of an export that is not whole has `unreadable`, which counts and names what is missing.

mod item;
mod line;
mod read;
mod write;

pub use item::{ExportCounts, ExportItem, ExportedTree, ExportedTurn, UnreadableParts};
pub use line::{Line, LineError, TreeLine, TurnLine, UnreadableLine};
pub use read::LinesRead;
pub use write::write_line;

/// The version of this format.
const VERSION: u32 = 1;
/// What the header says it is.
const KIND: &str = "turns";

#[cfg(test)]
mod tests {
    use cairn_base::{ContentHash, ContextId, ErrorCode, TurnId};

    use super::*;
    use crate::import::ImportId;

    const MAX: usize = 1 << 20;

    fn lines(items: &[ExportItem]) -> Vec<String> {
        let mut text = Vec::new();
        items.iter().for_each(|item| write_line(&mut text, item));
        String::from_utf8(text).expect("JSON").lines().map(str::to_owned).collect()
    }

    fn whole() -> Vec<String> {
        let counts = ExportCounts { contexts: 0, turns: 0, blobs: 1, bundles: 1 };
        lines(&[
            ExportItem::Header { store: "9f86".into() },
            ExportItem::Bundle(b"{}".to_vec()),
            ExportItem::Blob(ContentHash::of(b"file"), b"file".to_vec()),
            ExportItem::Head(ContextId(7), TurnId(9), TurnId(10)),
            ExportItem::End(counts, UnreadableParts::default()),
        ])
    }

    #[test]
    fn what_is_written_is_read_back_in_its_order() {
        let mut read = LinesRead::of(None);
        let found: Vec<_> = whole().iter().map(|line| read.next(line.as_bytes(), MAX).expect(line)).collect();
        let expected = [
            Line::Header,
            Line::Bundle(b"{}".to_vec()),
            Line::Blob(ContentHash::of(b"file"), b"file".to_vec()),
            Line::Head(ContextId(7), TurnId(9), TurnId(10)),
            Line::End(ExportCounts { contexts: 0, turns: 0, blobs: 1, bundles: 1 }, 0),
        ];
        assert_eq!(found, expected);
        assert!(read.finish().is_ok() && read.import().is_some());
        let named = ImportId::parse("mine").ok();
        assert_eq!(LinesRead::of(named).import(), named);
    }

    #[test]
    fn lines_that_are_missing_or_wrong_are_told() {
        let whole = whole();
        let check = |lines: &[&str], code: ErrorCode, part: &str| {
            let mut read = LinesRead::of(None);
            let wrong = lines.iter().find_map(|line| read.next(line.as_bytes(), 4).err());
            let wrong = wrong.unwrap_or_else(|| panic!("{lines:?} is taken"));
            assert_eq!(wrong.code, code, "{wrong}");
            assert!(wrong.message.contains(part), "{wrong}");
        };
        let header = whole[0].as_str();
        check(&[&whole[1]], ErrorCode::InvalidRequest, "a header must come first");
        check(&[r#"{"no":"export"}"#], ErrorCode::InvalidRequest, "a header must come first");
        check(&[header, &whole[1], &whole[4]], ErrorCode::InvalidRequest, "something is missing");
        check(&[r#"{"cairn":"turns","version":2}"#], ErrorCode::InvalidRequest, "a newer one may");
        check(&[header, "{}"], ErrorCode::InvalidRequest, "it is none of header");
        check(&[header, r#"{"bundle":{"bytes_b64":"?"}}"#], ErrorCode::InvalidRequest, "no base64");
        check(&[header, r#"{"bundle":{"bytes_b64":"AAAAAAA="}}"#], ErrorCode::TooLarge, "more than 4 bytes");
        let zero = r#"{"head":{"context_id":"0","head_turn_id":"9","as_of_turn_id":"9"}}"#;
        check(&[header, zero], ErrorCode::InvalidRequest, "context_id is 0");
        let mut cut = LinesRead::of(None);
        for line in &whole[..4] {
            cut.next(line.as_bytes(), MAX).expect(line);
        }
        let cut = cut.finish().expect_err("it is cut");
        assert!(cut.code == ErrorCode::InvalidRequest && cut.message.contains("it was cut"), "{cut:?}");
        assert!(LinesRead::of(None).finish().is_err(), "nothing came");
    }
}
