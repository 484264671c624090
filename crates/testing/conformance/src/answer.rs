//! Whether a whole answer is the expected one.

use cairn_base::Value;

use crate::command::{Kind, is_ordered, kind};
use crate::compare::{Sides, holds};
use crate::{Case, Errors, Expected};

impl Case {
    /// What is wrong with an answer; nothing if it is as the case expects.
    pub fn complaint(&self, answer: &Value) -> Option<String> {
        complaint(self, answer)
    }
}

fn complaint(case: &Case, answer: &Value) -> Option<String> {
    let got = || format!("the answer is {}", answer.to_json());
    match (&case.expected, answer.get("result"), answer.get("error")) {
        (_, None, None) | (_, Some(_), Some(_)) => {
            Some(format!("an answer has either a result or an error; {}", got()))
        }
        (Expected::Error(error), None, Some(actual)) => error_complaint(error, actual),
        (Expected::Error(error), Some(_), None) => Some(format!("expected {}, but {}", error.code, got())),
        (Expected::Result(_) | Expected::Contains(_), None, Some(_)) => {
            Some(format!("expected a result, but {}", got()))
        }
        (Expected::Result(expected), Some(actual), None) => {
            let Sides { expected, actual } = match sides(case, expected, actual) {
                sides if sides.agree() => return cursor_complaint(case, answer),
                sides => sides,
            };
            Some(format!("expected {}\n     but got {}", expected.to_json(), actual.to_json()))
        }
        (Expected::Contains(wanted), Some(actual), None) => {
            let list = actual.as_array().unwrap_or_default();
            let missing = wanted.iter().find(|item| !holds(list, item));
            missing
                .map(|item| format!("expected an item like {}, but {}", item.to_json(), got()))
                .or_else(|| cursor_complaint(case, answer))
        }
    }
}

fn sides(case: &Case, expected: &Value, actual: &Value) -> Sides {
    let Some(command) = case.request.get("command").and_then(Value::as_str) else {
        // A batch answers in the order of its commands.
        return Sides::of(expected, actual, Kind::Other, true);
    };
    let is_rows = case.request.get("format").and_then(Value::as_str) == Some("rows");
    let kind = match kind(command) {
        Kind::Find { columns } => Kind::Find { columns: if is_rows { 1 } else { columns } },
        Kind::Other => Kind::Other,
    };
    Sides::of(expected, actual, kind, case.ordered || is_ordered(command))
}

/// Every error has a code, says what is wrong and says what to do next.
fn error_complaint(expected: &Errors, actual: &Value) -> Option<String> {
    let text = |key: &str| actual.get(key).and_then(Value::as_str).unwrap_or_default();
    let lacks = |key: &str, parts: &[String]| {
        let part = parts.iter().find(|part| !text(key).contains(part.as_str()))?;
        Some(format!("the {key} lacks \"{part}\": {}", actual.to_json()))
    };
    if text("code") != expected.code {
        return Some(format!("expected {}, but the error is {}", expected.code, actual.to_json()));
    }
    if let Some(key) = ["message", "hint"].into_iter().find(|key| text(key).trim().is_empty()) {
        return Some(format!("the error has no {key}: {}", actual.to_json()));
    }
    lacks("hint", &expected.hint_contains).or_else(|| lacks("message", &expected.message_contains))
}

fn cursor_complaint(case: &Case, answer: &Value) -> Option<String> {
    let cursor = answer.get("next_cursor").filter(|cursor| !cursor.is_null());
    match (case.next_cursor, cursor) {
        (Some(true), None) => Some("there is no next_cursor, but more rows".to_owned()),
        (Some(false), Some(cursor)) => {
            Some(format!("next_cursor is {}, but no rows are left", cursor.to_json()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Group;

    fn check(case: &str, answer: &str, complaint_has: Option<&str>) {
        let file = format!(r#"{{"name": "g", "setup": [], "cases": [{{"name": "c", {case}}}]}}"#);
        let group = Group::from_value(&Value::parse_json(file.as_bytes()).unwrap()).unwrap();
        let found = complaint(&group.cases[0], &Value::parse_json(answer.as_bytes()).unwrap());
        match (complaint_has, &found) {
            (None, None) => {}
            (Some(part), Some(found)) if found.contains(part) => {}
            _ => panic!("{case} and {answer} gave {found:?} instead of {complaint_has:?}"),
        }
    }

    #[test]
    fn results() {
        let case = r#""command": "FIND(?a) WHERE {}", "expect": {"result": ["a", "b"]}"#;
        check(case, r#"{"result": ["b", "a"]}"#, None);
        check(case, r#"{"result": ["b"]}"#, Some("but got"));
        check(case, r#"{"error": {"code": "KIP_1001"}}"#, Some("expected a result"));
        check(case, "{}", Some("either"));
        check(case, r#"{"result": ["a", "b"], "error": {}}"#, Some("either"));
    }

    #[test]
    fn the_order_counts_where_somebody_asked_for_it() {
        let answer = r#"{"result": ["b", "a"]}"#;
        let expect = r#""expect": {"result": ["a", "b"]}"#;
        check(&format!(r#""command": "FIND(?a) WHERE {{}} ORDER BY ?a", {expect}"#), answer, Some("but got"));
        check(
            &format!(r#""command": "FIND(?a) WHERE {{}}", "ordered": true, {expect}"#),
            answer,
            Some("but got"),
        );
        check(&format!(r#""command": "DESCRIBE DOMAINS", {expect}"#), answer, None);
    }

    #[test]
    fn rows_are_rows_when_asked_for() {
        let case = r#""command": "FIND(?a, ?b) WHERE {}", "format": "rows", "expect": {"result": [["a", 1], ["b", 2]]}"#;
        check(case, r#"{"result": [["b", 2], ["a", 1]]}"#, None);
        check(case, r#"{"result": [["a", "b"], [1, 2]]}"#, Some("but got"));
    }

    #[test]
    fn errors() {
        let case = r#""command": "x", "expect": {"error": {"code": "KIP_2001", "hint_contains": "Drug", "message_contains": "drug"}}"#;
        let answer = |code: &str, message: &str, hint: &str| {
            format!(r#"{{"error": {{"code": "{code}", "message": "{message}", "hint": "{hint}"}}}}"#)
        };
        check(case, &answer("KIP_2001", "no drug", "use Drug"), None);
        check(case, &answer("KIP_2002", "no drug", "use Drug"), Some("expected KIP_2001"));
        check(case, &answer("KIP_2001", "no drug", "use it"), Some("the hint lacks"));
        check(case, &answer("KIP_2001", "no", "use Drug"), Some("the message lacks"));
        check(case, &answer("KIP_2001", "", "use Drug"), Some("no message"));
        check(case, r#"{"error": {"code": "KIP_2001", "message": "no drug"}}"#, Some("no hint"));
        check(case, r#"{"result": []}"#, Some("expected KIP_2001"));
    }

    #[test]
    fn items_and_cursors() {
        let case =
            r#""command": "DESCRIBE DOMAINS", "next_cursor": false, "expect": {"contains": [{"name": "a"}]}"#;
        check(case, r#"{"result": [{"name": "b"}, {"name": "a"}]}"#, None);
        check(case, r#"{"result": [{"name": "b"}]}"#, Some("an item like"));
        check(case, r#"{"result": [{"name": "a"}], "next_cursor": "t"}"#, Some("no rows are left"));
        let case = r#""command": "FIND(?a) WHERE {}", "next_cursor": true, "expect": {"result": []}"#;
        check(case, r#"{"result": [], "next_cursor": "t"}"#, None);
        check(case, r#"{"result": []}"#, Some("no next_cursor"));
    }

    #[test]
    fn a_batch_answers_in_order() {
        let case =
            r#""commands": ["a", "b"], "expect": {"result": [{"result": 1}, {"error": {"code": "K"}}]}"#;
        check(case, r#"{"result": [{"result": 1}, {"error": {"code": "K", "message": "m"}}]}"#, None);
        check(case, r#"{"result": [{"error": {"code": "K"}}, {"result": 1}]}"#, Some("but got"));
        check(case, r#"{"result": [{"result": 1}]}"#, Some("but got"));
    }
}
