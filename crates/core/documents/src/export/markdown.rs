//! An entity as a Markdown document.

use cairn_base::Value;
use cairn_kb::tools::UpsertInput;

use super::fields::Fields;
use crate::markdown::plain_body;

/// Writes an entity with its relationships as the Markdown document at `path`, which
/// [`parse_markdown`](crate::parse_markdown) reads back as the same entity.
///
/// Properties that are null, unknown, or of a shape that a write refuses are left out. The same entity gives the same
/// text.
pub fn to_markdown(path: &str, entity: &UpsertInput) -> String {
    let body = entity.properties.0.get("body").and_then(Value::as_str);
    let below = body.filter(|body| stays_below(body));
    let mut out = "---\n".to_owned();
    Fields { path, input: entity, indent: 0, with_body: below.is_none() }.write(&mut out);
    out.push_str("---\n");
    if let Some(body) = below {
        out.push('\n');
        out.push_str(body);
        out.push('\n');
    }
    out
}

/// Whether a body is read back as it is from below the front matter; others are written into it.
fn stays_below(body: &str) -> bool {
    let is_text = |letter: char| letter == '\n' || letter == '\t' || !letter.is_control();
    !body.is_empty() && plain_body(body) == body && body.chars().all(is_text)
}
