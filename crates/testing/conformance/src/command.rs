//! The little a comparison has to know of a command: which kind it is, and how many columns it asks for.
//!
//! This is no parser. It only has to be right for commands that are answered with a result.

/// How the results of a command are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A FIND with so many expressions: exactly what is expected.
    Find {
        /// The number of expressions.
        columns: usize,
    },
    /// Anything else: what is expected and perhaps more keys.
    Other,
}

/// Which kind of command this is.
pub(crate) fn kind(text: &str) -> Kind {
    let code = without_comments_and_strings(text);
    let Some(rest) = code.trim_start().strip_prefix("FIND") else { return Kind::Other };
    Kind::Find { columns: expressions(rest) }
}

/// Whether a command says in which order it wants rows.
pub(crate) fn is_ordered(text: &str) -> bool {
    let code = without_comments_and_strings(text);
    let words: Vec<&str> = code.split_whitespace().collect();
    words.windows(2).any(|pair| pair == ["ORDER", "BY"])
}

/// One more than the commas in the first parentheses, inner ones left out.
fn expressions(rest: &str) -> usize {
    let mut depth = 0_usize;
    let mut commas = 0;
    for character in rest.chars() {
        match character {
            '(' => depth += 1,
            ')' if depth <= 1 => break,
            ')' => depth -= 1,
            ',' if depth == 1 => commas += 1,
            _ => {}
        }
    }
    commas + 1
}

fn without_comments_and_strings(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '"' => {
                while let Some(inner) = rest.next() {
                    match inner {
                        '\\' => drop(rest.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            '/' if rest.peek() == Some(&'/') => while rest.next().is_some_and(|inner| inner != '\n') {},
            other => code.push(other),
        }
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_columns() {
        for (text, expected) in [
            ("FIND(?a) WHERE { ?a {type: \"A, B\"} }", Kind::Find { columns: 1 }),
            (
                "  // FIND nothing\n FIND ( ?a.name , COUNT(DISTINCT ?b), ?c ) WHERE {}",
                Kind::Find { columns: 3 },
            ),
            ("FIND(BOTH(?a, ?b)) WHERE { ?a {} }", Kind::Find { columns: 1 }),
            ("FIND(MAX(?a.x)) WHERE { (?a, \"p\", ?b) }", Kind::Find { columns: 1 }),
            ("UPSERT { }", Kind::Other),
            ("EXPLAIN FIND(?a) WHERE {}", Kind::Other),
        ] {
            assert_eq!(kind(text), expected, "{text}");
        }
    }

    #[test]
    fn order_is_found_in_code_alone() {
        assert!(is_ordered("FIND(?a) WHERE {} ORDER\n BY ?a.name"));
        assert!(!is_ordered("FIND(?a) WHERE { ?a {name: \"say \\\" ORDER BY\"} } // ORDER BY"));
    }
}
