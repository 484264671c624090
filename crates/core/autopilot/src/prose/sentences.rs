//! The sentences of a paragraph.

/// Words before a full stop that ends no sentence.
const ABBREVIATIONS: [&str; 9] = ["e.g", "i.e", "etc", "vs", "cf", "approx", "no", "fig", "resp"];

/// Returns the sentences of a text, each with its offset, without white space around them.
pub(crate) fn sentences(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, mark) in text.match_indices(['.', '!', '?', ';']) {
        let end = at + mark.len();
        if is_end(&text[start..at], &text[end..], mark) {
            push(text, start, end, &mut found);
            start = end;
        }
    }
    push(text, start, text.len(), &mut found);
    found
}

fn push<'a>(text: &'a str, start: usize, end: usize, found: &mut Vec<(usize, &'a str)>) {
    let part = &text[start..end];
    let trimmed = part.trim_start();
    let offset = start + (part.len() - trimmed.len());
    let trimmed = trimmed.trim_end();
    if !trimmed.is_empty() {
        found.push((offset, trimmed));
    }
}

fn is_end(before: &str, behind: &str, mark: &str) -> bool {
    let Some(next) = behind.chars().next() else { return true };
    if !next.is_whitespace() && !matches!(next, ')' | '"' | '\'') {
        return false;
    }
    if mark == "." {
        let last =
            before.rsplit(|letter: char| letter.is_whitespace() || letter == '(').next().unwrap_or_default();
        if ABBREVIATIONS.iter().any(|short| last.eq_ignore_ascii_case(short)) {
            return false;
        }
    }
    let following = behind.trim_start().chars().next();
    following.is_none_or(|letter| !letter.is_lowercase() || mark == ";")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_at_marks_before_a_new_one() {
        let check =
            |text: &str, expected: &[(usize, &str)]| assert_eq!(sentences(text), expected, "{text:?}");
        check("A must b. C must d", &[(0, "A must b."), (10, "C must d")]);
        check("Formats, e.g. JSON, must work.", &[(0, "Formats, e.g. JSON, must work.")]);
        check("Use v1.2 of it. It shall", &[(0, "Use v1.2 of it."), (16, "It shall")]);
        check("a must b; c must d", &[(0, "a must b;"), (10, "c must d")]);
        check("one. two", &[(0, "one. two")]);
        check("Why? Because!", &[(0, "Why?"), (5, "Because!")]);
        check("  ", &[]);
    }
}
