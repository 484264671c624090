//! Where the commands of a text begin.
//!
//! Nothing is judged here: brackets, strings and comments are followed just as far as it takes to know what
//! stands inside of what. Each part is a text of its own for the parser, and what is wrong with the whole is
//! wrong with one of its parts.

/// The word that every command of the text begins with.
const WORD: &[u8] = b"UPSERT";

/// Follows a text that comes in pieces, cut anywhere, inside of characters too.
#[derive(Debug, Clone, Default)]
pub struct Cutter {
    /// Bytes that came so far.
    at: u64,
    inside: Inside,
    /// Brackets that are open.
    depth: u64,
    /// Letters of [`WORD`] that just came, if it can still become that word.
    letters: Option<usize>,
    has_text: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Inside {
    #[default]
    Nothing,
    /// Behind a slash, which may begin a comment.
    Slash,
    Comment,
    String,
    /// Behind a backslash in a string.
    Escape,
}

impl Cutter {
    /// Stands at a byte of a text where a command may begin.
    pub fn new(at: u64) -> Self {
        Cutter { at, letters: Some(0), ..Cutter::default() }
    }

    /// Whether anything came but white space and comments.
    pub fn has_text(&self) -> bool {
        self.has_text
    }

    /// Takes the next bytes, and tells the first byte of each command that begins in them, as a place in the
    /// whole text. A command is told of when its first word is complete.
    pub fn take(&mut self, bytes: &[u8], mut begins: impl FnMut(u64)) {
        for byte in bytes {
            self.at += 1;
            if self.step(*byte) {
                begins(self.at - WORD.len() as u64);
            }
        }
    }

    /// Whether a command's first word ends with this byte.
    fn step(&mut self, byte: u8) -> bool {
        match (self.inside, byte) {
            (Inside::Comment, b'\n') => self.leave(),
            // A string ends on its line; one that does not is a mistake, which the parser shows.
            (Inside::String, b'"' | b'\n') | (Inside::Escape, b'\n') => self.leave(),
            (Inside::String, b'\\') => self.inside = Inside::Escape,
            (Inside::Escape, _) => self.inside = Inside::String,
            (Inside::Comment | Inside::String, _) => {}
            (Inside::Slash, b'/') => self.inside = Inside::Comment,
            (Inside::Nothing | Inside::Slash, _) => return self.outside(byte),
        }
        false
    }

    fn leave(&mut self) {
        self.inside = Inside::Nothing;
        self.letters = Some(0);
    }

    fn outside(&mut self, byte: u8) -> bool {
        if std::mem::take(&mut self.inside) == Inside::Slash {
            self.has_text = true;
        }
        match byte {
            b'"' => self.inside = Inside::String,
            b'/' => self.inside = Inside::Slash,
            b'{' | b'(' | b'[' => self.depth = self.depth.saturating_add(1),
            b'}' | b')' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.has_text |= !byte.is_ascii_whitespace() && byte != b'/';
        self.word(byte)
    }

    fn word(&mut self, byte: u8) -> bool {
        if !(byte.is_ascii_alphanumeric() || byte == b'_') {
            self.letters = Some(0);
            return false;
        }
        // A letter too many, or a wrong one: the rest of the word is none of our business.
        self.letters = self.letters.filter(|count| WORD.get(*count) == Some(&byte)).map(|count| count + 1);
        self.letters == Some(WORD.len()) && self.depth == 0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The places where commands begin, however the text comes.
    fn begins(text: &str, piece: usize) -> Vec<usize> {
        let mut cutter = Cutter::new(0);
        let mut found = Vec::new();
        for piece in text.as_bytes().chunks(piece) {
            cutter.take(piece, |at| found.push(usize::try_from(at).unwrap()));
        }
        found
    }

    /// The parts that a text is cut into.
    fn parts(text: &str, piece: usize) -> Vec<&str> {
        let places = begins(text, piece);
        let ends = places.iter().copied().skip(1).chain([text.len()]);
        places.iter().zip(ends).map(|(from, to)| &text[*from..to]).collect()
    }

    #[test]
    fn a_text_is_cut_before_each_upsert_that_stands_in_nothing() {
        let rows: [(&str, &[&str]); 14] = [
            ("UPSERT {}", &["UPSERT {}"]),
            ("UPSERT{a}UPSERT{b}", &["UPSERT{a}", "UPSERT{b}"]),
            ("UPSERT {}\r\nUPSERT {}\r\n", &["UPSERT {}\r\n", "UPSERT {}\r\n"]),
            ("UPSERT { \"} UPSERT {\" } UPSERT {}", &["UPSERT { \"} UPSERT {\" } ", "UPSERT {}"]),
            ("UPSERT { \"\\\"} UPSERT\" } UPSERT {}", &["UPSERT { \"\\\"} UPSERT\" } ", "UPSERT {}"]),
            ("UPSERT { \"\\\\\" } UPSERT {}", &["UPSERT { \"\\\\\" } ", "UPSERT {}"]),
            ("UPSERT {} // } UPSERT {}\nUPSERT {}", &["UPSERT {} // } UPSERT {}\n", "UPSERT {}"]),
            ("UPSERT { // \"\n } UPSERT {}", &["UPSERT { // \"\n } ", "UPSERT {}"]),
            ("UPSERT { {UPSERT: 1} } UPSERT {}", &["UPSERT { {UPSERT: 1} } ", "UPSERT {}"]),
            ("UPSERT { ([{ UPSERT ]}) } UPSERT {}", &["UPSERT { ([{ UPSERT ]}) } ", "UPSERT {}"]),
            (
                "UPSERT {} WITH METADATA {UPSERT: \"漢字é\"}UPSERT{}",
                &["UPSERT {} WITH METADATA {UPSERT: \"漢字é\"}", "UPSERT{}"],
            ),
            (
                "UPSERT {} XUPSERT UPSERTS _UPSERT UPSERT {}",
                &["UPSERT {} XUPSERT ", "UPSERTS _UPSERT ", "UPSERT {}"],
            ),
            ("UPSERT { \"an open end\n } UPSERT {}", &["UPSERT { \"an open end\n } ", "UPSERT {}"]),
            ("UPSERT { \"an open end\\\n } UPSERT {}", &["UPSERT { \"an open end\\\n } ", "UPSERT {}"]),
        ];
        for (text, expected) in rows {
            for piece in 1..=text.len() {
                assert_eq!(parts(text, piece), expected, "{text:?} in pieces of {piece}");
            }
        }
    }

    #[test]
    fn white_space_and_comments_are_no_text() {
        for (text, expected) in [
            ("", false),
            (" \r\n\t// UPSERT {}\n\n", false),
            ("//", false),
            (" / ", true),
            ("// a\n}", true),
            ("\"\"", true),
        ] {
            let mut cutter = Cutter::new(0);
            cutter.take(text.as_bytes(), |_| ());
            assert_eq!(cutter.has_text(), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_come_to_the_same_however_they_come(text in "[UPSERT{}(\\[\"/\\\\\n a-cé漢]{0,200}", piece in 1_usize..40) {
            prop_assert_eq!(begins(&text, piece), begins(&text, text.len().max(1)));
        }
    }
}
