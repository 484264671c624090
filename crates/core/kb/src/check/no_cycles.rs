//! no-cycles: requirements do not depend on themselves.
//!
//! Requirements that all depend on each other may form more cycles than anyone wants to read. The report has cycles
//! enough that each such requirement is on one, each set of requirements once, and every requirement that depends on
//! itself directly. A cycle begins at the entity whose id comes first.

use super::Rule;
use super::explain::{name, violation};
use super::finding::Finding;
use super::table::{Touch, View};
use crate::limits::CHECK_CYCLE_NAMES_MAX;
use crate::tools::Violation;
use crate::{Branch, NodeKey};

pub(crate) fn affected(touch: Touch<'_>, subjects: &mut Vec<NodeKey>) {
    subjects.extend(&touch.moved.cycles);
}

pub(crate) fn check(view: View<'_>, subject: NodeKey, found: &mut Vec<Finding>) {
    let Some(node) = view.branch.node(subject) else { return };
    let cycles = view.derived.cycles.at(subject);
    found.extend(cycles.map(|(at, _)| Finding { at, ..Finding::new(subject, &node.id, 0) }));
}

pub(crate) fn explain(view: View<'_>, finding: &Finding) -> Violation {
    let View { branch, derived } = view;
    let cycle = derived.cycles.cycle(finding.subject, finding.at);
    let mut names: Vec<String> =
        cycle.iter().take(CHECK_CYCLE_NAMES_MAX).map(|key| source_name(branch, *key)).collect();
    if cycle.len() > CHECK_CYCLE_NAMES_MAX {
        names.push(format!("… {} more", cycle.len() - CHECK_CYCLE_NAMES_MAX));
    }
    names.push(source_name(branch, finding.subject));
    let last = cycle.last().map(|last| name(branch, *last)).unwrap_or_default();
    violation(
        branch,
        Rule::NoCycles,
        finding,
        format!("circular dependency: {}", names.join(" → ")),
        format!(
            "remove one depends_on, for example that of {last} on {}; kb_upsert removes no relationships, so delete \
             an entity with kb_delete and upsert it again without it",
            finding.entity
        ),
        Vec::new(),
    )
}

/// The base name of the source of an entity, or its id if it has none.
fn source_name(branch: &Branch, key: NodeKey) -> String {
    let source = branch.node(key).map_or("", |node| &*node.source);
    let path = source.split('#').next().unwrap_or_default();
    match path.rsplit('/').next() {
        Some(base) if !base.is_empty() => base.to_owned(),
        Some(_) | None => name(branch, key),
    }
}

#[cfg(test)]
mod tests {
    use crate::check::Rule::NoCycles as RULE;
    use crate::check::tests::{Builder, finds};

    fn chain() -> Builder {
        Builder::new("req:A req:B req:C").link("A depends_on B").link("B depends_on C")
    }

    #[test]
    fn just_violates() {
        finds(&chain().link("C depends_on A"), RULE, &[("A", "circular dependency: A → B → C → A")]);
        finds(&chain().link("C depends_on B"), RULE, &[("B", "circular dependency: B → C → B")]);
        finds(&chain().link("C depends_on C"), RULE, &[("C", "circular dependency: C → C")]);
        let two = chain().link("B depends_on A").link("C depends_on B");
        let expected = [("A", "circular dependency: A → B → A"), ("B", "circular dependency: B → C → B")];
        finds(&two, RULE, &expected);
    }

    #[test]
    fn just_does_not_violate() {
        finds(&chain(), RULE, &[]);
        finds(&chain().link("A depends_on C"), RULE, &[]);
        finds(&chain().link("C relates_to A"), RULE, &[]);
        finds(&chain().link("C depends_on A").without("B"), RULE, &[]);
    }

    #[test]
    fn a_cycle_is_described_by_base_names_of_sources() {
        let sourced = chain().link("C depends_on A").set("B", |node| node.source = "docs/req/b.md#L3".into());
        finds(&sourced, RULE, &[("A", "circular dependency: A → b.md → C → A")]);
    }
}
