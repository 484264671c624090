//! A part of the graph in the languages of Graphviz and Mermaid.

use std::collections::BTreeMap;
use std::fmt::Write;

use cairn_base::Harmless;
use cairn_kb::EntityType;
use cairn_kb::tools::{GraphNode, GraphOutput};

use super::text::cut;

/// Characters of a title in a drawing.
const TITLE_CHARS: usize = 48;

/// Writes the DOT language. Each type has a shape of its own.
pub(super) fn dot(output: &GraphOutput) -> String {
    let mut out = "digraph kb {\n  rankdir=LR;\n  node [shape=box];\n".to_owned();
    for node in &output.nodes {
        let shape = match node.kind {
            EntityType::Req => "box",
            EntityType::Scenario => "note",
            EntityType::Test => "hexagon",
            EntityType::Adr => "octagon",
            EntityType::Flag => "diamond",
            EntityType::Event => "ellipse",
            EntityType::Symbol => "component",
            EntityType::Fact => "plaintext",
        };
        let label = format!("{}\\n{}", quotable(&node.id), quotable(&title(node)));
        // Writing to a text does not fail.
        let _ = writeln!(out, "  \"{}\" [shape={shape}, label=\"{label}\"];", quotable(&node.id));
    }
    for edge in &output.edges {
        let (from, to) = (quotable(&edge.from), quotable(&edge.to));
        let _ = writeln!(out, "  \"{from}\" -> \"{to}\" [label=\"{}\"];", edge.relation);
    }
    out + "}\n"
}

/// Writes a Mermaid flowchart.
pub(super) fn mermaid(output: &GraphOutput) -> String {
    let mut out = "flowchart LR\n".to_owned();
    // Ids are numbers of ours: nothing from outside stands where Mermaid expects a name.
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    for node in &output.nodes {
        let number = numbers.len();
        numbers.entry(&node.id).or_insert(number);
        let label = format!("{}<br/>{}", coded(&node.id), coded(&title(node)));
        let _ = writeln!(out, "  n{number}[\"{label}\"]");
    }
    for edge in &output.edges {
        if let (Some(from), Some(to)) = (numbers.get(edge.from.as_str()), numbers.get(edge.to.as_str())) {
            let _ = writeln!(out, "  n{from} -->|{}| n{to}", edge.relation);
        }
    }
    out
}

fn title(node: &GraphNode) -> String {
    cut(&node.title, TITLE_CHARS)
}

/// Text between quotes of DOT, in which nothing has a meaning of its own.
fn quotable(text: &str) -> String {
    Harmless(text).to_string().replace('\\', "\\\\").replace('"', "\\\"")
}

/// Text between quotes of Mermaid: ASCII other than letters, digits and plain punctuation as entity codes.
fn coded(text: &str) -> String {
    let mut out = String::new();
    for character in Harmless(text).to_string().chars() {
        let is_plain =
            !character.is_ascii() || character.is_ascii_alphanumeric() || " .,:()/_-".contains(character);
        if is_plain {
            out.push(character);
        } else {
            let _ = write!(out, "#{};", u32::from(character));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use cairn_kb::Relation;
    use cairn_kb::tools::GraphEdge;

    use super::*;

    fn output() -> GraphOutput {
        let node = |id: &str, kind, title: &str| GraphNode {
            id: id.to_owned(),
            kind,
            title: title.to_owned(),
            status: "open".to_owned(),
        };
        let edge = |from: &str, relation, to: &str| GraphEdge { relation, from: from.into(), to: to.into() };
        GraphOutput {
            nodes: vec![
                node("REQ-1", EntityType::Req, "A \"quoted\" \\ title\u{1b}"),
                node("T\"];x", EntityType::Test, &"ä".repeat(60)),
            ],
            edges: vec![
                edge("REQ-1", Relation::VerifiedBy, "T\"];x"),
                edge("REQ-1", Relation::RelatesTo, "elsewhere"),
            ],
            ..GraphOutput::default()
        }
    }

    #[test]
    fn nothing_leaves_its_quotes_in_dot() {
        let title = "ä".repeat(47);
        assert_eq!(
            dot(&output()),
            format!(
                "digraph kb {{\n  rankdir=LR;\n  node [shape=box];\n  \
                 \"REQ-1\" [shape=box, label=\"REQ-1\\nA \\\"quoted\\\" \\\\ title\\\\u{{1b}}\"];\n  \
                 \"T\\\"];x\" [shape=hexagon, label=\"T\\\"];x\\n{title}…\"];\n  \
                 \"REQ-1\" -> \"T\\\"];x\" [label=\"verified_by\"];\n  \
                 \"REQ-1\" -> \"elsewhere\" [label=\"relates_to\"];\n}}\n"
            )
        );
    }

    #[test]
    fn nothing_leaves_its_quotes_in_mermaid() {
        let title = "ä".repeat(47);
        assert_eq!(
            mermaid(&output()),
            format!(
                "flowchart LR\n  n0[\"REQ-1<br/>A #34;quoted#34; #92; title#92;u#123;1b#125;\"]\n  \
                 n1[\"T#34;#93;#59;x<br/>{title}…\"]\n  n0 -->|verified_by| n1\n"
            )
        );
    }
}
