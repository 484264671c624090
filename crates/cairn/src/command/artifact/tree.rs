//! A lineage drawn as a tree.

use std::collections::{HashMap, HashSet};

use cairn_wire::artifacts::{Lineage, LineageItem};

use crate::command::answer::text;
use crate::terminal::Look;

/// Characters that a tree is drawn with.
struct Strokes {
    branch: &'static str,
    last: &'static str,
    line: &'static str,
}

const BOXES: Strokes = Strokes { branch: "├─ ", last: "└─ ", line: "│  " };
const ASCII: Strokes = Strokes { branch: "|- ", last: "`- ", line: "|  " };
const SPACE: &str = "   ";

/// Draws the ancestors of an artifact and what was derived from it. An artifact that is reached twice is drawn once.
pub(super) fn tree(lineage: &Lineage, look: Look) -> String {
    let items: HashMap<_, _> = lineage.lineage.iter().map(|item| (item.id.as_str(), item)).collect();
    let strokes = if look.width.is_some() { BOXES } else { ASCII };
    let root = lineage.artifact_id.as_str();
    let mut drawing = Drawing { items, look, strokes, seen: HashSet::from([root]), out: String::new() };
    drawing.out = drawing.label(root, true) + "\n";
    let up = lineage.edges.iter().map(|edge| (edge.to.as_str(), edge.from.as_str(), edge.attested));
    drawing.section("derived from", root, &neighbours(up));
    let down = lineage.edges.iter().map(|edge| (edge.from.as_str(), edge.to.as_str(), edge.attested));
    drawing.section("derivatives", root, &neighbours(down));
    let mut out = drawing.out;
    if lineage.edges.is_empty() && !lineage.truncated {
        out += &(look.dim("no ancestors and no derivatives within reach") + "\n");
    }
    if lineage.truncated {
        let more = format!("truncated: at least {} more; raise --depth or --limit", lineage.left_out.max(1));
        out += &(look.dim(&more) + "\n");
    }
    out
}

/// The neighbours of each artifact in one direction, and whether the edge is signed.
type Neighbours<'a> = HashMap<&'a str, Vec<(&'a str, bool)>>;

fn neighbours<'a>(edges: impl Iterator<Item = (&'a str, &'a str, bool)>) -> Neighbours<'a> {
    let mut found = Neighbours::new();
    for (of, next, attested) in edges {
        found.entry(of).or_default().push((next, attested));
    }
    found
}

struct Drawing<'a> {
    items: HashMap<&'a str, &'a LineageItem>,
    look: Look,
    strokes: Strokes,
    seen: HashSet<&'a str>,
    out: String,
}

impl<'a> Drawing<'a> {
    fn section(&mut self, heading: &str, root: &'a str, next: &Neighbours<'a>) {
        if next.get(root).is_some_and(|next| !next.is_empty()) {
            self.out += &format!("{heading}:\n");
            self.branches(root, next, "");
        }
    }

    /// As deep as a request may ask for, which is no deeper than a stack is.
    fn branches(&mut self, of: &str, next: &Neighbours<'a>, indent: &str) {
        let Some(children) = next.get(of) else { return };
        for (at, (id, attested)) in children.iter().enumerate() {
            let is_last = at + 1 == children.len();
            let stroke = if is_last { self.strokes.last } else { self.strokes.branch };
            let is_new = self.seen.insert(id);
            let mut line = self.label(id, is_new);
            if !attested {
                line += &self.look.dim(" (not signed)");
            }
            if !is_new {
                line += &self.look.dim(" (shown above)");
            }
            self.out += &format!("{indent}{stroke}{line}\n");
            if is_new {
                let indent = format!("{indent}{}", if is_last { SPACE } else { self.strokes.line });
                self.branches(id, next, &indent);
            }
        }
    }

    fn label(&self, id: &str, is_whole: bool) -> String {
        let shown = text(id);
        let Some(item) = self.items.get(id).filter(|_| is_whole) else { return shown };
        let mark = match item {
            LineageItem { redacted: true, .. } => "[redacted]",
            LineageItem { missing: true, .. } => "[missing]",
            LineageItem { deleted: true, .. } => "[deleted]",
            _ => "",
        };
        let mut parts = vec![shown];
        parts.extend(item.title.as_deref().map(|title| self.look.bold(&text(title))));
        parts.extend((!mark.is_empty()).then(|| mark.to_owned()));
        let facts = [
            item.format.as_deref().map(text),
            item.author.as_deref().map(|author| format!("by {}", text(author))),
            item.created_at.as_deref().map(text),
        ];
        let facts: Vec<_> = facts.into_iter().flatten().collect();
        parts.extend((!facts.is_empty()).then(|| self.look.dim(&facts.join(", "))));
        parts.join("  ")
    }
}

#[cfg(test)]
mod tests {
    use cairn_wire::artifacts::LineageEdge;

    use super::*;

    fn item(id: &str) -> LineageItem {
        LineageItem {
            id: id.into(),
            title: Some(format!("Title {id}")),
            author: Some("ada".into()),
            format: Some("csv".into()),
            ..LineageItem::default()
        }
    }

    fn diamond() -> Lineage {
        let bare = |id: &str| LineageItem { id: id.into(), ..LineageItem::default() };
        let edge =
            |from: &str, to: &str, attested| LineageEdge { from: from.into(), to: to.into(), attested };
        Lineage {
            artifact_id: "me".into(),
            lineage: vec![
                item("root"),
                LineageItem { redacted: true, ..bare("hidden") },
                LineageItem { missing: true, ..bare("absent") },
                LineageItem { deleted: true, ..item("left") },
                item("right"),
                item("me"),
                item("child\u{1b}"),
            ],
            ancestors: Vec::new(),
            descendants: Vec::new(),
            edges: vec![
                edge("left", "me", true),
                edge("right", "me", false),
                edge("root", "left", true),
                edge("root", "right", true),
                edge("hidden", "root", true),
                edge("absent", "right", true),
                edge("me", "child\u{1b}", true),
            ],
            truncated: true,
            left_out: 3,
        }
    }

    #[test]
    fn shared_ancestors_are_drawn_once_and_gaps_are_marked() {
        insta::assert_snapshot!("ascii", tree(&diamond(), Look { colour: false, width: None }));
        insta::assert_snapshot!("boxes", tree(&diamond(), Look { colour: false, width: Some(80) }));
        let alone = Lineage { edges: Vec::new(), truncated: false, ..diamond() };
        assert!(tree(&alone, Look { colour: false, width: None }).contains("no ancestors"));
    }

    #[test]
    fn a_thousand_levels_are_drawn() {
        let names: Vec<_> = (0..1001).map(|at| format!("n{at}")).collect();
        let edges = names.windows(2).map(|pair| LineageEdge {
            from: pair[1].clone(),
            to: pair[0].clone(),
            attested: true,
        });
        let chain = Lineage {
            artifact_id: "n0".into(),
            lineage: names.iter().map(|name| item(name)).collect(),
            edges: edges.collect(),
            truncated: false,
            ..diamond()
        };
        assert_eq!(tree(&chain, Look { colour: true, width: Some(80) }).lines().count(), 1002);
    }
}
