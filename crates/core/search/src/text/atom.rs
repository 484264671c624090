//! Runs of letters and digits, and where they fall apart: `HTTPServer2` is `HTTP`, `Server` and `2`.

use std::ops::Range;

use super::character::{Class, class_of};

/// A run of letters and digits, with the apostrophes inside of it.
pub(super) struct Atom {
    /// Where it stands.
    pub span: Range<usize>,
    /// How many letters it ends with.
    pub letters: usize,
    /// It is a number with commas between its groups.
    pub grouped: bool,
}

/// Codes such as hashes change between letters and digits all the time: they stay whole.
const SWITCHES_MAX: usize = 4;
/// Nobody writes this many words as one.
const PIECES_MAX: usize = 12;
/// What French and Italian put before a word that begins with a vowel; it is not part of that word.
const ELISIONS: [&str; 21] = [
    "l", "d", "j", "m", "t", "s", "n", "c", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu", "un", "all", "dall",
    "dell", "nell", "sull", "quell", "quest",
];

/// Reads the atom that begins at `at` with a letter or digit, and appends its pieces to `parts`.
pub(super) fn read_atom(text: &str, at: usize, parts: &mut Vec<Range<usize>>) -> Atom {
    let parts_before = parts.len();
    let mut reader = Reader {
        text,
        start: at,
        piece: at,
        before: None,
        last: None,
        letters: 0,
        switches: 0,
        pieces: 0,
        grouped: false,
    };
    let end = reader.read(parts);
    if reader.switches > SWITCHES_MAX || reader.pieces >= PIECES_MAX {
        parts.truncate(parts_before);
        reader.piece = reader.start;
    }
    parts.push(reader.piece..end);
    Atom { span: reader.start..end, letters: reader.letters, grouped: reader.grouped }
}

struct Reader<'a> {
    text: &'a str,
    /// Where the atom begins.
    start: usize,
    /// Where its last piece begins.
    piece: usize,
    /// The class of the character before the last one.
    before: Option<Class>,
    /// The last character: where it stands, and what it is.
    last: Option<(usize, Class)>,
    letters: usize,
    switches: usize,
    /// How many pieces have ended.
    pieces: usize,
    grouped: bool,
}

impl Reader<'_> {
    /// Reads to the end of the atom, which it answers; all pieces but the last are in `parts` then.
    fn read(&mut self, parts: &mut Vec<Range<usize>>) -> usize {
        let begin = self.start;
        for (offset, character) in self.text[begin..].char_indices() {
            let at = begin + offset;
            match class_of(character) {
                class @ (Class::Lower | Class::Upper | Class::Digit) => {
                    self.take(at, character, class, parts)
                }
                Class::Mark | Class::Ignored => {}
                Class::Apostrophe if self.goes_on_after(at + character.len_utf8()) => {
                    self.skip_apostrophe(at, character);
                }
                Class::Comma if character == ',' && self.groups_digits(at) => self.grouped = true,
                Class::Apostrophe
                | Class::Comma
                | Class::Unspaced
                | Class::Joiner
                | Class::UrlJoiner
                | Class::Symbol
                | Class::Separator => return at,
            }
        }
        self.text.len()
    }

    fn take(&mut self, at: usize, character: char, class: Class, parts: &mut Vec<Range<usize>>) {
        if let Some((last_at, last)) = self.last {
            if last.is_letter() != class.is_letter() {
                self.switches += 1;
                self.break_at(at, parts);
            } else if last == Class::Lower && class == Class::Upper {
                self.break_at(at, parts);
            } else if self.before == Some(Class::Upper) && last == Class::Upper && class == Class::Lower {
                // The last capital begins a word, unless all are one and this is its plural: `URLs`.
                if character != 's' || self.class_at(at + 1) == Class::Lower {
                    self.break_at(last_at, parts);
                }
            }
            self.before = Some(last);
        }
        self.last = Some((at, class));
        self.letters = if class.is_letter() { self.letters + 1 } else { 0 };
    }

    fn break_at(&mut self, at: usize, parts: &mut Vec<Range<usize>>) {
        if at > self.piece && self.pieces < PIECES_MAX {
            parts.push(self.piece..at);
            self.piece = at;
            self.pieces += 1;
        }
    }

    fn class_at(&self, at: usize) -> Class {
        self.text[at..].chars().next().map_or(Class::Separator, class_of)
    }

    fn last_class(&self) -> Class {
        self.last.map_or(Class::Separator, |(_, class)| class)
    }

    /// Whether an apostrophe before `next` is inside a word or a number: `don't`, `1980's`, `1'000`.
    fn goes_on_after(&self, next: usize) -> bool {
        let rest = &self.text[next..];
        let possessive = rest.starts_with(['s', 'S']) && !self.class_at(next + 1).is_word();
        if self.last_class() == Class::Digit {
            return possessive || is_group(rest);
        }
        self.last_class().is_letter() && self.class_at(next).is_letter()
    }

    /// Large letters behind an apostrophe begin no new piece, and a word begins behind an elision.
    fn skip_apostrophe(&mut self, at: usize, apostrophe: char) {
        (self.before, self.last) = (None, None);
        let before = &self.text[self.piece..at];
        let next = at + apostrophe.len_utf8();
        let mut following = self.text[next..].chars().map(class_of);
        let long = following.next().is_some_and(Class::is_letter)
            && following.next().is_some_and(|class| class.is_letter() || class.continues());
        if long && ELISIONS.iter().any(|elision| before.eq_ignore_ascii_case(elision)) {
            if self.pieces == 0 {
                self.start = next;
            }
            self.piece = next;
            self.letters = 0;
        }
    }

    /// Whether a comma at `at` stands between two groups of digits of one number.
    fn groups_digits(&self, at: usize) -> bool {
        let number = &self.text[self.piece..at];
        let first = number.rsplit(',').next().unwrap_or_default();
        self.last_class() == Class::Digit
            && first.len() <= 3
            && !number.starts_with('0')
            && is_group(&self.text[at + 1..])
    }
}

/// Whether a text begins with exactly three digits.
fn is_group(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 3
        && bytes[..3].iter().all(u8::is_ascii_digit)
        && !bytes.get(3).is_some_and(u8::is_ascii_digit)
}
