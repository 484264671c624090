//! Fields of answers, for a terminal, and whole answers, for programs.

use cairn_base::Harmless;
use serde::Serialize;

/// A text of an answer, for a terminal.
pub(crate) fn text(text: &str) -> String {
    Harmless(text).to_string()
}

/// Texts of an answer, one after another; `-` if there are none.
pub(crate) fn joined(texts: &[String]) -> String {
    if texts.is_empty() { "-".to_owned() } else { Harmless(&texts.join(", ")).to_string() }
}

/// An answer as JSON with its keys in order, on several lines.
pub(crate) fn json(answer: &impl Serialize) -> String {
    format!("{:#}\n", sorted(answer))
}

/// The same on one line.
pub(crate) fn json_line(answer: &impl Serialize) -> String {
    format!("{}\n", sorted(answer))
}

/// Its objects are sorted by key, as everything is that commands print.
fn sorted(answer: &impl Serialize) -> serde_json::Value {
    serde_json::to_value(answer).expect("an answer is plain data")
}

#[cfg(test)]
mod tests {
    use cairn_wire::kip::KipResponse;

    use super::*;

    #[test]
    fn keys_are_in_order_and_numbers_are_as_they_were() {
        let answer = r#"{"result":{"b":18446744073709551615,"a":0.30000000000000004,"c":1.0}}"#;
        let answer: KipResponse = serde_json::from_str(answer).expect("an answer");
        assert_eq!(
            json_line(&answer),
            "{\"result\":{\"a\":0.30000000000000004,\"b\":18446744073709551615,\"c\":1.0}}\n"
        );
        assert!(json(&answer).starts_with("{\n  \"result\": {\n    \"a\": 0.3"));
    }

    #[test]
    fn texts_do_no_harm() {
        assert_eq!(text("a\u{1b}b"), "a\\u{1b}b");
        assert_eq!(joined(&["a".to_owned(), "\u{7}".to_owned()]), "a, \\u{7}");
        assert_eq!(joined(&[]), "-");
    }
}
