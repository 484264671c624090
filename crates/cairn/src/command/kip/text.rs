//! What KIP answered, for people.

use std::collections::BTreeMap;

use cairn_base::{Harmless, Value};
use cairn_kip::tree::{Command, Find};
use cairn_wire::kip::KipResponse;

use super::table::Table;
use crate::terminal::Look;

/// Fields of things that are listed, in this order before others.
const FIRST_FIELDS: [&str; 8] = ["id", "_type", "type", "name", "subject", "predicate", "object", "time"];

/// How the next page is asked for on the command line.
pub(super) const WITH_CURSOR: &str = "the same with CURSOR";

/// An answer to a command that was written so; `more` is how the next page is asked for.
pub(super) fn answer(
    command: &Command,
    source: &str,
    answer: &KipResponse,
    more: &str,
    look: Look,
) -> String {
    match command {
        Command::Find(find) => found(find, source, answer, more, look),
        Command::Explain { .. } => match answer.result().get("text").and_then(Value::as_str) {
            // Its text is for people, and the rest for programs.
            Some(text) => lines(text),
            None => page(answer, more, look),
        },
        Command::Upsert(_) | Command::Delete(_) | Command::Describe(_) | Command::Search(_) => {
            page(answer, more, look)
        }
    }
}

/// A table with the columns that were asked for.
fn found(find: &Find, source: &str, answer: &KipResponse, more: &str, look: Look) -> String {
    let head = |range| Harmless(source.get(range).unwrap_or("?")).to_string();
    let heads: Vec<String> = find.columns.iter().map(|column| head(column.span.range())).collect();
    let rows = answer.result().as_array().unwrap_or_default();
    let cells = |row: &Value| match row.as_array() {
        Some(cells) => cells.iter().map(cell).collect(),
        None => vec![cell(row)],
    };
    let table = Table { heads, rows: rows.iter().map(cells).collect() };
    table.render(look) + &end(rows.len(), answer, more, look)
}

/// Whatever was answered, in the shape that fits it.
pub(super) fn page(answer: &KipResponse, more: &str, look: Look) -> String {
    match answer.result() {
        Value::Array(items) if items.iter().all(|item| item.as_object().is_some()) && !items.is_empty() => {
            listed(items).render(look) + &end(items.len(), answer, more, look)
        }
        Value::Array(items) => {
            let lines: String = items.iter().map(|item| cell(item) + "\n").collect();
            lines + &end(items.len(), answer, more, look)
        }
        Value::Object(fields) if fields.values().all(is_flat) => crate::command::table(&flat(fields)),
        Value::String(text) => lines(text),
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) => {
            lines(&serde_json::to_string_pretty(other).expect("a value is plain data"))
        }
    }
}

/// Text that does no harm to a terminal, line by line.
fn lines(text: &str) -> String {
    text.lines().map(|line| Harmless(line).to_string() + "\n").collect()
}

/// How many there were, and how to get more. A command of the shell knows the cursor.
fn end(rows: usize, answer: &KipResponse, more: &str, look: Look) -> String {
    let mut end = format!("{rows} row{}", if rows == 1 { "" } else { "s" });
    if let Some(cursor) = &answer.next_cursor {
        end += &format!("; more: {more}");
        if !more.starts_with('\\') {
            end += &format!(" \"{}\"", Harmless(cursor));
        }
    }
    look.dim(&end) + "\n"
}

/// Things with fields: a column for each field that any of them has.
fn listed(items: &[Value]) -> Table {
    let mut heads: Vec<String> = Vec::new();
    for item in items {
        for name in item.as_object().into_iter().flat_map(|fields| fields.keys()) {
            if !heads.contains(name) {
                heads.push(name.clone());
            }
        }
    }
    let place =
        |name: &String| FIRST_FIELDS.iter().position(|first| first == name).unwrap_or(FIRST_FIELDS.len());
    heads.sort_by_key(place);
    let row = |item: &Value| heads.iter().map(|head| item.get(head).map(cell).unwrap_or_default()).collect();
    let rows = items.iter().map(row).collect();
    Table { heads: heads.iter().map(|head| Harmless(head).to_string()).collect(), rows }
}

/// A value in one line. Of a concept or a link what it says, and not who keeps it.
fn cell(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Object(fields) => {
            let part = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
            let attributes = fields.get("attributes").map(|attributes| format!(" {}", attributes.to_json()));
            let attributes = attributes.unwrap_or_default();
            match part("_type") {
                "ConceptNode" => format!("{} {:?}{attributes}", part("type"), part("name")),
                "PropositionLink" => {
                    format!("({}, {:?}, {}){attributes}", part("subject"), part("predicate"), part("object"))
                }
                _ => value.to_json(),
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => value.to_json(),
    };
    Harmless(&text).to_string()
}

/// Names beside their values; those of an object inside have its name before them.
fn flat(fields: &BTreeMap<String, Value>) -> Vec<[String; 2]> {
    let row = |name: &str, value: &Value| [Harmless(name).to_string(), cell(value)];
    let mut rows = Vec::new();
    for (name, value) in fields {
        match value.as_object() {
            Some(inner) => {
                rows.extend(inner.iter().map(|(key, value)| row(&format!("{name}.{key}"), value)));
            }
            None => rows.push(row(name, value)),
        }
    }
    rows
}

/// Whether a value fits beside its name, or is made of such.
fn is_flat(value: &Value) -> bool {
    value.as_object().map_or_else(|| is_short(value), |fields| fields.values().all(is_short))
}

/// Whether a value fits beside its name.
fn is_short(value: &Value) -> bool {
    match value {
        Value::Object(_) => false,
        Value::Array(items) => {
            items.iter().all(|item| item.as_object().is_none() && item.as_array().is_none())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(answer: serde_json::Value) -> KipResponse {
        serde_json::from_value(answer).expect("an answer")
    }

    const PLAIN: Look = Look { colour: false, width: None };

    fn shown(command: &str, value: serde_json::Value) -> String {
        let parsed = cairn_kip::parse(command).expect("a command");
        answer(&parsed, command, &read(value), WITH_CURSOR, PLAIN)
    }

    #[test]
    fn a_find_has_the_columns_that_were_asked_for() {
        let command = "FIND(?d.name, COUNT(DISTINCT ?s), ?d)\nWHERE { (?d, \"treats\", ?s) }";
        let drug = json!({"_type": "ConceptNode", "id": "C:1", "type": "Drug", "name": "Aspirin",
            "attributes": {"risk": 2}, "metadata": {"_version": 1}});
        let answer = json!({"result": [["Aspirin", 2, drug], [null, 0, "\u{1b}[2J"]], "next_cursor": "abc"});
        assert_eq!(
            shown(command, answer),
            "?d.name  COUNT(DISTINCT ?s)  ?d\n\
             Aspirin  2                   Drug \"Aspirin\" {\"risk\":2}\n\
             null     0                   \\u{1b}[2J\n\
             2 rows; more: the same with CURSOR \"abc\"\n"
        );
        let more = read(json!({"result": [1], "next_cursor": "abc"}));
        let command = "FIND(?d) WHERE { ?d {type: \"Drug\"} }";
        let parsed = cairn_kip::parse(command).expect("a command");
        assert!(super::answer(&parsed, command, &more, "\\next", PLAIN).ends_with("1 row; more: \\next\n"));
        let plan = json!({"result": {"text": "scan Drug\n  filter", "stages": [{}]}});
        assert_eq!(shown("EXPLAIN FIND(?d) WHERE { ?d {type: \"Drug\"} }", plan), "scan Drug\n  filter\n");
        assert_eq!(shown("FIND(?d) WHERE { ?d {type: \"Drug\"} }", json!({"result": []})), "?d\n0 rows\n");
    }

    #[test]
    fn other_answers_have_the_shape_that_fits() {
        for (result, expected) in [
            (json!(["Drug", "Symptom"]), "Drug\nSymptom\n2 rows\n"),
            (
                json!([{"name": "a", "id": "C:1"}, {"id": "C:2", "x": true}]),
                "id   name  x\nC:1  a\nC:2        true\n2 rows\n",
            ),
            (json!({"blocks": 1, "created": ["C:1"]}), "blocks   1\ncreated  [\"C:1\"]\n"),
            (json!({"a": {"b": 1, "c": 0}, "d": []}), "a.b  1\na.c  0\nd    []\n"),
            (json!({"a": {"b": {}}}), "{\n  \"a\": {\n    \"b\": {}\n  }\n}\n"),
            (json!("line\nline"), "line\nline\n"),
            (json!([]), "0 rows\n"),
            (json!(null), "null\n"),
        ] {
            assert_eq!(page(&read(json!({"result": result})), "more", PLAIN), expected, "{result}");
        }
    }
}
