//! no-dangling-refs: relationships of all sixteen types start and end at entities that exist.
//!
//! The violation names the end that is missing by the number that it had. Its id is not known any more.

use super::Rule;
use super::explain::{name, violation};
use super::finding::Finding;
use super::table::{Touch, View};
use crate::tools::Violation;
use crate::{NodeKey, Relation};

pub(crate) fn affected(touch: Touch<'_>, subjects: &mut Vec<NodeKey>) {
    let Touch { branch, delta, .. } = touch;
    subjects.extend(delta.all_edges().map(|edge| edge.from));
    let renamed = delta.changed(branch, |before, after| before.id != after.id);
    for key in renamed {
        subjects.push(key);
        subjects.extend(branch.incoming(key).map(|(_, from)| from));
    }
}

pub(crate) fn check(view: View<'_>, subject: NodeKey, found: &mut Vec<Finding>) {
    let View { branch, .. } = view;
    let start = branch.node(subject);
    for (relation, to) in branch.out(subject) {
        let end = branch.node(to);
        if start.is_some() && end.is_some() {
            continue;
        }
        let (missing, other) = if start.is_none() { (subject, to) } else { (to, subject) };
        let finding = Finding::new(subject, &format!("#{}", missing.0), relation as u8);
        found.push(finding.with(to, &name(branch, other)));
    }
}

pub(crate) fn explain(view: View<'_>, finding: &Finding) -> Violation {
    let View { branch, .. } = view;
    let relation = Relation::ALL[usize::from(finding.problem)];
    let (from, to) = (name(branch, finding.subject), name(branch, finding.other_key()));
    let (end, todo) = match branch.node(finding.subject) {
        None => ("start", format!("restore the entity that was {from}, or rebuild the branch")),
        Some(_) => (
            "end",
            format!(
                "restore the entity that was {to}, or delete {from} with kb_delete and upsert it again; kb_upsert \
                 removes no relationships"
            ),
        ),
    };
    let description = format!("the {end} of {from} {relation} {to} does not exist");
    // The reference leaves the source empty: the entity that it would belong to is missing.
    Violation {
        source: String::new(),
        ..violation(branch, Rule::NoDanglingRefs, finding, description, todo, Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use crate::Relation;
    use crate::check::Rule::NoDanglingRefs as RULE;
    use crate::check::tests::{Builder, finds};

    #[test]
    fn each_type_of_relationship_just_violates_and_just_does_not() {
        for relation in Relation::ALL {
            let linked = Builder::new("req:A req:B").link(&format!("A {relation} B"));
            finds(&linked, RULE, &[]);
            let (a, b) = (linked.key("A").0, linked.key("B").0);
            let text = format!("the end of A {relation} #{b} does not exist");
            finds(&linked.clone().without("B"), RULE, &[(&format!("#{b}"), &text)]);
            let text = format!("the start of #{a} {relation} B does not exist");
            finds(&linked.without_keeping_links("A"), RULE, &[(&format!("#{a}"), &text)]);
        }
    }
}
