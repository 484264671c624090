//! Rust source with its comments and literals blanked out, so that a search finds code alone.

/// Replaces every byte of a comment, string or character literal by a space and keeps newlines, so
/// that offsets and line numbers stay what they were.
pub(super) fn code_only(source: &str) -> String {
    let bytes = source.as_bytes();
    let mut code = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = literal_or_comment_end(bytes, at);
        match end {
            Some(end) => {
                code[at..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
                at = end;
            }
            None => at += word_length(&bytes[at..]),
        }
    }
    String::from_utf8_lossy(&code).into_owned()
}

/// The identifiers, keywords and numbers of code, each with where it begins.
pub(super) fn words(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut at = 0;
    std::iter::from_fn(move || {
        at += code[at..].find(is_part)?;
        let length = code[at..].find(|c| !is_part(c)).unwrap_or(code.len() - at);
        let word = &code[at..at + length];
        at += length;
        Some((at - length, word))
    })
}

/// Where the comment or literal that starts at `at` ends, if one starts there.
fn literal_or_comment_end(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = &bytes[at..];
    match rest {
        [b'/', b'/', ..] => Some(at + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())),
        [b'/', b'*', ..] => Some(at + block_comment_length(rest)),
        [b'"', ..] => Some(at + string_length(rest)),
        [b'b' | b'c', b'"', ..] => Some(at + 1 + string_length(&rest[1..])),
        [b'b', b'\'', ..] => Some(at + 1 + char_length(&rest[1..])?),
        [b'b' | b'c', b'r', ..] => Some(at + 2 + raw_string_length(&rest[2..])?),
        [b'r', ..] => Some(at + 1 + raw_string_length(&rest[1..])?),
        [b'\'', ..] => Some(at + char_length(rest)?),
        _ => None,
    }
}

/// The length of an identifier, or of one byte of something else. Whole identifiers are passed over
/// at once, so that the `r` of `for` never opens a raw string.
fn word_length(rest: &[u8]) -> usize {
    let word = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    word.max(1)
}

fn block_comment_length(rest: &[u8]) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < rest.len() {
        match &rest[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

fn string_length(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// The length of `#"…"#` after the `r`; `None` when it is an identifier such as `r#type`.
fn raw_string_length(rest: &[u8]) -> Option<usize> {
    let hashes = rest.iter().take_while(|byte| **byte == b'#').count();
    if rest.get(hashes) != Some(&b'"') {
        return None;
    }
    let closes = |at: &usize| {
        rest[*at] == b'"'
            && rest[at + 1..].iter().take(hashes).filter(|byte| **byte == b'#').count() == hashes
    };
    Some((hashes + 1..rest.len()).find(closes).map_or(rest.len(), |at| at + 1 + hashes))
}

/// The length of a character literal; `None` when the quote opens a lifetime.
fn char_length(rest: &[u8]) -> Option<usize> {
    if rest.get(1) == Some(&b'\\') {
        let close = rest.iter().skip(3).position(|byte| *byte == b'\'')?;
        return Some(close + 4);
    }
    // One character of up to four bytes, then the closing quote.
    let text = std::str::from_utf8(&rest[1..rest.len().min(5)]);
    let text = match text {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&rest[1..1 + error.valid_up_to()]).ok()?,
    };
    let length = 1 + text.chars().next()?.len_utf8();
    (rest.get(length) == Some(&b'\'')).then_some(length + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blanks shrink to one, so that rows stay readable.
    fn check(source: &str, expected: &str) {
        let code = code_only(source);
        assert_eq!(code.len(), source.len(), "offsets stay: {source}");
        assert_eq!(code.split_whitespace().collect::<Vec<_>>().join(" "), expected, "{source}");
    }

    #[test]
    fn comments_go() {
        check("a // dbg!(1)\nb", "a b");
        check("a /* x /* y */ z */ b", "a b");
        check("a /* never closed", "a");
        check("a / b", "a / b");
    }

    #[test]
    fn strings_go() {
        check(r#"a("x \" y // z") b"#, "a( ) b");
        check(r##"a(r#"x " y"#) b"##, "a( ) b");
        check(r#"a(br"\") b"#, "a( ) b");
        check(r#"a(b"x", c"y") b"#, "a( , ) b");
        check("let r#type = for_r; \"x\"", "let r#type = for_r;");
        check("a \"never closed", "a");
    }

    #[test]
    fn characters_go_and_lifetimes_stay() {
        check(r"['a', '\'', '\\', 'é', '\u{1F600}', b'x', '😀'] b", "[ , , , , , , ] b");
        check("fn f<'a>(x: &'a str) -> &'static str", "fn f<'a>(x: &'a str) -> &'static str");
        check(r#"('"', "x")"#, "( , )");
    }

    #[test]
    fn lines_stay() {
        assert_eq!(code_only("\"a\nb\"\n/*\n*/c").lines().count(), 4);
    }
}
