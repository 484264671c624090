//! Ids that stand as whole words in a text.

use std::collections::BTreeSet;

/// Words of an id that is looked for inside of texts. Longer ids match a whole text only.
pub(super) const ID_WORDS_MAX: usize = 8;

/// Spans of words: letters, digits, `_` and `-`, and dots between them.
fn words(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = None;
    let mut letters = text.char_indices().peekable();
    let mut last = ' ';
    while let Some((at, letter)) = letters.next() {
        let next = letters.peek().map_or(' ', |(_, next)| *next);
        let is_inner_dot = letter == '.' && last.is_alphanumeric() && next.is_alphanumeric();
        let is_word = letter.is_alphanumeric() || matches!(letter, '_' | '-') || is_inner_dot;
        match (start, is_word) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                found.push((from, at));
                start = None;
            }
            (Some(_), true) | (None, false) => {}
        }
        last = letter;
    }
    found.extend(start.map(|from| (from, text.len())));
    found
}

/// How many words a text has, up to the most that count.
pub(super) fn count(text: &str) -> usize {
    words(text).len().min(ID_WORDS_MAX)
}

/// Pieces of a text that are the whole of one to `words_max` words with what is between them, and the text itself.
pub(super) fn pieces(text: &str, words_max: usize) -> BTreeSet<&str> {
    let words = words(text);
    let mut found = BTreeSet::from([text]);
    for (at, (start, _)) in words.iter().enumerate() {
        let ends = words[at..].iter().take(words_max);
        found.extend(ends.map(|(_, end)| &text[*start..*end]));
    }
    // Test runners write underscores for spaces. Only an id with a hyphen is told from the words around it.
    for (start, end) in &words {
        let parts = text[*start..*end].split('_');
        found.extend(parts.filter(|part| part.contains('-')));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, words_max: usize, expected: &[&str]) {
        let found: Vec<&str> = pieces(text, words_max).into_iter().filter(|piece| *piece != text).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn words_end_where_ids_do() {
        check("ends when idle [TEST-001]", 1, &["TEST-001", "ends", "idle", "when"]);
        check("TEST-001: ends", 1, &["TEST-001", "ends"]);
        check("TestIdle/TEST-001/short", 1, &["TEST-001", "TestIdle", "short"]);
        check("(TEST-1.2) ends.", 1, &["TEST-1.2", "ends"]);
        check("xTEST-1 TEST-1x", 1, &["TEST-1x", "xTEST-1"]);
        check("TEST-1-2 TEST_1_2", 1, &["TEST-1-2", "TEST_1_2"]);
        check("größe日本!", 1, &["größe日本"]);
        check("short_TEST-1_a", 1, &["TEST-1"]);
        check("a b c", 2, &["a", "a b", "b", "b c", "c"]);
        check("", 3, &[]);
        assert_eq!(count("TEST 1/a"), 3);
    }
}
