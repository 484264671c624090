//! Contradictions of a branch: who takes part, what is masked, predicates.

use cairn_base::Value;

use super::fields;
use crate::{
    Branch, Conflicts, Edge, EntityType, FactFields, GroupIndex, Node, NodeKey, Relation, conflicts_in_group,
    conflicts_of,
};

pub(crate) fn node(id: &str, kind: EntityType, status: &str, fact: Option<FactFields>) -> Node {
    Node {
        id: id.into(),
        kind,
        title: "".into(),
        status: status.into(),
        source: "".into(),
        source_file: None,
        priority: None,
        owner: None,
        severity: None,
        tags: Box::default(),
        lacks_times: [false; 2],
        file: None,
        diverged: false,
        verification_scope: None,
        verification_perspective: None,
        symbol_role: None,
        digest: Default::default(),
        fact: fact.map(Box::new),
    }
}

pub(crate) fn subject(key: &str) -> FactFields {
    FactFields { fact_kind: Some("subject".into()), subject_key: Some(key.into()), ..FactFields::default() }
}

pub(crate) fn predicate(name: &str, args: &str, polarity: Option<&str>) -> FactFields {
    FactFields {
        fact_kind: Some("predicate".into()),
        predicate_name: Some(name.into()),
        predicate_args: Some(Value::parse_json(args.as_bytes()).unwrap().as_array().unwrap().into()),
        polarity: polarity.map(Box::from),
        ..FactFields::default()
    }
}

pub(crate) fn every_conflict(branch: &Branch, ignored: &[NodeKey]) -> Conflicts {
    let index = GroupIndex::build(branch);
    index
        .groups()
        .map(|group| conflicts_in_group(branch, &index, group, ignored))
        .fold(Conflicts::default(), Conflicts::merge)
}

/// A branch whose requirements and facts are numbered as they are added.
#[derive(Default)]
struct Story(Branch);

impl Story {
    fn put(&mut self, id: &str, kind: EntityType, status: &str, fact: Option<FactFields>) -> NodeKey {
        let key = NodeKey(self.0.len() as u64);
        self.0.put(key, node(id, kind, status, fact));
        key
    }

    fn link(&mut self, from: NodeKey, relation: Relation, to: NodeKey) {
        self.0.link(Edge { relation, from, to });
    }

    /// A requirement that constrains a subject and requires a value.
    fn strict(&mut self, id: &str, status: &str, about: FactFields, value: FactFields) -> NodeKey {
        let key = self.put(id, EntityType::Req, status, None);
        let about = self.put(&format!("{id}-S"), EntityType::Fact, "active", Some(about));
        let value = self.put(&format!("{id}-V"), EntityType::Fact, "active", Some(value));
        self.link(key, Relation::Constrains, about);
        self.link(key, Relation::RequiresProperty, value);
        key
    }

    fn ids(&self, ignored: &[NodeKey]) -> Vec<String> {
        every_conflict(&self.0, ignored).list.iter().map(crate::Conflict::entity_id).collect()
    }
}

#[test]
fn keys_are_compared_whole_and_both_links_are_needed() {
    let claim = |text: &str| fields(text);
    let rows: &[(FactFields, FactFields, bool)] = &[
        (subject("s"), claim("eq int:2"), true),
        (subject("t"), claim("eq int:2"), false),
        (subject("a/s"), claim("eq int:2 subject=a/s"), false),
        (subject("s"), claim("eq int:2 property=a/p"), false),
        (subject("s"), claim("eq int:2 property=q"), false),
        (subject("s"), FactFields { fact_kind: Some("observation".into()), ..claim("eq int:2") }, false),
        (subject("s"), FactFields { fact_kind: None, ..claim("eq int:2") }, false),
        (FactFields { fact_kind: Some("meta".into()), ..subject("s") }, claim("eq int:2"), false),
    ];
    for (about, value, expected) in rows {
        let mut story = Story::default();
        story.strict("REQ-A", "open", subject("s"), fields("eq int:1"));
        story.strict("REQ-B", "open", about.clone(), value.clone());
        assert_eq!(story.ids(&[]) == ["REQ-A/REQ-B"], *expected, "{about:?} {value:?}");
        assert_eq!(story.ids(&[]).is_empty(), !expected);
    }
}

#[test]
fn only_current_requirements_take_part_and_superseded_ones_are_masked() {
    for (status, expected) in [
        ("open", true),
        ("in_progress", true),
        ("closed", true),
        ("active", true),
        ("approved", true),
        ("deprecated", false),
        ("draft", false),
    ] {
        let mut story = Story::default();
        story.strict("REQ-A", "open", subject("s"), fields("eq int:1"));
        story.strict("REQ-B", status, subject("s"), fields("eq int:2"));
        assert_eq!(!story.ids(&[]).is_empty(), expected, "{status}");
    }
    let mut story = Story::default();
    let a = story.strict("REQ-A", "open", subject("s"), fields("eq int:1"));
    let b = story.strict("REQ-B", "open", subject("s"), fields("eq int:2"));
    let c = story.strict("REQ-C", "open", subject("s"), fields("eq int:3"));
    assert_eq!(story.ids(&[]), ["REQ-A/REQ-B", "REQ-A/REQ-C", "REQ-B/REQ-C"]);
    let index = GroupIndex::build(&story.0);
    let of = |ignored: &[NodeKey]| -> Vec<String> {
        conflicts_of(&story.0, &index, a, ignored).list.iter().map(crate::Conflict::entity_id).collect()
    };
    assert_eq!(of(&[]), ["REQ-A/REQ-B", "REQ-A/REQ-C"]);
    assert_eq!(of(&[b]), ["REQ-A/REQ-C"]);
    story.link(a, Relation::Supersedes, c);
    assert_eq!(story.ids(&[]), ["REQ-A/REQ-B"]);
}

#[test]
fn predicates_conflict_when_one_asserts_what_another_denies() {
    let base = || predicate("may", r#"["user","x",1]"#, None);
    let deny = |args: &str| predicate("may", args, Some("deny"));
    let spaced =
        |space: &str, fact: FactFields| FactFields { predicate_namespace: Some(space.into()), ..fact };
    let rows: &[(FactFields, FactFields, Option<&str>)] = &[
        (base(), deny(r#"["user","x",1]"#), Some("Predicate conflict on may(user, x, 1): assert vs deny")),
        (
            deny(r#"["user","x",1.0]"#),
            base(),
            Some("Predicate conflict on may(user, x, 1.0): deny vs assert"),
        ),
        (
            base(),
            spaced("default", deny(r#"["user","x",1]"#)),
            Some("Predicate conflict on may(user, x, 1): assert vs deny"),
        ),
        (base(), deny(r#"["x","user",1]"#), None),
        (base(), deny(r#"["user","x","1"]"#), None),
        (base(), deny(r#"["user","x"]"#), None),
        (base(), spaced("other", deny(r#"["user","x",1]"#)), None),
        (base(), predicate("must", r#"["user","x",1]"#, Some("deny")), None),
        (base(), base(), None),
        (deny(r#"["user","x",1]"#), deny(r#"["user","x",1]"#), None),
        (base(), predicate("may", r#"["user","x",1]"#, Some("forbid")), None),
        (base(), FactFields { predicate_args: None, ..deny("[]") }, None),
        (base(), predicate("may", r#"["user","x",1,"assert"]"#, None), None),
        (
            predicate("may", r#"["user","x","assert"]"#, Some("assert")),
            deny(r#"["user","x","deny"]"#),
            Some("Predicate conflict on may(user, x): assert vs deny"),
        ),
        (
            predicate("may", r#"["user","x","deny"]"#, None),
            predicate("may", r#"["user","x","assert"]"#, None),
            Some("Predicate conflict on may(user, x): deny vs assert"),
        ),
        (deny(r#"["user","x","deny"]"#), predicate("may", r#"["user","x","deny"]"#, None), None),
        (deny(r#"["deny"]"#), predicate("may", r#"["assert"]"#, None), None),
    ];
    for (one, other, expected) in rows {
        let mut story = Story::default();
        for (id, fact) in [("REQ-A", one), ("REQ-B", other)] {
            let key = story.put(id, EntityType::Req, "open", None);
            let fact = story.put(&format!("{id}-P"), EntityType::Fact, "active", Some(fact.clone()));
            story.link(key, Relation::RequiresPredicate, fact);
        }
        let found = every_conflict(&story.0, &[]).list;
        let reason = found.first().map(|conflict| conflict.reason.as_str());
        assert_eq!(reason, *expected, "{one:?} {other:?}");
        assert!(found.iter().all(|conflict| conflict.entity_id() == "REQ-A/REQ-B"));
    }
}
