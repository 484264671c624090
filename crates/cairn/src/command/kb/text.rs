//! Tables and lines about entities.

use cairn_base::Value;
use cairn_kb::Relation;
use cairn_kb::tools::EntityJson;

use super::options::PageArgs;
use crate::command::answer::text;
use crate::command::kip::table::Table;
use crate::terminal::Look;

/// One of something, and several.
pub(super) type Names = [&'static str; 2];

pub(super) const ENTITIES: Names = ["entity", "entities"];
pub(super) const ROWS: Names = ["row", "rows"];
pub(super) const VIOLATIONS: Names = ["violation", "violations"];

/// So many of something.
pub(super) fn counted(count: u64, [one, many]: Names) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A table with these heads, as wide as the terminal.
pub(super) fn table<const N: usize>(heads: [&str; N], rows: Vec<[String; N]>, look: Look) -> String {
    let heads = heads.map(str::to_owned).to_vec();
    Table { heads, rows: rows.into_iter().map(|row| row.to_vec()).collect() }.render(look)
}

/// The line below a page: how many there are, and how to go on.
pub(super) fn sum(shown: usize, count: u64, names: Names, page: PageArgs, look: Look) -> String {
    if shown as u64 == count {
        return look.dim(&counted(count, names)) + "\n";
    }
    let mut line = format!("{shown} of {}", counted(count, names));
    if let Some(next) = page.next(shown, count) {
        line += &format!("; more: the same with --offset {next}");
    }
    look.dim(&line) + "\n"
}

/// Relationship types in one cell.
pub(super) fn relations(relations: &[Relation]) -> String {
    relations.iter().map(|relation| relation.text()).collect::<Vec<_>>().join(", ")
}

/// A property for people: texts without quotes, lists with commas.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::String(said) => text(said),
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => text(&value.to_json()),
    }
}

/// Every property of an entity, one line each; a body of several lines is below the others.
pub(super) fn entity(entity: &EntityJson) -> String {
    let first = ["id", "type", "title", "status"];
    let own = first.iter().filter_map(|name| Some((*name, entity.0.get(*name)?)));
    let others = entity.0.iter().map(|(name, value)| (name.as_str(), value));
    let others = others.filter(|(name, _)| !first.contains(name) && *name != "body");
    let rows: Vec<_> = own.chain(others).map(|(name, value)| [text(name), shown(value)]).collect();
    let mut out = crate::command::table(&rows);
    let body = entity.text("body");
    if !body.is_empty() {
        out += &format!("\n{}\n", lines(body.trim_end()));
    }
    out
}

/// Text of several lines that does nothing to a terminal.
pub(super) fn lines(said: &str) -> String {
    said.split('\n').map(|line| text(line.trim_end_matches('\r'))).collect::<Vec<_>>().join("\n")
}

/// Tools and their parameters, and the commands and flags in their place; longer ones before those that they contain.
const COMMANDS: &[(&str, &str)] = &[
    ("subjectKey, propertyKey, operator, value", "--subject, --property, --operator, --value"),
    ("subjectKey, propertyKey, operator and value", "--subject, --property, --operator and --value"),
    ("propertyKey, operator, value", "--property, --operator, --value"),
    ("operator, value", "--operator, --value"),
    ("subjectKey", "--subject"),
    ("propertyKey", "--property"),
    ("subjectHint", "--subject"),
    ("requirementId", "--requirement"),
    ("maxCandidates", "--max"),
    ("minScore", "--min-score"),
    ("kb_model_requirement", "`cairn kb model`"),
    ("kb_suggest_predicates", "`cairn kb suggest`"),
    ("kb_semantic_advisor", "`cairn kb advise`"),
    ("kb_validate_upsert", "`cairn kb validate`"),
    ("kb_upsert", "`cairn kb upsert`"),
    ("kb_delete", "`cairn kb delete`"),
    ("kb_search", "`cairn kb search`"),
    ("kb_query", "`cairn kb query`"),
];

/// A remark in words of the command line: commands in place of tools, flags in place of their parameters.
pub(super) fn commands(said: &str) -> String {
    let plain = COMMANDS.iter().filter(|(tool, _)| said.contains(tool));
    plain.fold(said.to_owned(), |said, (tool, command)| {
        said.replace(&format!("`{tool}`"), tool).replace(tool, command)
    })
}

/// The text of a tool for people, its remarks in words of the command line. Other lines quote what is stored.
pub(super) fn remarks(said: &str) -> String {
    let is_remark =
        |line: &str| ["Apply ", "Next: ", "Warning: ", "Error: "].iter().any(|start| line.starts_with(start));
    let reworded =
        said.split('\n').map(|line| if is_remark(line) { commands(line) } else { line.to_owned() });
    lines(&reworded.collect::<Vec<_>>().join("\n"))
}

/// The first characters of a text.
pub(super) fn cut(said: &str, most: usize) -> String {
    if said.chars().count() <= most {
        return said.to_owned();
    }
    said.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Look = Look { colour: false, width: None };

    #[test]
    fn remarks_name_commands_and_flags() {
        for (said, expected) in [
            (
                "Next: kb_model_requirement, kb_suggest_predicates",
                "Next: `cairn kb model`, `cairn kb suggest`",
            ),
            ("Warning: send `kb_upsert` again", "Warning: send `cairn kb upsert` again"),
            (
                "Warning: send subjectKey, propertyKey, operator and value to model it",
                "Warning: send --subject, --property, --operator and --value to model it",
            ),
            ("1. fact F (kb_upsert is a tool)", "1. fact F (kb_upsert is a tool)"),
        ] {
            assert_eq!(remarks(said), expected);
        }
    }

    #[test]
    fn an_entity_is_lines_with_its_body_below() {
        let json = r##"{"id": "REQ-1", "body": "# A\u001b\n\nb\n", "tags": ["x", "y"], "status": "open",
                       "title": "T", "type": "req", "closed_world": true}"##;
        let read: EntityJson = serde_json::from_str(json).expect("an entity");
        assert_eq!(
            entity(&read),
            "id            REQ-1\ntype          req\ntitle         T\nstatus        open\n\
             closed_world  true\ntags          x, y\n\n# A\\u{1b}\n\nb\n"
        );
    }

    #[test]
    fn the_sum_says_how_to_go_on() {
        let page = |offset| PageArgs { limit: Some(2), offset };
        assert_eq!(sum(2, 2, ENTITIES, page(None), PLAIN), "2 entities\n");
        assert_eq!(sum(2, 9, ROWS, page(Some(3)), PLAIN), "2 of 9 rows; more: the same with --offset 5\n");
        assert_eq!(sum(2, 9, ROWS, page(Some(7)), PLAIN), "2 of 9 rows\n");
        assert_eq!(sum(0, 9, ROWS, page(Some(70)), PLAIN), "0 of 9 rows\n");
    }
}
