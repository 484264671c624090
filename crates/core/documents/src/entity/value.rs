//! Values of fields. The field decides the type: `title: 2026` is text, whatever YAML would make of it.

use cairn_base::Value;
use cairn_kb::{Field, Shape};

use crate::yaml::{Node, NodeKind};

/// A value that does not fit its field.
pub(super) struct Misfit {
    pub(super) line: Option<u32>,
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

/// The value of a field; `None` if the document gives none.
pub(super) fn of_field(field: &Field, node: &Node) -> Result<Option<Value>, Misfit> {
    if node.is_null() {
        return Ok(None);
    }
    let name = field.name;
    match field.shape {
        Shape::Text(_) | Shape::Word(_) => {
            let hint = || Some(format!("write `{name}: …` on one line, or as a block with `|`"));
            let text = node.text().ok_or_else(|| misfit(name, node, "text", hint()))?;
            Ok(Some(Value::String(with_time(name, text))))
        }
        Shape::Texts => {
            items(name, node, |item| item.text().map(Value::from).ok_or_else(|| of_item(name, item)))
        }
        Shape::Scalars => items(name, node, |item| of_scalar(name, item)),
        Shape::Integer | Shape::Number => of_scalar(name, node).map(Some).map_err(|mut misfit| {
            misfit.hint.get_or_insert_with(|| "write a number without quotes".to_owned());
            misfit
        }),
        Shape::Bool => of_scalar(name, node).map(Some),
    }
}

/// A day as the first moment of it, where a time is wanted.
fn with_time(name: &str, text: &str) -> String {
    let is_time = matches!(name, "created_at" | "updated_at");
    let is_day = || {
        let bytes = text.as_bytes();
        bytes.len() == 10
            && bytes.iter().enumerate().all(|(at, byte)| match at {
                4 | 7 => *byte == b'-',
                _ => byte.is_ascii_digit(),
            })
    };
    if is_time && is_day() { format!("{text}T00:00:00Z") } else { text.to_owned() }
}

fn items(
    name: &str,
    node: &Node,
    item: impl Fn(&Node) -> Result<Value, Misfit>,
) -> Result<Option<Value>, Misfit> {
    let NodeKind::List(items) = &node.kind else {
        let shown = node.text().map_or_else(|| "…".to_owned(), super::cut);
        return Err(misfit(name, node, "a list", Some(format!("write `{name}: [{shown}]`"))));
    };
    let values: Result<Vec<Value>, Misfit> = items.iter().map(item).collect();
    Ok(Some(Value::Array(values?)))
}

fn of_scalar(name: &str, node: &Node) -> Result<Value, Misfit> {
    match &node.kind {
        NodeKind::Scalar(scalar) => scalar.value().map_err(|message| Misfit {
            line: Some(node.line),
            message: format!("{name}: {message}"),
            hint: None,
        }),
        NodeKind::List(_) | NodeKind::Map(_) => Err(misfit(name, node, "a single value", None)),
    }
}

fn of_item(name: &str, node: &Node) -> Misfit {
    let message = match node.is_null() {
        true => format!("{name}: an item is empty"),
        false => format!("{name}: an item is {}, not text", node.word()),
    };
    Misfit { line: Some(node.line), message, hint: Some("write one text per item".to_owned()) }
}

fn misfit(name: &str, node: &Node, expected: &str, hint: Option<String>) -> Misfit {
    Misfit { line: None, message: format!("{name} is {}, not {expected}", node.word()), hint }
}
