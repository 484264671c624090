//! What a schema says a value must be, like `string`, `array<string>` or `number | null`.

use std::fmt;

use cairn_base::Value;

/// Longer ones are no description of a type.
const BYTES_MAX: usize = 256;

/// One of several kinds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shape(Vec<Kind>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Any,
    Null,
    Boolean,
    Number,
    Integer,
    String,
    Array(Option<Shape>),
    Object,
}

impl Shape {
    /// Reads a description; `None` if it is none that is known.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if text.len() > BYTES_MAX {
            return None;
        }
        alternatives(text).into_iter().map(Kind::parse).collect::<Option<Vec<Kind>>>().map(Shape)
    }

    /// The same for arrays whose items were described beside them.
    pub(super) fn with_items(self, items: &Shape) -> Self {
        let kinds = self.0.into_iter().map(|kind| match kind {
            Kind::Array(None) => Kind::Array(Some(items.clone())),
            other @ (Kind::Any
            | Kind::Null
            | Kind::Boolean
            | Kind::Number
            | Kind::Integer
            | Kind::String
            | Kind::Array(Some(_))
            | Kind::Object) => other,
        });
        Shape(kinds.collect())
    }

    pub(super) fn admits(&self, value: &Value) -> bool {
        self.0.iter().any(|kind| kind.admits(value))
    }
}

impl Kind {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        if let Some(items) = text.strip_prefix("array<").and_then(|rest| rest.strip_suffix('>')) {
            return Some(Kind::Array(Some(Shape::parse(items)?)));
        }
        Some(match text.as_str() {
            "any" | "*" => Kind::Any,
            "null" => Kind::Null,
            "boolean" | "bool" => Kind::Boolean,
            "number" | "float" => Kind::Number,
            "integer" | "int" => Kind::Integer,
            "string" | "text" => Kind::String,
            "array" | "list" => Kind::Array(None),
            "object" | "map" => Kind::Object,
            _ => return None,
        })
    }

    fn admits(&self, value: &Value) -> bool {
        match (self, value) {
            (Kind::Any, _)
            | (Kind::Null, Value::Null)
            | (Kind::Boolean, Value::Bool(_))
            | (Kind::Number, Value::Number(_))
            | (Kind::String, Value::String(_))
            | (Kind::Array(None), Value::Array(_))
            | (Kind::Object, Value::Object(_)) => true,
            (Kind::Integer, Value::Number(number)) => number.as_i64().is_some() || number.as_u64().is_some(),
            (Kind::Array(Some(items)), Value::Array(values)) => {
                values.iter().all(|value| items.admits(value))
            }
            (_, Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => false,
            (_, Value::Array(_) | Value::Object(_)) => false,
        }
    }
}

/// The parts between bars that are not inside of brackets.
fn alternatives(text: &str) -> Vec<&str> {
    let mut depth = 0_i32;
    text.split(|letter| {
        depth += i32::from(letter == '<') - i32::from(letter == '>');
        letter == '|' && depth == 0
    })
    .collect()
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, kind) in self.0.iter().enumerate() {
            f.write_str(if at > 0 { " or " } else { "" })?;
            f.write_str(match kind {
                Kind::Any => "anything",
                Kind::Null => "null",
                Kind::Boolean => "a boolean",
                Kind::Number => "a number",
                Kind::Integer => "an integer",
                Kind::String => "a string",
                Kind::Array(_) => "an array",
                Kind::Object => "an object",
            })?;
            if let Kind::Array(Some(items)) = kind {
                write!(f, " of ({items})")?;
            }
        }
        Ok(())
    }
}

/// What a value is, in words.
pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_admit_what_they_say() {
        let values = ["null", "true", "2", "2.5", "\"x\"", "[]", "[\"a\"]", "[1,\"a\"]", "{}"];
        let rows: &[(&str, &[usize])] = &[
            ("any", &[0, 1, 2, 3, 4, 5, 6, 7, 8]),
            ("null", &[0]),
            ("Boolean", &[1]),
            ("number", &[2, 3]),
            ("integer", &[2]),
            (" string ", &[4]),
            ("array", &[5, 6, 7]),
            ("array<string>", &[5, 6]),
            ("array<string|number>", &[5, 6, 7]),
            ("array<array<string>>", &[5]),
            ("string | array<string> | null", &[0, 4, 5, 6]),
            ("object", &[8]),
        ];
        for (text, expected) in rows {
            let shape = Shape::parse(text).unwrap();
            let admitted: Vec<usize> = (0..values.len())
                .filter(|at| shape.admits(&Value::parse_json(values[*at].as_bytes()).unwrap()))
                .collect();
            assert_eq!(admitted, *expected, "{text}");
        }
        for unknown in
            ["", "strin", "array<", "array<>", "array<x>", "string |", "<|>", &"array<".repeat(9999)]
        {
            assert_eq!(Shape::parse(unknown), None, "{unknown:.20}");
        }
        assert_eq!(
            Shape::parse("string|array<integer|null>").unwrap().to_string(),
            "a string or an array of (an integer or null)"
        );
        let strings = Shape::parse("array").unwrap().with_items(&Shape::parse("string").unwrap());
        assert_eq!(strings, Shape::parse("array<string>").unwrap());
    }
}
