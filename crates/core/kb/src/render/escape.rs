//! Text from outside, for each format.

use std::fmt::Write;

use cairn_base::Harmless;

/// Writes text for HTML, in elements and in quoted attributes. Characters that nobody sees, or that turn the direction
/// of reading, are shown instead.
pub(super) fn push_html(out: &mut String, text: &str) {
    for character in Harmless(text).to_string().chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
}

/// Returns text for a cell of a Markdown table.
pub(super) fn markdown(text: &str) -> String {
    let mut out = String::new();
    for character in Harmless(text).to_string().chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' | '!' | '#' => {
                // Writing to a text does not fail.
                let _ = write!(out, "\\{character}");
            }
            other => out.push(other),
        }
    }
    out
}

/// Returns text for a terminal.
pub(super) fn terminal(text: &str) -> String {
    Harmless(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_leaves_its_place() {
        let hostile = "</script><b a='1' b=\"2\">&amp;\u{202e}\u{1b}[31m|`x`\n[y](z)";
        let mut html = String::new();
        push_html(&mut html, hostile);
        assert_eq!(
            html,
            "&lt;/script&gt;&lt;b a=&#39;1&#39; b=&quot;2&quot;&gt;&amp;amp;\\u{202e}\\u{1b}[31m|`x`\\u{a}[y](z)"
        );
        assert_eq!(
            markdown(hostile),
            "&lt;/script&gt;&lt;b a='1' b=\"2\"&gt;&amp;amp;\\\\u{202e}\\\\u{1b}\\[31m\\|\\`x\\`\\\\u{a}\\[y\\](z)"
        );
        let seen = terminal(hostile);
        assert!(seen.contains("\\u{1b}") && !seen.contains('\u{1b}') && !seen.contains('\n'), "{seen}");
        // Letters of any script stay as they are.
        assert_eq!(markdown("ä שלום 漢 🪨"), "ä שלום 漢 🪨");
    }
}
