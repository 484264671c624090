//! The plain text of inline Markdown.

/// Returns a text without emphasis, code marks and targets of links, with single blanks.
pub(crate) fn plain(markdown: &str) -> String {
    let mut plain = String::with_capacity(markdown.len());
    let mut rest = markdown;
    while let Some(at) = rest.find(['*', '`', '[', ']', '\\', '<', '!', '_']) {
        let (before, marked) = rest.split_at(at);
        plain.push_str(before);
        let mark = marked.as_bytes()[0];
        rest = &marked[1..];
        match mark {
            b'\\' => {
                if let Some(escaped) = rest.chars().next().filter(char::is_ascii_punctuation) {
                    plain.push(escaped);
                    rest = &rest[escaped.len_utf8()..];
                } else {
                    plain.push('\\');
                }
            }
            b'!' if !rest.starts_with('[') => plain.push('!'),
            b']' => rest = without_target(rest),
            b'<' => match tag(rest) {
                Some(behind) => rest = behind,
                None => plain.push('<'),
            },
            // Inside of a word it is a part of a name.
            b'_' if is_in_word(&plain, rest) => plain.push('_'),
            _ => {}
        }
    }
    plain.push_str(rest);
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_in_word(before: &str, behind: &str) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    before.ends_with(is_word) && behind.starts_with(is_word)
}

/// What follows the target of a link.
fn without_target(behind: &str) -> &str {
    // A target has no blanks, so it is short; the search has a bound so that it stays linear.
    let end = |open: char, close: char| {
        let inner = behind.strip_prefix(open)?;
        let window =
            inner.char_indices().take(500).find(|(_, letter)| *letter == close || *letter == '\n')?;
        (window.1 == close).then(|| &inner[window.0 + close.len_utf8()..])
    };
    end('(', ')').or_else(|| end('[', ']')).unwrap_or(behind)
}

/// What follows an HTML tag.
fn tag(behind: &str) -> Option<&str> {
    let is_tag = behind.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '/');
    let (end, _) = behind.char_indices().take(200).find(|(_, letter)| *letter == '>').filter(|_| is_tag)?;
    Some(&behind[end + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_left_out() {
        for (markdown, expected) in [
            ("The **API** *must* `log` it", "The API must log it"),
            ("see [the docs](https://a.example/x) and [b][1]", "see the docs and b"),
            ("snake_case stays, _emphasis_ does not", "snake_case stays, emphasis does not"),
            ("a < b and <br> c!", "a < b and c!"),
            (r"\*not\* emphasis", "*not* emphasis"),
            ("![alt](x.png) text", "alt text"),
            ("  two   blanks ", "two blanks"),
            ("[open", "open"),
            ("x](", "x("),
        ] {
            assert_eq!(plain(markdown), expected, "{markdown:?}");
        }
    }

    #[test]
    fn it_is_linear_in_the_text() {
        for unit in ["[](", "<a", "**", "]("] {
            let text = unit.repeat(200_000);
            assert!(plain(&text).len() <= text.len(), "{unit}");
        }
    }
}
