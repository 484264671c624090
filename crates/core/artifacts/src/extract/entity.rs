//! Character references of HTML: the numeric ones, and the named ones that pages use.

/// Characters of the longest reference that is looked for.
const NAME_BYTES_MAX: usize = 10;

const NAMED: [(&str, char); 45] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", ' '),
    ("shy", '\u{ad}'),
    ("copy", '©'),
    ("reg", '®'),
    ("trade", '™'),
    ("hellip", '…'),
    ("mdash", '—'),
    ("ndash", '–'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("sbquo", '‚'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("bdquo", '„'),
    ("laquo", '«'),
    ("raquo", '»'),
    ("bull", '•'),
    ("middot", '·'),
    ("euro", '€'),
    ("pound", '£'),
    ("yen", '¥'),
    ("cent", '¢'),
    ("sect", '§'),
    ("para", '¶'),
    ("deg", '°'),
    ("plusmn", '±'),
    ("frac12", '½'),
    ("frac14", '¼'),
    ("frac34", '¾'),
    ("micro", 'µ'),
    ("minus", '−'),
    ("le", '≤'),
    ("ge", '≥'),
    ("ne", '≠'),
    ("asymp", '≈'),
    ("rarr", '→'),
    ("larr", '←'),
    ("infin", '∞'),
    ("iexcl", '¡'),
    ("iquest", '¿'),
];

/// Names of U+00C0 to U+00FF, in their order.
const LATIN_1: [&str; 64] = [
    "Agrave", "Aacute", "Acirc", "Atilde", "Auml", "Aring", "AElig", "Ccedil", "Egrave", "Eacute", "Ecirc",
    "Euml", "Igrave", "Iacute", "Icirc", "Iuml", "ETH", "Ntilde", "Ograve", "Oacute", "Ocirc", "Otilde",
    "Ouml", "times", "Oslash", "Ugrave", "Uacute", "Ucirc", "Uuml", "Yacute", "THORN", "szlig", "agrave",
    "aacute", "acirc", "atilde", "auml", "aring", "aelig", "ccedil", "egrave", "eacute", "ecirc", "euml",
    "igrave", "iacute", "icirc", "iuml", "eth", "ntilde", "ograve", "oacute", "ocirc", "otilde", "ouml",
    "divide", "oslash", "ugrave", "uacute", "ucirc", "uuml", "yacute", "thorn", "yuml",
];

/// Hands over a text in pieces, with references replaced by their characters; unknown ones stay as they are.
pub(super) fn decode(text: &str, mut push: impl FnMut(&str)) {
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        push(&rest[..at]);
        rest = &rest[at + 1..];
        match reference(rest) {
            Some((character, after)) => {
                push(character.encode_utf8(&mut [0; 4]));
                rest = after;
            }
            None => push("&"),
        }
    }
    push(rest);
}

/// Reads a reference whose `&` was read, with its semicolon.
fn reference(text: &str) -> Option<(char, &str)> {
    let end = text.bytes().take(NAME_BYTES_MAX + 1).position(|byte| byte == b';')?;
    let (name, rest) = (text.get(..end)?, text.get(end + 1..)?);
    let character = match name.strip_prefix('#') {
        Some(digits) => numeric(digits)?,
        None => named(name)?,
    };
    Some((character, rest))
}

fn numeric(digits: &str) -> Option<char> {
    let hex = digits.strip_prefix(['x', 'X']);
    let (digits, radix) = hex.map_or((digits, 10), |hex| (hex, 16));
    if !digits.starts_with(|digit: char| digit.is_digit(radix)) {
        return None;
    }
    let number = u32::from_str_radix(digits, radix).ok()?;
    Some(char::from_u32(number).filter(|character| *character != '\0').unwrap_or(char::REPLACEMENT_CHARACTER))
}

fn named(name: &str) -> Option<char> {
    if let Some((_, character)) = NAMED.iter().find(|(known, _)| *known == name) {
        return Some(*character);
    }
    let at = LATIN_1.iter().position(|known| *known == name)?;
    char::from_u32(0xc0 + u32::try_from(at).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_decoded() {
        for (text, expected) in [
            ("a&amp;b&lt;&gt;&quot;&apos;&nbsp;x", "a&b<>\"' x"),
            ("&auml;&Ouml;&szlig;&eacute;&times;&divide;&yuml;&Agrave;", "äÖßé×÷ÿÀ"),
            ("&#65;&#x41;&#X1f680;", "AA🚀"),
            ("&#0;&#xd800;&#x110000;", "\u{fffd}\u{fffd}\u{fffd}"),
            ("&amp;amp;", "&amp;"),
            ("& &; &#; &#x; &#+1; &zz; &amp &#65", "& &; &#; &#x; &#+1; &zz; &amp &#65"),
            ("&#99999999999;&ä;&", "&#99999999999;&ä;&"),
        ] {
            let mut out = String::new();
            decode(text, |piece| out.push_str(piece));
            assert_eq!(out, expected, "{text}");
        }
        assert_eq!(named("thorn"), Some('þ'));
    }
}
