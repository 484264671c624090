//! The form in which words are compared: without case, accents and ways of writing.
//!
//! Folding comes before stemming, so that `cafe` and `café` have one stem. What it costs are endings that
//! a stemmer knows only with their accents.

use unicode_normalization::UnicodeNormalization;

use super::character::{Class, class_of};

/// The normal form by which a whole name equals a whole query: folded, white space collapsed, without
/// quotation marks and apostrophes.
pub fn fold_name(text: &str) -> String {
    let quotes = |c: char| matches!(c, '"' | '\u{201c}'..='\u{201f}' | '\u{ff02}' | '\u{ab}' | '\u{bb}');
    let spaced = text.chars().map(|c| if c.is_control() { ' ' } else { c }).filter(|c| !quotes(*c));
    let mut folded = String::with_capacity(text.len());
    folded.extend(folded_chars(spaced, |c| !matches!(class_of(c), Class::Apostrophe | Class::Ignored)));
    let mut name = String::with_capacity(folded.len());
    for word in folded.split_whitespace() {
        if !name.is_empty() {
            name.push(' ');
        }
        name.push_str(word);
    }
    name
}

/// The folded form of a word or compound.
#[cfg(test)]
pub(crate) fn fold(text: &str) -> String {
    let mut folded = String::new();
    fold_into(text, usize::MAX, &mut folded);
    folded
}

/// Appends the folded form of a word or compound, cut at a character before `bytes_max`.
///
/// Only what forms words and joins them is kept: some characters stand for several, with spaces or
/// brackets among them.
pub(crate) fn fold_into(text: &str, bytes_max: usize, out: &mut String) {
    let before = out.len();
    if text.is_ascii() && text.len() <= bytes_max && !text.contains('\'') {
        out.push_str(text);
        out[before..].make_ascii_lowercase();
        return;
    }
    for character in text.chars() {
        if out.len() - before >= bytes_max {
            break;
        }
        if character.is_ascii() {
            if character != '\'' {
                out.push(character.to_ascii_lowercase());
            }
            continue;
        }
        // What follows may compose with what stands before it: all of it goes the long way.
        let Some(folded) = quickly(character) else {
            out.truncate(before);
            fold_slowly(text, bytes_max, out);
            return;
        };
        out.push_str(folded);
    }
    cut(out, before, bytes_max);
}

fn fold_slowly(text: &str, bytes_max: usize, out: &mut String) {
    let before = out.len();
    for character in folded_chars(text.chars(), is_kept) {
        out.push(character);
        if out.len() - before >= bytes_max {
            break;
        }
    }
    cut(out, before, bytes_max);
}

/// Cuts what came after `before` to whole characters of at most `bytes_max` bytes.
fn cut(out: &mut String, before: usize, bytes_max: usize) {
    let end = before.saturating_add(bytes_max);
    if out.len() > end {
        out.truncate(out.floor_char_boundary(end));
    }
}

fn is_kept(character: char) -> bool {
    !matches!(class_of(character), Class::Separator | Class::Apostrophe | Class::Ignored)
}

/// Decomposes, lowers, drops accents, and composes what is left: syllables of Hangul, Kana with their marks.
fn folded_chars(
    characters: impl Iterator<Item = char>,
    is_kept: impl Fn(char) -> bool,
) -> impl Iterator<Item = char> {
    let mut last = '\0';
    characters
        .filter(|c| class_of(*c) != Class::Ignored)
        .nfkd()
        .flat_map(char::to_lowercase)
        .flat_map(|c| plain(c).into_iter().flatten())
        .filter(move |c| {
            // The breve makes another letter of и, one that many endings have.
            let kept = (!is_accent(*c) || (*c == '\u{306}' && last == 'и')) && is_kept(*c);
            if kept {
                last = *c;
            }
            kept
        })
        .nfc()
}

/// Marks that do not change what a letter is: not the vowel signs of Indian scripts, not the marks of Kana.
fn is_accent(character: char) -> bool {
    matches!(character,
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5c7}' | '\u{610}'..='\u{61a}'
        | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{6d6}'..='\u{6dc}' | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

/// Letters that have no decomposition and are still written with others by whoever lacks them.
fn plain(character: char) -> [Option<char>; 2] {
    let (first, second) = match character {
        'ß' => ('s', Some('s')),
        'æ' => ('a', Some('e')),
        'œ' => ('o', Some('e')),
        'þ' => ('t', Some('h')),
        'ø' => ('o', None),
        'ł' => ('l', None),
        'đ' | 'ð' => ('d', None),
        'ħ' => ('h', None),
        'ŧ' => ('t', None),
        'ı' => ('i', None),
        'ς' => ('σ', None),
        '\u{2010}' => ('-', None),
        _ => (character, None),
    };
    [Some(first), second]
}

/// The folded form of the letters that most texts are made of, without the long way.
fn quickly(character: char) -> Option<&'static str> {
    match character {
        '\u{2019}' | '\u{ad}' => Some(""),
        'À'..='ÿ' => Some(LATIN[character as usize - 'À' as usize]).filter(|folded| !folded.is_empty()),
        'Ё' | 'ё' => Some("е"),
        'А'..='я' => {
            CYRILLIC.get(2 * ((character as usize - 'А' as usize) % 32)..).and_then(|s| s.get(..2))
        }
        _ => None,
    }
}

const CYRILLIC: &str = "абвгдежзийклмнопрстуфхцчшщъыьэюя";

#[rustfmt::skip]
const LATIN: [&str; 64] = [
    "a", "a", "a", "a", "a", "a", "ae", "c", "e", "e", "e", "e", "i", "i", "i", "i",
    "d", "n", "o", "o", "o", "o", "o", "", "o", "u", "u", "u", "u", "y", "th", "ss",
    "a", "a", "a", "a", "a", "a", "ae", "c", "e", "e", "e", "e", "i", "i", "i", "i",
    "d", "n", "o", "o", "o", "o", "o", "", "o", "u", "u", "u", "u", "y", "th", "y",
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_folded() {
        for (word, folded) in [
            ("Straße", "strasse"),
            ("CAFÉ", "cafe"),
            ("cafe\u{301}", "cafe"),
            ("Ærøskøbing", "aeroskobing"),
            ("Łódź", "lodz"),
            ("İstanbul", "istanbul"),
            ("ılık", "ilik"),
            ("Ёлка", "елка"),
            ("Йод", "йод"),
            ("и\u{306}од", "йод"),
            ("ＦＵＬＬ", "full"),
            ("ﬁn", "fin"),
            ("m²", "m2"),
            ("が", "が"),
            ("か\u{3099}", "が"),
            ("ｶﾞ", "ガ"),
            ("\u{1112}\u{1161}\u{11ab}", "한"),
            ("don’t", "dont"),
            ("co\u{ad}operate", "cooperate"),
            ("Ⅷ", "viii"),
            ("ὈΔΥΣΣΕΎΣ", "οδυσσευσ"),
            ("Ὀδυσσεύς", "οδυσσευσ"),
            ("rate‑limit", "rate-limit"),
            ("हिन्दी", "हिन्दी"),
            ("ﷺ", "صلىاللهعليهوسلم"),
        ] {
            assert_eq!(fold(word), folded, "{word}");
        }
    }

    #[test]
    fn the_quick_way_leads_where_the_long_one_does() {
        for character in '\u{80}'..'\u{600}' {
            if let Some(folded) = quickly(character) {
                let mut slow = String::new();
                fold_slowly(&character.to_string(), usize::MAX, &mut slow);
                assert_eq!(folded, slow, "{character}");
            }
        }
    }

    #[test]
    fn long_words_are_cut_between_characters() {
        for (word, bytes_max, folded) in [
            ("abcdef", 3, "abc"),
            ("ääää", 3, "aaa"),
            ("东京东京", 4, "东"),
            ("東京", 2, ""),
            ("яяя", 3, "я"),
            ("ßß", 3, "sss"),
        ] {
            let mut out = "x".to_owned();
            fold_into(word, bytes_max, &mut out);
            assert_eq!(out, format!("x{folded}"), "{word}");
        }
    }

    #[test]
    fn names_are_folded() {
        for (name, folded) in [
            ("  Rate   Limiting\n", "rate limiting"),
            ("“C++”", "c++"),
            ("C#", "c#"),
            ("John’s Café", "johns cafe"),
            ("5\" disk", "5 disk"),
            ("\u{a0}東京\t", "東京"),
            ("Foo - Bar", "foo - bar"),
            ("\0", ""),
        ] {
            assert_eq!(fold_name(name), folded, "{name}");
        }
    }

    proptest! {
        #[test]
        fn folding_twice_is_folding_once(text in any::<String>()) {
            let once = fold(&text);
            prop_assert_eq!(fold(&once), once.clone());
            let name = fold_name(&text);
            prop_assert_eq!(fold_name(&name), name.clone());
            let mut cut = String::new();
            fold_into(&text, 10, &mut cut);
            prop_assert!(cut.len() <= 10);
        }
    }
}
