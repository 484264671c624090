//! The rules of a write, each just violated and just not.

mod accept;
mod delete;
mod fields;
mod links;
mod merge;

use cairn_base::Value;

use super::{Examined, SymbolFacts, UpsertPlan, examine_upsert};
use crate::entity::Entity;
use crate::tools::{RelationshipInput, UpsertInput};
use crate::{Branch, EntityType, KbError, NodeKey, Properties, Relation};

/// A moment in 2026.
const NOW_MS: u64 = 1_780_000_000_000;

/// A branch whose entities are stored as they were written.
#[derive(Default)]
struct Kb {
    branch: Branch,
    stored: Vec<Entity>,
    now_ms: u64,
}

impl Kb {
    /// With an entity of each type, named after it, and one of each kind of fact.
    fn new() -> Self {
        let mut kb = Kb { now_ms: NOW_MS, ..Kb::default() };
        EntityType::ALL.iter().for_each(|kind| kb.put(&plain(*kind, kind.text(), &[])));
        kb.put(&fact("subject-1", &[("fact_kind", "subject"), ("subject_key", "s")]));
        kb.put(&property("value-1"));
        kb
    }

    fn examine(&self, input: &UpsertInput) -> Examined {
        self.examine_with(input, None)
    }

    fn examine_with(&self, input: &UpsertInput, facts: Option<&SymbolFacts>) -> Examined {
        let current = self.branch.find(&input.id).map(|(key, _)| &self.stored[key.0 as usize]);
        examine_upsert(&self.branch, current, input, facts, self.now_ms)
    }

    /// Stores an upsert that must be right.
    fn put(&mut self, input: &UpsertInput) {
        let Examined { problems, plan, .. } = self.examine(input);
        assert!(problems.is_empty(), "{problems:?}");
        let UpsertPlan { key, entity, .. } = &plan;
        let key = key.unwrap_or(NodeKey(self.stored.len() as u64));
        match self.stored.get_mut(key.0 as usize) {
            Some(stored) => *stored = entity.clone(),
            None => self.stored.push(entity.clone()),
        }
        self.branch.apply(plan.changes(key));
    }

    fn problems(&self, input: &UpsertInput) -> Vec<String> {
        self.examine(input).problems.iter().map(ToString::to_string).collect()
    }

    /// The only problem, which has to name these.
    #[track_caller]
    fn refuses(&self, input: &UpsertInput, parts: &[&str]) {
        let problems = self.problems(input);
        assert_eq!(problems.len(), 1, "{parts:?}: {problems:?}");
        for part in parts {
            assert!(problems[0].contains(part), "{part:?} is not in {:?}", problems[0]);
        }
    }

    #[track_caller]
    fn allows(&self, input: &UpsertInput) {
        assert_eq!(self.problems(input), Vec::<String>::new());
    }

    fn stored(&self, id: &str) -> &Entity {
        &self.stored[self.branch.find(id).unwrap().0.0 as usize]
    }
}

fn json(text: &str) -> Value {
    Value::parse_json(text.as_bytes()).unwrap()
}

/// An upsert whose properties are JSON.
fn sent(kind: EntityType, id: &str, properties: &str) -> UpsertInput {
    let Value::Object(entries) = json(properties) else { panic!("{properties}") };
    let properties = Properties(entries.into_iter().collect());
    UpsertInput { kind, id: id.into(), properties, relationships: Vec::new(), request_id: None }
}

fn plain(kind: EntityType, id: &str, links: &[(Relation, &str)]) -> UpsertInput {
    let status = kind.statuses()[0];
    let input = sent(kind, id, &format!("{{\"title\":\"t\",\"status\":{status:?}}}"));
    UpsertInput {
        relationships: links.iter().map(|(relation, to)| link(*relation, id, to)).collect(),
        ..input
    }
}

fn link(relation: Relation, from: &str, to: &str) -> RelationshipInput {
    RelationshipInput {
        relation,
        from: from.into(),
        to: to.into(),
        created_at: None,
        created_by: None,
        source: None,
        confidence: None,
    }
}

fn fact(id: &str, texts: &[(&str, &str)]) -> UpsertInput {
    let mut input = plain(EntityType::Fact, id, &[]);
    let texts = texts.iter().map(|(name, text)| ((*name).to_owned(), Value::String((*text).to_owned())));
    input.properties.0.extend(texts);
    input
}

fn property(id: &str) -> UpsertInput {
    let texts = [
        ("fact_kind", "property_value"),
        ("subject_key", "s"),
        ("property_key", "p"),
        ("operator", "eq"),
        ("value_type", "string"),
        ("value_string", "v"),
    ];
    fact(id, &texts)
}

#[test]
fn problems_are_those_of_the_error_type() {
    let kb = Kb::new();
    let refused = kb.examine(&plain(EntityType::Req, "", &[])).problems;
    assert!(matches!(refused[..], [KbError::Entity(_)]));
}
