//! Differences between two branches, for people.

use std::collections::BTreeSet;

use cairn_kb::tools::{EntityJson, GraphEdge};
use cairn_wire::kb::{KbChanged, KbDiff};

use crate::command::answer::text;
use crate::terminal::Look;

/// One line per difference: `+` for what only the second branch has, `-` for what only the first has, `~` for what
/// differs.
pub(super) fn to_text(diff: &KbDiff, look: Look) -> String {
    let mut out = String::new();
    for entity in &diff.added {
        let [id, kind, title] = ["id", "type", "title"].map(|name| text(entity.text(name)));
        out += &format!("+ {id}  {}  {}\n", look.bold(&title), look.dim(&kind));
    }
    for id in &diff.removed {
        out += &format!("- {}\n", text(id));
    }
    for KbChanged { from, to } in &diff.changed {
        out += &format!("~ {}  {}\n", text(to.text("id")), look.dim(&changed(from, to).join(", ")));
    }
    let edge = |edge: &GraphEdge| format!("{} {} {}\n", text(&edge.from), edge.relation, text(&edge.to));
    out.extend(diff.links_added.iter().map(|added| format!("+ {}", edge(added))));
    out.extend(diff.links_removed.iter().map(|removed| format!("- {}", edge(removed))));
    if out.is_empty() {
        out += "no differences\n";
    }
    if diff.truncated {
        out += "note: there are more differences than one response holds\n";
    }
    out
}

/// Names of the properties that differ.
fn changed(from: &EntityJson, to: &EntityJson) -> Vec<String> {
    let names: BTreeSet<&String> = from.0.keys().chain(to.0.keys()).collect();
    let differing = names.into_iter().filter(|name| from.0.get(*name) != to.0.get(*name));
    differing.filter(|name| *name != "updated_at").map(|name| text(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_lines() {
        let diff: KbDiff = serde_json::from_str(
            r#"{"added": [{"id": "A", "type": "req", "title": "New\u001b"}], "removed": ["B"],
                "changed": [{"from": {"id": "C", "status": "open", "updated_at": "1"},
                             "to": {"id": "C", "status": "closed", "owner": "ada", "updated_at": "2"}}],
                "linksAdded": [{"type": "depends_on", "from": "A", "to": "C"}],
                "linksRemoved": [{"type": "depends_on", "from": "B", "to": "C"}], "truncated": true}"#,
        )
        .expect("a diff");
        let look = Look { colour: false, width: None };
        assert_eq!(
            to_text(&diff, look),
            "+ A  New\\u{1b}  req\n- B\n~ C  owner, status\n+ A depends_on C\n- B depends_on C\n\
             note: there are more differences than one response holds\n"
        );
        assert_eq!(to_text(&KbDiff::default(), look), "no differences\n");
    }
}
