//! Comments that say which requirements a symbol implements.

use std::ops::Range;

use crate::limits::{DIRECTIVE_ID_BYTES_MAX, DIRECTIVE_IDS_MAX};

/// A comment with a directive, and where it is.
pub(crate) struct Comment {
    pub(crate) requirements: Vec<String>,
    /// Its row; the first one is 0.
    pub(crate) row: usize,
    pub(crate) bytes: Range<usize>,
    /// The place of the statement that follows it.
    pub(crate) next: Option<Range<usize>>,
    /// Index of the symbol around it.
    pub(crate) enclosing: Option<usize>,
}

const WORD: &str = "implements";
const PREFIX: &str = "REQ-";

/// Whether a file can have directives at all.
pub(crate) fn may_have_any(source: &str) -> bool {
    source.contains(WORD) && source.contains(PREFIX)
}

/// Returns the directives of a comment: their line in it, from 0, and the ids of the requirements.
///
/// A directive is the word `implements`, a colon if one likes, and ids that begin with `REQ-`, separated by commas.
pub(crate) fn scan(comment: &str) -> Vec<(usize, Vec<String>)> {
    let mut directives = Vec::new();
    for (row, line) in comment.lines().enumerate() {
        for (at, word) in line.match_indices(WORD) {
            let is_word = !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let rest = &line[at + word.len()..];
            let spaced = rest.strip_prefix(':').unwrap_or(rest);
            let is_apart = spaced.starts_with([' ', '\t']) || spaced.len() < rest.len();
            let requirements = if is_word && is_apart { ids(spaced) } else { Vec::new() };
            if !requirements.is_empty() {
                directives.push((row, requirements));
            }
        }
    }
    directives
}

/// The ids at the start of a text.
fn ids(mut text: &str) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    while ids.len() < DIRECTIVE_IDS_MAX {
        text = text.trim_start();
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '/');
        // No longer than an id that is too long, so that a line without blanks takes linear time.
        let ends = text.char_indices().take_while(|(at, c)| *at <= DIRECTIVE_ID_BYTES_MAX && is_part(*c));
        let end = ends.last().map_or(0, |(at, c)| at + c.len_utf8());
        // A full stop ends the sentence, and `*/` the comment.
        let id = text[..end].trim_end_matches(['.', ':', '/', '-']);
        if !id.starts_with(PREFIX) || id.len() > DIRECTIVE_ID_BYTES_MAX {
            break;
        }
        if !ids.iter().any(|known| known == id) {
            ids.push(id.to_owned());
        }
        let Some(rest) = text[id.len()..].trim_start().strip_prefix(',') else { break };
        text = rest;
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(comment: &str, expected: &[(usize, &[&str])]) {
        let found = scan(comment);
        let found: Vec<(usize, Vec<&str>)> =
            found.iter().map(|(row, ids)| (*row, ids.iter().map(String::as_str).collect())).collect();
        let expected: Vec<(usize, Vec<&str>)> =
            expected.iter().map(|(row, ids)| (*row, ids.to_vec())).collect();
        assert_eq!(found, expected, "{comment}");
    }

    #[test]
    fn directives_are_a_word_and_ids() {
        check("// implements REQ-1", &[(0, &["REQ-1"])]);
        check("# implements REQ-1, REQ-b_2.3 ,REQ-1", &[(0, &["REQ-1", "REQ-b_2.3"])]);
        check("/* implements: REQ-1 */", &[(0, &["REQ-1"])]);
        check("/* implements:REQ-1*/", &[(0, &["REQ-1"])]);
        check("/**\n * Ends it.\n * @implements REQ-1,\n * REQ-2\n */", &[(2, &["REQ-1"])]);
        check("/// It implements REQ-1. And implements REQ-2, too.", &[(0, &["REQ-1"]), (0, &["REQ-2"])]);
        check("// implements REQ-ä/1", &[(0, &["REQ-ä/1"])]);
        check("//implements REQ-1\r\n", &[(0, &["REQ-1"])]);
    }

    #[test]
    fn other_comments_are_none() {
        for comment in [
            "",
            "// implements",
            "// implements REQ",
            "// implements REQ-",
            "// implements the REQ-1",
            "// reimplements REQ-1",
            "// implementsREQ-1",
            "// implements TEST-1, REQ-1",
            "// REQ-1 implements",
            "// Implements REQ-1",
        ] {
            check(comment, &[]);
        }
        check("// implements REQ-1, TEST-1, REQ-2", &[(0, &["REQ-1"])]);
    }

    #[test]
    fn ids_are_bounded() {
        let list = |count: usize| (0..count).map(|id| format!("REQ-{id}")).collect::<Vec<_>>().join(",");
        for (count, found) in
            [(DIRECTIVE_IDS_MAX, DIRECTIVE_IDS_MAX), (DIRECTIVE_IDS_MAX + 1, DIRECTIVE_IDS_MAX)]
        {
            assert_eq!(scan(&format!("implements {}", list(count)))[0].1.len(), found);
        }
        let id = |bytes: usize| format!("implements REQ-{}", "1".repeat(bytes - PREFIX.len()));
        assert_eq!(scan(&id(DIRECTIVE_ID_BYTES_MAX)).len(), 1);
        assert_eq!(scan(&id(DIRECTIVE_ID_BYTES_MAX + 1)).len(), 0);
    }
}
