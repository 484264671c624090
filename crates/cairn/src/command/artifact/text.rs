//! Artifacts for people.

use cairn_base::Value;
use cairn_wire::artifacts::{Found, FoundArtifact, JsonText};
use indicatif::HumanBytes;

use crate::columns::columns;
use crate::command::answer::{joined, text};
use crate::command::{counted, table};
use crate::failure::Failure;
use crate::terminal::Look;

/// Previews stand below what they are of, this far in.
const INDENT: &str = "    ";
/// Characters of a title in a table.
const TITLE_CHARS: usize = 48;

/// One line about an artifact that was published, which begins with its id.
pub(super) fn published(artifact: &JsonText, look: Look) -> String {
    let Ok(value) = artifact.to_value() else { return format!("{}\n", text(artifact.as_str())) };
    let about = value.get("_cairn").cloned().unwrap_or(Value::Null);
    let bytes = about.get("content_bytes").and_then(Value::as_number).and_then(cairn_base::Number::as_u64);
    let mut facts = vec![text(field(&value, "format"))];
    facts.extend(bytes.map(|bytes| HumanBytes(bytes).to_string()));
    facts.push(text(field(&value, "visibility")));
    facts.push(match field(&about, "attested_by") {
        "author" => "signed by you".to_owned(),
        _ => "signed by the node".to_owned(),
    });
    let title = look.bold(&text(field(&value, "title")));
    format!("{}  {title}  {}\n", text(field(&value, "id")), look.dim(&facts.join(", ")))
}

/// Everything about an artifact but its content.
pub(super) fn artifact(artifact: &JsonText) -> Result<String, Failure> {
    let value = artifact.to_value().map_err(|error| Failure::new(format!("not an artifact: {error}")))?;
    let nothing = Value::Null;
    let part = |name: &str| value.get(name).unwrap_or(&nothing);
    let (about, lineage, acl) = (part("_cairn"), part("lineage"), part("acl"));
    let count = |name: &str| {
        about.get(name).and_then(Value::as_number).and_then(cairn_base::Number::as_u64).unwrap_or(0)
    };
    let key = field(about, "public_key");
    let signed_by = match field(about, "attested_by") {
        "author" => format!("the author, key {}", text(key)),
        _ => format!("the node for the author, key {}", text(key)),
    };
    let stored = match about.get("has_content").and_then(Value::as_bool) {
        Some(true) => HumanBytes(count("content_bytes")).to_string(),
        _ => "not stored here".to_owned(),
    };
    let rows = [
        ("id", text(field(&value, "id"))),
        ("title", text(field(&value, "title"))),
        ("summary", text(field(&value, "summary"))),
        (
            "author",
            format!("{} in tenant {}", text(field(&value, "user_id")), text(field(&value, "tenant_id"))),
        ),
        ("signed at", text(field(&value, "timestamp"))),
        ("signed by", signed_by),
        ("format", text(field(&value, "format"))),
        ("content", stored),
        ("sha-256", text(field(&value, "content_hash"))),
        ("cid", text(field(about, "cid"))),
        ("url", text(field(&value, "content_url"))),
        ("visibility", text(field(&value, "visibility"))),
        ("team", text(field(&value, "team"))),
        ("allowed users", list_of(acl, "allowed_users")),
        ("allowed teams", list_of(acl, "allowed_teams")),
        ("allowed tenants", list_of(acl, "allowed_tenants")),
        ("tags", list_of(&value, "tags")),
        ("source", text(field(&value, "source"))),
        ("agent", text(field(lineage, "agent"))),
        ("query", text(field(lineage, "query"))),
        ("data sources", list_of(lineage, "data_sources")),
        ("derived from", list_of(lineage, "parent_reports")),
        ("derived from, unsigned", text(field(about, "derived_from"))),
        (
            "usage",
            format!(
                "{}, {}, {}",
                counted(count("reads"), "read"),
                counted(count("downloads"), "download"),
                counted(count("citations"), "citation")
            ),
        ),
    ];
    let rows = rows.into_iter().filter(|(_, value)| !value.is_empty());
    Ok(table(&rows.map(|(name, value)| [name.to_owned(), value]).collect::<Vec<_>>()))
}

/// A text of an object; empty if there is none.
fn field<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The texts of a list; empty if there are none.
fn list_of(value: &Value, name: &str) -> String {
    let items = value.get(name).and_then(Value::as_array).unwrap_or_default();
    let items: Vec<_> = items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect();
    if items.is_empty() { String::new() } else { joined(&items) }
}

const HEAD: [&str; 6] = ["ID", "TITLE", "FORMAT", "AUTHOR", "VISIBILITY", "SIGNED AT"];

/// A table of artifacts.
pub(super) fn list(found: &Found, offset: u64, look: Look) -> String {
    let rows: Vec<_> = found.results.iter().map(row).collect();
    if rows.is_empty() && found.total == 0 {
        return "no artifacts; `cairn artifact publish` publishes one\n".to_owned() + &notes(found);
    }
    columns(HEAD, &rows, look) + &sum(found, offset, look) + &notes(found)
}

fn row(artifact: &FoundArtifact) -> [String; 6] {
    [
        text(&artifact.id),
        cut(&text(&artifact.title), TITLE_CHARS),
        text(&artifact.format),
        text(&artifact.user_id),
        text(&artifact.visibility),
        text(&artifact.created_at),
    ]
}

/// Blocks of artifacts, each with its preview.
pub(super) fn found(found: &Found, offset: u64, look: Look) -> String {
    let mut out: String = found.results.iter().map(|artifact| block(artifact, look) + "\n").collect();
    if found.total == 0 {
        out += "nothing was found\n";
    } else {
        out += &sum(found, offset, look);
    }
    if !found.ignored.is_empty() {
        out += &format!("ignored terms, which are too common: {}\n", joined(&found.ignored));
    }
    for meant in &found.suggestions {
        out += &format!("did you mean: {}\n", text(meant));
    }
    out + &notes(found)
}

/// An artifact that was found, with the beginning of its content.
pub(in crate::command) fn block(artifact: &FoundArtifact, look: Look) -> String {
    let mut facts = vec![text(&artifact.format), format!("by {}", text(&artifact.user_id))];
    facts.push(text(&artifact.created_at));
    facts.extend((!artifact.tags.is_empty()).then(|| format!("tags {}", joined(&artifact.tags))));
    facts.push(format!("relevance {:.2}", artifact.relevance));
    let mut out = format!(
        "{}  {}  {}\n",
        text(&artifact.id),
        look.bold(&text(&artifact.title)),
        look.dim(&facts.join("  "))
    );
    let preview = artifact.preview.split_whitespace().collect::<Vec<_>>().join(" ");
    if !preview.is_empty() {
        let room = look.width.map_or(usize::MAX, |width| width.saturating_sub(INDENT.len()).max(20));
        out += &format!("{INDENT}{}\n", cut(&text(&preview), room));
    }
    out
}

fn sum(found: &Found, offset: u64, look: Look) -> String {
    let shown = found.results.len() as u64;
    let end = offset.saturating_add(shown);
    if shown == found.total {
        return look.dim(&counted(found.total, "artifact")) + "\n";
    }
    let mut out = format!("{shown} of {}", counted(found.total, "artifact"));
    if shown > 0 && end < found.total {
        out += &format!("; more: the same with --offset {end}");
    }
    look.dim(&out) + "\n"
}

fn notes(found: &Found) -> String {
    // An index that is being rebuilt is behind as well; one note is enough.
    if found.rebuilding {
        return "note: the index is being rebuilt; some artifacts cannot be found yet\n".to_owned();
    }
    if found.behind {
        return "note: the newest artifacts may not be found yet; try again\n".to_owned();
    }
    String::new()
}

/// The first characters of a text.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Look = Look { colour: false, width: None };

    fn example(title: &str) -> FoundArtifact {
        FoundArtifact {
            id: "550e8400-e29b-41d4-a716-446655440000".into(),
            title: title.into(),
            summary: String::new(),
            created_at: "2026-11-18T12:34:56Z".into(),
            relevance: 0.944,
            preview: "two\n lines\u{1b}".into(),
            format: "markdown".into(),
            user_id: "ada".into(),
            tenant_id: "local".into(),
            team: String::new(),
            visibility: "org".into(),
            tags: vec!["a".into(), "b".into()],
            content_hash: "ab".repeat(32),
            reads: 1,
            downloads: 2,
            citations: 3,
        }
    }

    fn page(results: Vec<FoundArtifact>, total: u64) -> Found {
        Found {
            results,
            artifacts: None,
            total,
            query_time_ms: 1,
            ignored: Vec::new(),
            suggestions: vec!["other".into()],
            behind: false,
            rebuilding: false,
        }
    }

    #[test]
    fn lists_are_tables_and_searches_are_blocks() {
        let two = page(vec![example("Q3"), example(&"x".repeat(60))], 7);
        insta::assert_snapshot!("list", list(&two, 0, PLAIN));
        insta::assert_snapshot!("found", found(&two, 5, PLAIN));
        let none = page(Vec::new(), 0);
        assert!(list(&none, 0, PLAIN).starts_with("no artifacts"));
        assert_eq!(found(&none, 0, PLAIN), "nothing was found\ndid you mean: other\n");
        let rebuilding = Found { rebuilding: true, behind: true, ..page(Vec::new(), 0) };
        assert_eq!(list(&rebuilding, 0, PLAIN).lines().count(), 2);
    }

    #[test]
    fn an_artifact_is_a_table_of_what_it_says() {
        let json = r#"{"id":"550e8400-e29b-41d4-a716-446655440000","title":"Q3\u001b","user_id":"ada",
            "tenant_id":"local","format":"markdown","visibility":"org","timestamp":"2026-11-18T12:34:56Z",
            "content_hash":"00","tags":["a","b"],"lineage":{"parent_reports":["p"],"query":""},
            "_cairn":{"attested_by":"node","public_key":"aa","has_content":true,"content_bytes":2048,
            "cid":"bafk","reads":1,"downloads":0,"citations":2}}"#;
        let json = JsonText::from_text(json.to_owned()).expect("JSON");
        insta::assert_snapshot!("artifact", artifact(&json).expect("an artifact"));
        assert_eq!(
            published(&json, PLAIN),
            "550e8400-e29b-41d4-a716-446655440000  Q3\\u{1b}  markdown, 2.00 KiB, org, signed by the node\n"
        );
    }
}
