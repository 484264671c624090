//! A lineage as a Graphviz graph.

use std::fmt::Write;

use cairn_base::Harmless;

use crate::limits::GRAPH_LABEL_CHARS_MAX;
use crate::view::{LineageNode, by_id};

/// Writes a lineage in the DOT language; edges lead from parents to children, unattested ones are dashed.
pub fn dot(nodes: &[LineageNode]) -> String {
    let mut out = "digraph lineage {\n  rankdir=TB;\n  node [shape=box];\n".to_owned();
    for (id, node) in by_id(nodes) {
        let style = match node {
            Some(LineageNode::Known(_)) => "",
            Some(LineageNode::Redacted { .. }) => ", style=filled",
            Some(LineageNode::Missing { .. }) | None => ", style=dotted",
        };
        // Writing to a text does not fail.
        let _ = writeln!(out, "  {} [label={}{style}];", quoted(id), quoted(&label(node)));
    }
    for node in by_id(nodes).into_values().flatten() {
        for parent in node.parents() {
            let style = if parent.attested { "" } else { " [style=dashed]" };
            let _ = writeln!(out, "  {} -> {}{style};", quoted(&parent.id), quoted(node.id()));
        }
    }
    out.push_str("}\n");
    out
}

/// The text that a node of a drawn graph shows.
pub(crate) fn label(node: Option<&LineageNode>) -> String {
    match node {
        Some(LineageNode::Known(node)) => {
            let mut title: String = node.title.chars().take(GRAPH_LABEL_CHARS_MAX).collect();
            if title.len() < node.title.len() {
                title.push('…');
            }
            title
        }
        Some(LineageNode::Redacted { .. }) => "(redacted)".to_owned(),
        Some(LineageNode::Missing { .. }) | None => "(missing)".to_owned(),
    }
}

/// A quoted string, in which nothing has a meaning of its own.
fn quoted(text: &str) -> String {
    let escaped = Harmless(text).to_string().replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::KnownNode;
    use crate::view::tests::{ABSENT, CHILD, HIDDEN, ROOT, lineage};

    #[test]
    fn lineages_are_drawn() {
        let expected = format!(
            "digraph lineage {{\n  rankdir=TB;\n  node [shape=box];\n  \"{ROOT}\" [label=\"Root\"];\n  \
             \"{CHILD}\" [label=\"Q3 \\\"risk\\\" <report>\"];\n  \"{HIDDEN}\" [label=\"(redacted)\", \
             style=filled];\n  \"{ABSENT}\" [label=\"(missing)\", style=dotted];\n  \"{ROOT}\" -> \"{CHILD}\";\n  \
             \"{HIDDEN}\" -> \"{CHILD}\" [style=dashed];\n  \"{ABSENT}\" -> \"{CHILD}\";\n}}\n"
        );
        assert_eq!(dot(&lineage()), expected);
    }

    #[test]
    fn titles_cannot_leave_their_quotes() {
        for (title, expected) in [
            ("\"]; evil [label=\"", r#""\"]; evil [label=\"""#),
            ("\\", r#""\\""#),
            ("\\\"", r#""\\\"""#),
            ("\\N\\G\nx", r#""\\N\\G\\u{a}x""#),
        ] {
            assert_eq!(quoted(title), expected);
        }
        let long = KnownNode { title: "ä".repeat(81), ..KnownNode::default() };
        assert_eq!(label(Some(&LineageNode::Known(Box::new(long)))), format!("{}…", "ä".repeat(80)));
    }
}
