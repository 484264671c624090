//! Answers as texts of JSON, for clients that show no more than that.
//!
//! A text that has a `next_cursor` shows every row in front of it: the engine ends pages at a row that fits
//! ([`PAGE_BYTES`]), and whatever else is too long is cut down and says so.

use serde_json::{Map, Value, json};

use crate::fit::{ROOM_MIN, bytes, fit, shares};

/// Bytes of an answer as text.
const TEXT_BYTES_MAX: usize = 16 << 10;
/// Bytes of the rows of a page: there is room left for a cursor and what is around it.
pub(crate) const PAGE_BYTES: usize = 14 << 10;
/// An answer of a batch that would have less room than that is left out.
const ANSWER_BYTES_MIN: usize = 256;

const IN_PART: &str = "[This is a part of the answer: texts that end with … [n bytes] and lists that end with \
    [n more] go on. Ask for single fields, as in FIND(?x.name), with a smaller LIMIT, or for one command at a \
    time. The structured content has all of it.]";

/// A response of KIP to `arguments`, as the texts of a result: JSON, and a remark if that is only a part.
pub(crate) fn of_kip(arguments: &cairn_base::Value, response: &Value) -> Vec<String> {
    of(response, arguments.get("commands").is_some())
}

fn of(response: &Value, is_batch: bool) -> Vec<String> {
    if let Some(error) = response.get("error") {
        return vec![error_text(error)];
    }
    if bytes(response) <= TEXT_BYTES_MAX {
        return vec![response.to_string()];
    }
    let shown = match response.get("result") {
        Some(Value::Array(answers)) if is_batch => json!({"result": batch(answers)}),
        _ => answer(response, TEXT_BYTES_MAX),
    };
    vec![shown.to_string(), IN_PART.to_owned()]
}

/// The text of an error with `code`, `message` and `hint`.
pub fn error_text(error: &Value) -> String {
    let part = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
    let mut text = format!("{}: {}", part("code"), part("message"));
    if !part("hint").is_empty() {
        text += &format!("\nhint: {}", part("hint"));
    }
    let bytes = text.len();
    if bytes > TEXT_BYTES_MAX {
        text.truncate(text.floor_char_boundary(TEXT_BYTES_MAX));
        text += &format!("\n[cut: {bytes} bytes in all; the structured content has them]");
    }
    text
}

fn batch(answers: &[Value]) -> Vec<Value> {
    let needed: Vec<usize> = answers.iter().map(|answer| bytes(answer) + 1).collect();
    let rooms = shares(&needed, TEXT_BYTES_MAX - r#"{"result":[]}"#.len());
    let shown = answers.iter().zip(rooms).map(|(one, room)| answer(one, room.saturating_sub(1)));
    shown.collect()
}

/// An answer in at most so many bytes.
fn answer(response: &Value, room: usize) -> Value {
    if bytes(response) <= room {
        return response.clone();
    }
    let cursor = response.get("next_cursor").map_or(0, bytes);
    let around = r#"{"result":,"next_cursor":}"#.len() + cursor;
    let (Some(result), Some(room)) = (response.get("result"), room.checked_sub(around)) else {
        return left_out(response);
    };
    // Rows in front of a cursor are all shown, or none of them is.
    if room < ANSWER_BYTES_MIN.max(ROOM_MIN) || (cursor > 0 && has_rows(result)) {
        return left_out(response);
    }
    let mut shown = Map::from_iter([("result".to_owned(), fit(result, room))]);
    shown.extend(response.get("next_cursor").map(|cursor| ("next_cursor".to_owned(), cursor.clone())));
    Value::Object(shown)
}

/// Whether a page has more than one row, in either shape.
fn has_rows(page: &Value) -> bool {
    let Value::Array(items) = page else { return false };
    match items.first() {
        Some(Value::Array(column)) if items.len() > 1 => column.len() > 1,
        _ => items.len() > 1,
    }
}

fn left_out(response: &Value) -> Value {
    json!({"not_shown": format!("{} bytes; send this command alone", bytes(response))})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(response: &Value, is_batch: bool) -> (Value, bool) {
        let texts = of(response, is_batch);
        assert!(texts.iter().all(|text| text.len() <= TEXT_BYTES_MAX), "{:?}", texts[0].len());
        (serde_json::from_str(&texts[0]).expect("JSON"), texts.len() > 1)
    }

    #[test]
    fn a_short_answer_is_its_json_and_an_error_is_a_sentence() {
        assert_eq!(of(&json!({"result": [1, 2]}), false), [r#"{"result":[1,2]}"#]);
        let error = json!({"error": {"code": "KIP_2001", "message": "no type", "hint": "look"}});
        assert_eq!(of(&error, false), ["KIP_2001: no type\nhint: look"]);
        assert_eq!(of(&json!({"error": {"code": "KIP_4003", "message": "m"}}), false), ["KIP_4003: m"]);
        let long = json!({"error": {"code": "KIP_1001", "message": "ü".repeat(TEXT_BYTES_MAX)}});
        assert!(of(&long, false)[0].ends_with("[cut: 32778 bytes in all; the structured content has them]"));
    }

    #[test]
    fn a_long_answer_stays_json_and_says_that_it_is_a_part() {
        let long = "ü".repeat(TEXT_BYTES_MAX);
        let (shown, is_part) = parsed(&json!({"result": long}), false);
        assert!(is_part && shown["result"].as_str().is_some_and(|text| text.ends_with("… [32768 bytes]")));
        // One row alone may be too long: its cursor is the one behind it.
        for page in [json!([[long], ["C:7"]]), json!([[long, "C:7"]]), json!([{"id": "C:7", "text": long}])] {
            let (shown, is_part) = parsed(&json!({"result": page, "next_cursor": "c"}), false);
            assert_eq!((is_part, &shown["next_cursor"]), (true, &json!("c")));
            assert!(shown["result"].to_string().contains("C:7"), "{shown}");
        }
        // More than one would not be all of what is in front of the cursor.
        for page in [json!([long, long]), json!([[long, 1], [2, 3]]), json!([[1], [2], [long]])] {
            let (shown, is_part) = parsed(&json!({"result": page, "next_cursor": "c"}), false);
            let is_one = page[0].as_array().is_some_and(|column| column.len() == 1);
            assert_eq!((is_part, shown.get("next_cursor").is_some()), (true, is_one), "{shown}");
        }
    }

    #[test]
    fn a_batch_shows_what_fits_and_names_what_does_not() {
        let short = json!({"result": 1, "next_cursor": "c"});
        let long = json!({"result": {"text": "x".repeat(TEXT_BYTES_MAX)}});
        let (shown, is_part) = parsed(&json!({"result": [short, long, short]}), true);
        assert_eq!((is_part, &shown["result"][0], &shown["result"][2]), (true, &short, &short));
        assert!(shown["result"][1]["result"]["text"].as_str().is_some_and(|text| text.len() > 10_000));
        let (shown, _) = parsed(&json!({"result": vec![long; 200]}), true);
        let not_shown = shown["result"][199]["not_shown"].as_str();
        assert!(not_shown.is_some_and(|text| text.ends_with("send this command alone")), "{shown}");
        let error = json!({"error": {"code": "KIP_1001", "message": "x".repeat(TEXT_BYTES_MAX)}});
        let (shown, _) = parsed(&json!({"result": [short, error]}), true);
        assert!(shown["result"][1]["not_shown"].is_string(), "{shown}");
    }
}
