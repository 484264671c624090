//! domain-contradictions: current requirements do not contradict each other. The logic is in `contradiction`.
//!
//! The fix lets the requirement whose id comes last supersede the one whose id comes first, which ends the
//! contradiction, because each smallest set needs all its members. Ids are the order, because a branch in memory knows
//! no times; a person decides which requirement is the newer one.

use super::Rule;
use super::explain::violation;
use super::finding::Finding;
use super::fix::upsert;
use super::table::{Touch, View};
use crate::tools::{UpsertInput, Violation};
use crate::{EntityType, NodeKey, Relation};

pub(crate) fn affected(touch: Touch<'_>, subjects: &mut Vec<NodeKey>) {
    subjects.extend(&touch.moved.conflicts);
}

pub(crate) fn check(view: View<'_>, subject: NodeKey, found: &mut Vec<Finding>) {
    let conflicts = view.derived.contradictions.at(subject).zip(0..);
    found.extend(conflicts.map(|(conflict, at)| Finding {
        entity: conflict.entity_id().into(),
        problem: 0,
        other: conflict.facts.join("/").into(),
        subject,
        at,
    }));
}

pub(crate) fn explain(view: View<'_>, finding: &Finding) -> Violation {
    let at = usize::try_from(finding.at).unwrap_or(usize::MAX);
    let conflict = view.derived.contradictions.at(finding.subject).nth(at);
    let (requirements, reason) =
        conflict.map_or((&[][..], ""), |conflict| (&conflict.requirements[..], &conflict.reason));
    let (suggestion, fix) = match requirements {
        [old, .., new] => (
            format!(
                "decide which one holds: let it supersede another one ({new} supersedes {old} in the fix, by the order \
                 of their ids), deprecate one, or correct a fact"
            ),
            vec![supersede(new, old)],
        ),
        [_] | [] => ("the requirement contradicts itself: correct one of its facts".to_owned(), Vec::new()),
    };
    violation(
        view.branch,
        Rule::DomainContradictions,
        finding,
        format!("{reason} [strict-readiness: contradiction-ready]"),
        suggestion,
        fix,
    )
}

fn supersede(new: &str, old: &str) -> UpsertInput {
    upsert(EntityType::Req, new, []).linked(Relation::Supersedes, old)
}

#[cfg(test)]
mod tests {
    use crate::check::Rule::DomainContradictions as RULE;
    use crate::check::tests::{Builder, finds};

    fn claims(a: &str, b: &str) -> Builder {
        Builder::new("req:B req:A")
            .subject("S", "s")
            .property("PA", "s", "p", a)
            .property("PB", "s", "p", b)
            .link("A constrains S")
            .link("B constrains S")
            .link("A requires_property PA")
            .link("B requires_property PB")
    }

    #[test]
    fn just_violates() {
        let text = "Value conflict on s.p: eq x vs eq y [strict-readiness: contradiction-ready]";
        finds(&claims("x", "y"), RULE, &[("A/B", text)]);
    }

    #[test]
    fn just_does_not_violate() {
        finds(&claims("x", "x"), RULE, &[]);
        finds(&claims("x", "y").status("A", "deprecated"), RULE, &[]);
        finds(&claims("x", "y").link("B supersedes A"), RULE, &[]);
        finds(&claims("x", "y").without("PA"), RULE, &[]);
    }
}
