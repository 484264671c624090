//! Answers as a short text, for clients that show no more than that.

use serde_json::Value;

/// Bytes of an answer that are repeated as text.
const TEXT_BYTES_MAX: usize = 16 << 10;

/// What KIP answered, in few words.
pub(crate) fn of(response: &Value) -> String {
    match response.get("error") {
        Some(error) => of_error(error),
        None => shortened(response.to_string()),
    }
}

fn of_error(error: &Value) -> String {
    let part = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
    let mut text = format!("{}: {}", part("code"), part("message"));
    if !part("hint").is_empty() {
        text += &format!("\nhint: {}", part("hint"));
    }
    shortened(text)
}

fn shortened(mut text: String) -> String {
    let bytes = text.len();
    if bytes > TEXT_BYTES_MAX {
        text.truncate(text.floor_char_boundary(TEXT_BYTES_MAX));
        text +=
            &format!("\n[cut: {bytes} bytes in all; the structured content has them, or ask with a LIMIT]");
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_says_it_all_or_says_that_it_does_not() {
        assert_eq!(of(&json!({"result": [1, 2]})), r#"{"result":[1,2]}"#);
        let error = json!({"error": {"code": "KIP_2001", "message": "no type", "hint": "look"}});
        assert_eq!(of(&error), "KIP_2001: no type\nhint: look");
        assert_eq!(of(&json!({"error": {"code": "KIP_4003", "message": "m"}})), "KIP_4003: m");
        let long = of(&json!({"result": "ü".repeat(TEXT_BYTES_MAX)}));
        assert!(
            long.len() < TEXT_BYTES_MAX + 200 && long.contains("[cut: 32781 bytes"),
            "{}",
            &long[long.len() - 200..]
        );
    }
}
