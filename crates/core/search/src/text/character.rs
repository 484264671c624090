//! What a character is to the segmentation of text.

use unicode_normalization::char::is_combining_mark;

/// What a character does in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// A small letter, or a letter of a script that has no large and small ones.
    Lower,
    /// A capital letter.
    Upper,
    /// A digit, or another sign that is a number.
    Digit,
    /// A letter of a script that puts no spaces between its words, and Hangul, whose words have endings.
    Unspaced,
    /// Belongs to the character before it: an accent, a vowel sign.
    Mark,
    /// Says how something looks and is not part of it: a soft hyphen, a direction.
    Ignored,
    /// An apostrophe, straight or curly.
    Apostrophe,
    /// Joins the parts of a compound: `-`, `_`, `/`.
    Joiner,
    /// Joins the parts of a URL and nothing else: `?`, `=`.
    UrlJoiner,
    /// Stands between groups of digits.
    Comma,
    /// A sign that is a token of its own: an emoji, a fraction.
    Symbol,
    /// White space, control characters, all other punctuation.
    Separator,
}

impl Class {
    /// Letters that form words, and digits.
    pub(crate) fn is_word(self) -> bool {
        matches!(self, Self::Lower | Self::Upper | Self::Digit)
    }

    pub(crate) fn is_letter(self) -> bool {
        matches!(self, Self::Lower | Self::Upper)
    }

    /// Continues whatever stands before it.
    pub(crate) fn continues(self) -> bool {
        matches!(self, Self::Mark | Self::Ignored)
    }

    /// Something can be found here: the first character of a token.
    pub(crate) fn begins_token(self) -> bool {
        self.is_word() || matches!(self, Self::Unspaced | Self::Symbol)
    }
}

/// The class of a character.
pub(crate) fn class_of(character: char) -> Class {
    match ASCII.get(character as usize) {
        Some(class) => *class,
        None => wide_class_of(character),
    }
}

const ASCII: [Class; 128] = {
    let mut table = [Class::Separator; 128];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = match byte as u8 {
            b'a'..=b'z' => Class::Lower,
            b'A'..=b'Z' => Class::Upper,
            b'0'..=b'9' => Class::Digit,
            b'\'' => Class::Apostrophe,
            b'-' | b'_' | b'.' | b'/' | b'\\' | b':' | b'@' | b'#' | b'+' | b'&' => Class::Joiner,
            b'?' | b'=' | b'%' | b'~' => Class::UrlJoiner,
            b',' => Class::Comma,
            _ => Class::Separator,
        };
        byte += 1;
    }
    table
};

fn wide_class_of(character: char) -> Class {
    match character {
        '\u{ad}' | '\u{34f}' | '\u{180b}'..='\u{180e}' | '\u{200c}'..='\u{200f}' => Class::Ignored,
        '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' => Class::Ignored,
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => Class::Ignored,
        '\u{2bb}' | '\u{2bc}' | '\u{2018}' | '\u{2019}' | '\u{201b}' => Class::Apostrophe,
        '\u{2010}' | '\u{2011}' => Class::Joiner,
        // Full-width forms are what they look like.
        '\u{ff01}'..='\u{ff5e}' => ASCII[character as usize - 0xfee0],
        // Letters by name only: accents that stand alone.
        '\u{37a}' | '\u{fc5e}'..='\u{fc63}' | '\u{fe70}'..='\u{fe7f}' | '\u{ff9e}' | '\u{ff9f}' => {
            Class::Mark
        }
        _ if is_symbol(character) => Class::Symbol,
        _ if is_combining_mark(character) => Class::Mark,
        _ if character.is_alphabetic() && is_unspaced(character) => Class::Unspaced,
        _ if character.is_uppercase() => Class::Upper,
        _ if character.is_alphabetic() => Class::Lower,
        _ if character.is_numeric() => Class::Digit,
        _ => Class::Separator,
    }
}

/// Emoji, and numbers that fall apart when they are folded: `½`, `⒈`, `㈠`.
fn is_symbol(character: char) -> bool {
    matches!(character,
        '\u{bc}'..='\u{be}' | '\u{2150}'..='\u{215f}' | '\u{2189}'
        | '\u{2488}'..='\u{249b}' | '\u{2600}'..='\u{27bf}' | '\u{2b05}'..='\u{2b55}'
        | '\u{3190}'..='\u{319f}' | '\u{3200}'..='\u{33ff}'
        // Without the colours of skin: they belong to the sign before them.
        | '\u{1f000}'..='\u{1f10c}' | '\u{1f150}'..='\u{1f18e}'
        | '\u{1f1e6}'..='\u{1f3fa}' | '\u{1f400}'..='\u{1faff}')
}

/// Han, Kana, Hangul, Bopomofo, Thai, Lao, Myanmar and Khmer.
fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1100}'..='\u{11ff}' | '\u{1780}'..='\u{17ff}'
        | '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3035}'
        | '\u{3038}'..='\u{318f}' | '\u{31a0}'..='\u{31ff}' | '\u{3400}'..='\u{9fff}'
        | '\u{a960}'..='\u{a97f}' | '\u{a9e0}'..='\u{a9ff}' | '\u{aa60}'..='\u{aa7f}'
        | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ffdc}'
        | '\u{1aff0}'..='\u{1b16f}' | '\u{20000}'..='\u{3ffff}')
}

/// The second and third letters of a syllable of Hangul: they belong to the character before
/// them although they are letters.
pub(crate) fn completes_syllable(character: char) -> bool {
    matches!(character, '\u{1160}'..='\u{11ff}' | '\u{d7b0}'..='\u{d7ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_have_the_class_that_people_expect() {
        for (characters, class) in [
            ("azßéяʃ", Class::Lower),
            ("AZÉЯ", Class::Upper),
            ("09²٤①๑", Class::Digit),
            ("東あア한ㄱกລကកｶ々ー", Class::Unspaced),
            ("\u{301}\u{306}\u{3099}\u{e48}", Class::Mark),
            ("\u{ad}\u{200d}\u{feff}\u{fe0f}", Class::Ignored),
            ("'’ʼ＇", Class::Apostrophe),
            ("-_./\\:@#+&‑－", Class::Joiner),
            ("?=%~", Class::UrlJoiner),
            (",，", Class::Comma),
            ("😀½㈠✓🇩", Class::Symbol),
            (" \n\0\u{7f}\u{a0}()\"„“—–…。・!*$€\u{200b}", Class::Separator),
        ] {
            for character in characters.chars() {
                assert_eq!(class_of(character), class, "{character:?}");
            }
        }
    }
}
