//! The block of fields at the beginning of a `SKILL.md`.
//!
//! It is a small part of YAML, read strictly: between two lines `---` stand `key: value` and `key:` followed by
//! lines `- item`. No quotes, no nesting, no comments, no duplicates. Values are single lines and may contain
//! colons.

use super::SkillError;

/// A value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Field {
    /// One line of text.
    Text(String),
    /// A list of lines.
    List(Vec<String>),
}

/// Fields with their keys and line numbers, in the order of the file.
pub(super) type Fields = Vec<(String, usize, Field)>;

const FENCE: &str = "---\n";

/// Splits a `SKILL.md` into its fields and the body behind them.
pub(super) fn split<'t>(folder: &str, text: &'t str) -> Result<(Fields, &'t str), SkillError> {
    let at = |line, problem: &str| bad(folder, line, problem);
    let rest = text.strip_prefix(FENCE).ok_or_else(|| at(1, "the file must begin with a line `---`"))?;
    let mut fields = Fields::new();
    let mut offset = 0;
    for (index, line) in rest.split_inclusive('\n').enumerate() {
        offset += line.len();
        if line == FENCE {
            return Ok((fields, &rest[offset..]));
        }
        take(line.trim_end_matches('\n'), index + 2, &mut fields)
            .map_err(|problem| at(index + 2, &problem))?;
    }
    Err(at(1, "no line `---` ends the front matter"))
}

/// An error at a line of a `SKILL.md`.
pub(super) fn bad(folder: &str, line: usize, problem: &str) -> SkillError {
    SkillError::BadManifest { folder: folder.to_owned(), line, problem: problem.to_owned() }
}

fn take(line: &str, number: usize, fields: &mut Fields) -> Result<(), String> {
    if line.trim_end() != line {
        return Err("the line ends with a blank".to_owned());
    }
    if let Some(item) = line.strip_prefix("- ") {
        return match fields.last_mut() {
            Some((_, _, Field::List(items))) => push(item, items),
            Some((_, _, Field::Text(_))) | None => Err("a list item must follow a line `key:`".to_owned()),
        };
    }
    let (key, value) = line.split_once(':').ok_or("the line is neither `key: value` nor `- item`")?;
    if key.is_empty() || !key.chars().all(|letter| letter.is_ascii_alphanumeric()) {
        return Err(format!("invalid key {key:?}; use letters and digits"));
    }
    if fields.iter().any(|(known, _, _)| known == key) {
        return Err(format!("duplicate key `{key}`"));
    }
    let field = match value.strip_prefix(' ') {
        Some(text) if !text.trim().is_empty() => Field::Text(text.trim().to_owned()),
        None if value.is_empty() => Field::List(Vec::new()),
        Some(_) | None => {
            return Err(format!("`{key}:` must be followed by a blank and a value, or by a list"));
        }
    };
    fields.push((key.to_owned(), number, field));
    Ok(())
}

fn push(item: &str, items: &mut Vec<String>) -> Result<(), String> {
    let item = item.trim();
    if item.is_empty() {
        return Err("the list item is empty".to_owned());
    }
    if items.iter().any(|known| known == item) {
        return Err(format!("duplicate list item `{item}`"));
    }
    items.push(item.to_owned());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_lists_and_the_body_come_apart() {
        let (fields, body) =
            split("x", "---\nid: a\ndescription: one: two\ntags:\n- b\n- c d\n---\n\nBody\n---\nend")
                .expect("valid front matter");
        let text = |text: &str| Field::Text(text.to_owned());
        assert_eq!(fields[0], ("id".to_owned(), 2, text("a")));
        assert_eq!(fields[1], ("description".to_owned(), 3, text("one: two")));
        assert_eq!(fields[2], ("tags".to_owned(), 4, Field::List(vec!["b".to_owned(), "c d".to_owned()])));
        assert_eq!(body, "\nBody\n---\nend");
    }

    #[test]
    fn everything_else_is_refused_with_its_line() {
        for (text, line, part) in [
            ("id: a\n---\n", 1, "must begin"),
            ("---\r\nid: a\r\n---\r\n", 1, "must begin"),
            ("---\nid: a\n", 1, "no line `---` ends"),
            ("---\nid: a\n---", 3, "neither"),
            ("---\nid a\n---\n", 2, "neither"),
            ("---\n\n---\n", 2, "neither"),
            ("---\nid: a \n---\n", 2, "ends with a blank"),
            ("---\nid:a\n---\n", 2, "followed by a blank"),
            ("---\n: a\n---\n", 2, "invalid key"),
            ("---\n  id: a\n---\n", 2, "invalid key"),
            ("---\nid: a\nid: b\n---\n", 3, "duplicate key"),
            ("---\n- a\n---\n", 2, "must follow"),
            ("---\nid: a\n- b\n---\n", 3, "must follow"),
            ("---\ntags:\n- b\n- b\n---\n", 4, "duplicate list item"),
            ("---\ntags:\n  - b\n---\n", 3, "neither"),
        ] {
            let Err(SkillError::BadManifest { line: found, problem, .. }) = split("x", text) else {
                panic!("accepted {text:?}")
            };
            assert_eq!(found, line, "{text:?}: {problem}");
            assert!(problem.contains(part), "{text:?}: {problem}");
        }
    }
}
