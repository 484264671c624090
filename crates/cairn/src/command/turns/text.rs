//! A turn for people.

use cairn_base::{Harmless, Hex, msgpack_text};
use cairn_wire::turns::TurnObject;
use indicatif::HumanBytes;

use crate::terminal::Look;
use crate::when;

/// Payloads stand below their turn, this far in.
const INDENT: &str = "    ";
/// Bytes of a payload that is no msgpack which are shown unless all are wanted.
const PREVIEW_BYTES: usize = 64;
/// The encoding that is msgpack.
const MSGPACK: u32 = 1;

/// Two lines: what the turn is, and its payload, cut to the width of the terminal unless all of it is wanted.
pub(super) fn turn(turn: &TurnObject, now_ms: u64, look: Look, is_full: bool) -> String {
    let created = turn.created_at_unix_ms;
    let declared = &turn.declared_type;
    let mut facts = vec![
        format!("depth {}", turn.depth),
        format!("{}@{}", Harmless(&declared.type_id), declared.type_version),
        format!("{}, {}", when::absolute(created), when::relative(created, now_ms)),
        HumanBytes(turn.uncompressed_len.unwrap_or(0).into()).to_string(),
    ];
    if turn.fs_root_hash.is_some() {
        facts.push("with files".to_owned());
    }
    let room = look.width.filter(|_| !is_full).map(|width| width.saturating_sub(INDENT.len()).max(1));
    let name = look.bold(&format!("turn {}", turn.turn_id));
    format!("{name}  {}\n{INDENT}{}\n", look.dim(&facts.join("  ")), shown_payload(turn, room, is_full))
}

/// The payload of a turn as it is; nothing if the answer has none.
pub(super) fn payload(turn: &TurnObject) -> &[u8] {
    turn.bytes_b64.as_deref().unwrap_or_default()
}

fn shown_payload(turn: &TurnObject, room: Option<usize>, is_full: bool) -> String {
    if let Some(reason) = &turn.unreadable {
        return format!("unreadable: {}", Harmless(reason));
    }
    let bytes = payload(turn);
    let encoding = turn.encoding.unwrap_or(0);
    if encoding == MSGPACK
        && let Ok(text) = msgpack_text(bytes, room.unwrap_or(usize::MAX))
    {
        return text;
    }
    let what = if encoding == MSGPACK { "no msgpack".to_owned() } else { format!("encoding {encoding}") };
    let preview =
        room.map_or(PREVIEW_BYTES, |room| PREVIEW_BYTES.min(room.saturating_sub(what.len() + 6) / 2));
    let most = if is_full { bytes.len() } else { preview };
    let (start, rest) = bytes.split_at(most.min(bytes.len()));
    format!("{what}: h'{}{}'", Hex(start), if rest.is_empty() { "" } else { "…" })
}

#[cfg(test)]
mod tests {
    use cairn_base::TurnId;
    use cairn_wire::turns::{Base64Bytes, DeclaredTypeObject};

    use super::*;

    fn example(encoding: u32, payload: &[u8]) -> TurnObject {
        TurnObject {
            turn_id: TurnId(42),
            parent_turn_id: TurnId(41),
            depth: 41,
            declared_type: DeclaredTypeObject { type_id: "a\u{7}b".to_owned(), type_version: 3 },
            created_at_unix_ms: 1_700_000_000_000,
            fs_root_hash: Some("00".to_owned()),
            unreadable: None,
            content_hash_b3: None,
            encoding: Some(encoding),
            compression: Some(0),
            uncompressed_len: u32::try_from(payload.len()).ok(),
            bytes_b64: Some(Base64Bytes(payload.into())),
            bytes_hex: None,
            bytes_len: None,
            decoded_as: None,
            data: None,
            unknown: None,
            error: None,
        }
    }

    const PLAIN: Look = Look { colour: false, width: None };

    #[test]
    fn a_turn_is_two_lines_without_harm() {
        let shown = turn(&example(1, b"\x81\x01\xa6\x1b[31m!"), 1_700_000_120_000, PLAIN, false);
        assert_eq!(
            shown,
            "turn 42  depth 41  a\\u{7}b@3  2023-11-14 22:13:20Z, 2 minutes ago  9 B  with files\n    \
             {1: \"\\u{1b}[31m!\"}\n"
        );
        let coloured = turn(&example(1, b"\xc0"), 0, Look { colour: true, width: None }, false);
        assert!(coloured.starts_with("\u{1b}[1mturn 42\u{1b}[0m  \u{1b}[2mdepth"), "{coloured}");
    }

    #[test]
    fn long_payloads_are_cut_to_the_terminal_unless_wanted() {
        let long = [&[0xd9, 200][..], &[b'x'; 200]].concat();
        let narrow = Look { colour: false, width: Some(20) };
        let second = |look, is_full| {
            let shown = turn(&example(1, &long), 0, look, is_full);
            shown.lines().nth(1).expect("two lines").chars().count()
        };
        assert_eq!(second(narrow, false), 20);
        assert_eq!((second(narrow, true), second(PLAIN, false)), (206, 206));
    }

    #[test]
    fn a_turn_without_its_payload_says_why() {
        let mut damaged = example(1, b"");
        damaged.unreadable = Some("damaged at byte 7\u{1b}".to_owned());
        let shown = turn(&damaged, 0, Look { colour: false, width: Some(20) }, false);
        assert_eq!(shown.lines().nth(1), Some("    unreadable: damaged at byte 7\\u{1b}"));
    }

    #[test]
    fn what_is_no_msgpack_is_shown_in_digits() {
        let second = |encoding, payload: &[u8], width| {
            let look = Look { colour: false, width };
            turn(&example(encoding, payload), 0, look, false).lines().nth(1).expect("two lines").to_owned()
        };
        assert_eq!(second(1, &[0xc1, 2], None), "    no msgpack: h'c102'");
        assert_eq!(second(7, &[1], None), "    encoding 7: h'01'");
        for width in [Some(200), None] {
            assert_eq!(second(1, &[0xc1; 500], width).matches("c1").count(), PREVIEW_BYTES);
        }
        let all = turn(&example(1, &[0xc1; 500]), 0, PLAIN, true);
        assert_eq!(all.matches("c1").count(), 500);
        assert!(second(1, &[0xc1; 500], Some(40)).chars().count() <= 40);
        assert!(second(1, &[0xc1; 500], Some(3)).ends_with("h'…'"));
    }
}
