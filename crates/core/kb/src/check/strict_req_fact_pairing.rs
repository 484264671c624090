//! strict-req-fact-pairing: a current requirement `constrains` subject facts and `requires_property` property values
//! that belong together: for each subject a property value with the same `subject_key`, and the other way round.

use std::collections::BTreeSet;

use super::Rule;
use super::explain::{name, violation};
use super::finding::Finding;
use super::fix::{new_entity, new_id, placeholder, upsert};
use super::table::{Touch, View};
use crate::tools::{UpsertInput, Violation};
use crate::{Branch, EntityType, FactKind, Node, NodeKey, Relation};

const SUBJECT_ALONE: u8 = 0;
const PROPERTY_ALONE: u8 = 1;
const NOT_A_SUBJECT: u8 = 2;
const NOT_A_PROPERTY: u8 = 3;

pub(crate) fn affected(touch: Touch<'_>, subjects: &mut Vec<NodeKey>) {
    let Touch { branch, delta, .. } = touch;
    subjects.extend(delta.nodes());
    subjects.extend(delta.edges(&[Relation::Constrains, Relation::RequiresProperty]).map(|edge| edge.from));
    subjects.extend(delta.edges(&[Relation::Supersedes]).map(|edge| edge.to));
    let facts = delta.changed(branch, |before, after| {
        before.id != after.id || before.kind != after.kind || pairing(before) != pairing(after)
    });
    for fact in facts {
        subjects.extend(branch.sources(fact, Relation::Constrains));
        subjects.extend(branch.sources(fact, Relation::RequiresProperty));
    }
}

/// The fields of a fact that decide what it may be paired with.
fn pairing(node: &Node) -> (Option<FactKind>, Option<&str>) {
    let fact = node.fact.as_deref();
    (fact.and_then(|fact| fact.kind()), fact.and_then(|fact| fact.subject_key.as_deref()))
}

pub(crate) fn check(view: View<'_>, subject: NodeKey, found: &mut Vec<Finding>) {
    let View { branch, .. } = view;
    if !branch.is_current_requirement(subject) {
        return;
    }
    let Some(node) = branch.node(subject) else { return };
    let facts = |relation: Relation| {
        branch.targets(subject, relation).filter_map(|key| Some((key, branch.node(key)?)))
    };
    let keys = |relation: Relation, kind: FactKind| -> BTreeSet<&str> {
        let of_kind = facts(relation).filter(|(_, fact)| pairing(fact).0 == Some(kind));
        of_kind.filter_map(|(_, fact)| pairing(fact).1).collect()
    };
    let subjects = keys(Relation::Constrains, FactKind::Subject);
    let properties = keys(Relation::RequiresProperty, FactKind::PropertyValue);
    let sides = [
        (Relation::Constrains, FactKind::Subject, &properties, SUBJECT_ALONE, NOT_A_SUBJECT),
        (Relation::RequiresProperty, FactKind::PropertyValue, &subjects, PROPERTY_ALONE, NOT_A_PROPERTY),
    ];
    for (relation, kind, others, alone, other_kind) in sides {
        for (key, fact) in facts(relation) {
            let problem = match pairing(fact) {
                (found, subject_key) if found == Some(kind) => {
                    if subject_key.is_some_and(|subject_key| others.contains(subject_key)) {
                        continue;
                    }
                    alone
                }
                _ => other_kind,
            };
            found.push(Finding::new(subject, &node.id, problem).with(key, &fact.id));
        }
    }
}

pub(crate) fn explain(view: View<'_>, finding: &Finding) -> Violation {
    let View { branch, .. } = view;
    let fact = name(branch, finding.other_key());
    let subject_key = branch.node(finding.other_key()).and_then(|node| pairing(node).1).unwrap_or_default();
    let (description, suggestion) = match finding.problem {
        SUBJECT_ALONE => (
            format!("constrains {fact} (subject {subject_key:?}), but requires no property of this subject"),
            "link a property_value fact of the same subject_key with requires_property",
        ),
        PROPERTY_ALONE => (
            format!("requires {fact} (subject {subject_key:?}), but constrains no such subject"),
            "link a subject fact of the same subject_key with constrains",
        ),
        NOT_A_SUBJECT => (
            format!("constrains {fact}, which is no subject fact"),
            "constrain a subject fact; relate to this one with relates_to",
        ),
        _ => (
            format!("requires_property {fact}, which is no property_value fact"),
            "require a property_value fact; relate to this one with relates_to",
        ),
    };
    let fix = payloads(branch, finding, subject_key).unwrap_or_default();
    violation(branch, Rule::StrictReqFactPairing, finding, description, suggestion.to_owned(), fix)
}

/// The missing half of a pair. A link to a fact of another kind has no fix: an upsert removes no relationships.
fn payloads(branch: &Branch, finding: &Finding, subject_key: &str) -> Option<Vec<UpsertInput>> {
    let node = branch.node(finding.subject)?;
    if subject_key.is_empty() {
        return None;
    }
    let id = new_id(branch, "FACT-", &node.id)?;
    let fact = |what: &str, kind: FactKind| {
        new_entity(EntityType::Fact, &id, placeholder(what, node))
            .with("fact_kind", kind.text().into())
            .with("subject_key", subject_key.into())
    };
    let (fact, relation) = match finding.problem {
        SUBJECT_ALONE => {
            let property = fact("property required by", FactKind::PropertyValue)
                .with("property_key", "<property_key>".into())
                .with("operator", "eq".into())
                .with("value_type", "string".into())
                .with("value_string", "<value>".into());
            (property, Relation::RequiresProperty)
        }
        PROPERTY_ALONE => (fact("subject of", FactKind::Subject), Relation::Constrains),
        _ => return None,
    };
    Some(vec![fact, upsert(EntityType::Req, &node.id, []).linked(relation, &id)])
}

#[cfg(test)]
mod tests {
    use crate::check::Rule::StrictReqFactPairing as RULE;
    use crate::check::tests::{Builder, finds};

    fn facts() -> Builder {
        Builder::new("req:R")
            .subject("S", "s")
            .subject("OTHER", "o")
            .property("P", "s", "p", "x")
            .and("fact:NOTE")
    }

    #[test]
    fn just_violates() {
        let alone = "constrains S (subject \"s\"), but requires no property of this subject";
        let required = "requires P (subject \"s\"), but constrains no such subject";
        let rows: &[(Builder, &[&str])] = &[
            (facts().link("R constrains S"), &[alone]),
            (facts().link("R requires_property P"), &[required]),
            (
                facts().link("R constrains OTHER").link("R requires_property P"),
                &["constrains OTHER (subject \"o\"), but requires no property of this subject", required],
            ),
            (facts().link("R constrains NOTE"), &["constrains NOTE, which is no subject fact"]),
            (facts().link("R constrains P"), &["constrains P, which is no subject fact"]),
            (
                facts().link("R requires_property S"),
                &["requires_property S, which is no property_value fact"],
            ),
        ];
        for (builder, texts) in rows {
            let expected: Vec<_> = texts.iter().map(|text| ("R", *text)).collect();
            finds(builder, RULE, &expected);
        }
    }

    #[test]
    fn just_does_not_violate() {
        let pair = || facts().link("R constrains S").link("R requires_property P");
        finds(&facts(), RULE, &[]);
        finds(&pair(), RULE, &[]);
        finds(&facts().link("R constrains S").status("R", "deprecated"), RULE, &[]);
        finds(&facts().link("R constrains S").and("req:N").link("N supersedes R"), RULE, &[]);
        finds(&facts().link("R relates_to NOTE"), RULE, &[]);
    }
}
