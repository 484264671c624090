//! As much of regular expressions as random queries use: `^`, `$`, `.`, `*` and plain characters.

/// Whether a pattern is found somewhere in a text.
pub(super) fn is_found(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    match pattern.split_first() {
        Some(('^', rest)) => is_here(rest, &text),
        Some(_) | None => (0..=text.len()).any(|start| is_here(&pattern, &text[start..])),
    }
}

fn is_here(pattern: &[char], text: &[char]) -> bool {
    match pattern {
        [] => true,
        ['$'] => text.is_empty(),
        [one, '*', rest @ ..] => {
            let same = text.iter().take_while(|char| *one == '.' || one == *char).count();
            (0..=same).any(|count| is_here(rest, &text[count..]))
        }
        [one, rest @ ..] => {
            text.split_first().is_some_and(|(char, text)| (*one == '.' || one == char) && is_here(rest, text))
        }
    }
}

/// Whether it is a pattern at all: random queries open something to say that it is not.
pub(super) fn is_pattern(text: &str) -> bool {
    !text.contains(['(', '['])
}
