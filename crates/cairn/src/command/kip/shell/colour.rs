//! Commands in colours, for terminals.

use cairn_kip::{MarkKind, marks};

/// Longer texts stay as they are: each key that is pressed colours them anew.
const BYTES_MAX: usize = 64 << 10;

/// The text with the colours of its parts.
pub(super) fn coloured(text: &str) -> String {
    if text.len() > BYTES_MAX {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() * 2);
    let mut end = 0;
    for mark in marks(text) {
        let range = mark.span.range();
        out += &text[end..range.start];
        let part = &text[range.clone()];
        match code(mark.kind) {
            Some(code) => out += &format!("\x1b[{code}m{part}\x1b[0m"),
            None => out += part,
        }
        end = range.end;
    }
    out + &text[end..]
}

fn code(kind: MarkKind) -> Option<&'static str> {
    match kind {
        MarkKind::Keyword => Some("1;34"),
        MarkKind::Variable => Some("36"),
        MarkKind::Text | MarkKind::OpenText => Some("32"),
        MarkKind::Number => Some("33"),
        MarkKind::Comment => Some("2"),
        MarkKind::Wrong => Some("31"),
        MarkKind::Word | MarkKind::Sign => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_their_colours_and_nothing_is_lost() {
        let text = "FIND(?d.name)\n  // \"all\"\nLIMIT 2 \"x";
        let shown = coloured(text);
        assert!(
            shown.starts_with("\x1b[1;34mFIND\x1b[0m(\x1b[36m?d\x1b[0m.name)\n  \x1b[2m// \"all\""),
            "{shown:?}"
        );
        assert!(shown.ends_with("\x1b[33m2\x1b[0m \x1b[32m\"x\x1b[0m"), "{shown:?}");
        let mut plain = shown;
        for code in ["1;34", "36", "2", "33", "32", "0"] {
            plain = plain.replace(&format!("\x1b[{code}m"), "");
        }
        assert_eq!(plain, text);
        let long = " ".repeat(BYTES_MAX) + "FIND";
        assert_eq!(coloured(&long), long);
    }
}
