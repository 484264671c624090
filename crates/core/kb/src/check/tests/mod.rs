//! Tests of the rules together, and what the tests of single rules are built with.

mod fixes;
mod incremental;
mod preview;
mod report;

use std::collections::BTreeMap;

use super::{CheckRequest, CheckState, Rule};
use crate::tools::Violation;
use crate::{Branch, Change, Edge, EntityType, FactFields, Node, NodeKey, Relation};

/// Builds small branches from words.
#[derive(Debug, Clone, Default)]
pub(crate) struct Builder {
    branch: Branch,
    keys: BTreeMap<String, NodeKey>,
}

impl Builder {
    /// A branch with entities as in `req:R test:T`, complete and in the first status of their type.
    pub(crate) fn new(entities: &str) -> Self {
        Builder::default().and(entities)
    }

    pub(crate) fn and(mut self, entities: &str) -> Self {
        for (kind, id) in entities.split(' ').filter_map(|entity| entity.split_once(':')) {
            let key = NodeKey(self.keys.len() as u64 + 1);
            self.keys.insert(id.to_owned(), key);
            self.branch.put(key, node(EntityType::parse(kind).unwrap(), id));
        }
        self
    }

    /// Adds a relationship as in `R verified_by T`.
    pub(crate) fn link(mut self, words: &str) -> Self {
        let [from, relation, to] = words.split(' ').collect::<Vec<_>>().try_into().unwrap();
        let relation = Relation::parse(relation).unwrap();
        self.branch.link(Edge { relation, from: self.keys[from], to: self.keys[to] });
        self
    }

    pub(crate) fn set(mut self, id: &str, edit: impl FnOnce(&mut Node)) -> Self {
        let mut node = self.branch.node(self.keys[id]).unwrap().clone();
        edit(&mut node);
        self.branch.put(self.keys[id], node);
        self
    }

    pub(crate) fn status(self, id: &str, status: &str) -> Self {
        self.set(id, |node| node.status = status.into())
    }

    /// Adds a subject fact.
    pub(crate) fn subject(self, id: &str, subject: &str) -> Self {
        self.fact(id, FactFields { subject_key: Some(subject.into()), ..kind("subject") })
    }

    /// Adds a property value that is equal to a text.
    pub(crate) fn property(self, id: &str, subject: &str, property: &str, value: &str) -> Self {
        self.fact(
            id,
            FactFields {
                subject_key: Some(subject.into()),
                property_key: Some(property.into()),
                operator: Some("eq".into()),
                value_type: Some("string".into()),
                value_string: Some(value.into()),
                ..kind("property_value")
            },
        )
    }

    fn fact(self, id: &str, fields: FactFields) -> Self {
        self.and(&format!("fact:{id}")).set(id, |node| node.fact = Some(Box::new(fields)))
    }

    /// Removes an entity, and the relationships that start at it.
    pub(crate) fn without(mut self, id: &str) -> Self {
        self.branch.remove(self.keys[id]);
        self
    }

    /// Removes an entity only, as damage does.
    pub(crate) fn without_keeping_links(mut self, id: &str) -> Self {
        let from = self.keys[id];
        let ends: Vec<_> = self.branch.out(from).collect();
        self.branch.remove(from);
        ends.into_iter().for_each(|(relation, to)| self.branch.link(Edge { relation, from, to }));
        self
    }

    pub(crate) fn key(&self, id: &str) -> NodeKey {
        self.keys[id]
    }

    pub(crate) fn branch(self) -> Branch {
        self.branch
    }
}

fn kind(kind: &str) -> FactFields {
    FactFields { fact_kind: Some(kind.into()), ..FactFields::default() }
}

/// A complete entity.
pub(crate) fn node(kind: EntityType, id: &str) -> Node {
    Node {
        owner: None,
        severity: None,
        id: id.into(),
        kind,
        title: format!("title of {id}").into(),
        status: kind.statuses()[0].into(),
        source: id.into(),
        source_file: None,
        priority: None,
        tags: Box::new([]),
        lacks_times: [false; 2],
        file: None,
        diverged: false,
        verification_scope: None,
        verification_perspective: None,
        symbol_role: None,
        digest: Default::default(),
        fact: (kind == EntityType::Fact).then(Box::default),
    }
}

/// Every violation of a rule.
pub(crate) fn violations(builder: &Builder, rule: Rule, require_adr: bool) -> Vec<Violation> {
    of_rule(&builder.branch, rule, require_adr)
}

fn of_rule(branch: &Branch, rule: Rule, require_adr: bool) -> Vec<Violation> {
    let state = build(branch);
    let report =
        state.report(branch, &CheckRequest { rules: vec![rule], require_adr, limit: 1_000, offset: 0 });
    assert_eq!(report.count, report.violations.len() as u64);
    report.violations
}

fn build(branch: &Branch) -> CheckState {
    CheckState::build(branch, &mut |_, _| {})
}

/// Checks the violations of a rule, as entity and description, and that each fix ends its violation.
pub(crate) fn finds(builder: &Builder, rule: Rule, expected: &[(&str, &str)]) {
    compare(builder, rule, false, expected);
}

/// The same, where a decision is required too.
pub(crate) fn finds_with_adr(builder: &Builder, rule: Rule, expected: &[(&str, &str)]) {
    compare(builder, rule, true, expected);
}

fn compare(builder: &Builder, rule: Rule, require_adr: bool, expected: &[(&str, &str)]) {
    let found = violations(builder, rule, require_adr);
    let shown: Vec<(&str, &str)> =
        found.iter().map(|found| (&*found.entity_id, &*found.description)).collect();
    assert_eq!(shown, expected, "{rule}");
    for violation in &found {
        assert!(!violation.suggestion.is_empty());
        assert!(fixes::ends(&builder.branch, violation, require_adr), "{violation:#?}");
    }
}

/// Changes, from a list of words: `+` adds, `-` removes.
fn link(from: NodeKey, relation: Relation, to: NodeKey) -> Change {
    Change::Link(Edge { relation, from, to })
}
