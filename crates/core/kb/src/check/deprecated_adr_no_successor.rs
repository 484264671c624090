//! deprecated-adr-no-successor: another decision supersedes a decision that is `superseded` or `deprecated`.

use super::Rule;
use super::explain::violation;
use super::finding::Finding;
use super::fix::{new_entity, new_id, placeholder};
use super::table::{Touch, View};
use crate::tools::{UpsertInput, Violation};
use crate::{Branch, EntityType, NodeKey, Relation};

pub(crate) fn affected(touch: Touch<'_>, subjects: &mut Vec<NodeKey>) {
    subjects.extend(touch.delta.nodes());
    subjects.extend(touch.delta.edges(&[Relation::Supersedes]).map(|edge| edge.to));
}

pub(crate) fn check(view: View<'_>, subject: NodeKey, found: &mut Vec<Finding>) {
    let View { branch, .. } = view;
    let Some(node) = branch.node(subject).filter(|node| node.kind == EntityType::Adr) else { return };
    let is_over = matches!(&*node.status, "superseded" | "deprecated");
    if is_over && branch.sources(subject, Relation::Supersedes).next().is_none() {
        found.push(Finding::new(subject, &node.id, 0));
    }
}

pub(crate) fn explain(view: View<'_>, finding: &Finding) -> Violation {
    let status = view.branch.node(finding.subject).map_or("", |node| &*node.status);
    violation(
        view.branch,
        Rule::DeprecatedAdrNoSuccessor,
        finding,
        format!("no decision supersedes this one, whose status is {status}"),
        "link the decision that replaced it with supersedes, from the new one to this one".to_owned(),
        payload(view.branch, finding.subject).into_iter().collect(),
    )
}

fn payload(branch: &Branch, key: NodeKey) -> Option<UpsertInput> {
    let node = branch.node(key)?;
    let id = new_id(branch, "NEW-", &node.id)?;
    let successor = new_entity(EntityType::Adr, &id, placeholder("decision that replaces", node));
    Some(successor.linked(Relation::Supersedes, &node.id))
}

#[cfg(test)]
mod tests {
    use crate::check::Rule::DeprecatedAdrNoSuccessor as RULE;
    use crate::check::tests::{Builder, finds};

    #[test]
    fn just_violates() {
        for status in ["superseded", "deprecated"] {
            let text = format!("no decision supersedes this one, whose status is {status}");
            finds(&Builder::new("adr:A").status("A", status), RULE, &[("A", &text)]);
            // The direction counts: from the new one to the old one.
            let backwards = Builder::new("adr:A adr:B").status("A", status).link("A supersedes B");
            finds(&backwards, RULE, &[("A", &text)]);
        }
    }

    #[test]
    fn just_does_not_violate() {
        for status in ["superseded", "deprecated"] {
            let builder = Builder::new("adr:A adr:B").status("A", status).link("B supersedes A");
            finds(&builder, RULE, &[]);
        }
        for status in ["accepted", "proposed", "archived"] {
            finds(&Builder::new("adr:A").status("A", status), RULE, &[]);
        }
        finds(&Builder::new("req:A").status("A", "deprecated"), RULE, &[]);
    }
}
