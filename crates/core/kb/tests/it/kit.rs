//! A branch that is written by upserts, and what is asked of it.

use cairn_kb::report::{graph, query};
use cairn_kb::tools::{GraphOutput, StatusOutput};
use cairn_kb::{Branch, GroupIndex, NodeKey, conflicts_in_group, examine_upsert};
use serde_json::{Value, json};

/// A moment in 2026.
const NOW_MS: u64 = 1_780_000_000_000;

/// A branch of new entities.
#[derive(Default)]
pub(crate) struct Kb(Branch);

impl Kb {
    /// Stores a new entity, with relationships `(type, target)`.
    pub(crate) fn put(&mut self, kind: &str, id: &str, more: &Value, links: &[(&str, &str)]) {
        let mut properties = json!({"title": id, "status": if kind == "req" { "open" } else { "active" }});
        let more = more.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), value.clone()));
        properties.as_object_mut().unwrap().extend(more);
        let links: Vec<Value> =
            links.iter().map(|(relation, to)| json!({"type": relation, "from": id, "to": to})).collect();
        let input = json!({"type": kind, "id": id, "properties": properties, "relationships": links});
        let input = serde_json::from_value(input).unwrap();
        let examined = examine_upsert(&self.0, None, &input, None, NOW_MS);
        assert!(examined.problems.is_empty(), "{:?}", examined.problems);
        // Numbers run against the order of the writes.
        let key = NodeKey(1_000_000 - self.0.len() as u64);
        self.0.apply(examined.plan.changes(key));
    }

    /// Stores a requirement with a claim: the property `p` of the subject `s` is 1, unless `differs` says otherwise.
    pub(crate) fn claim(&mut self, id: &str, differs: &Value) {
        let mut fact =
            json!({"fact_kind": "property_value", "subject_key": "s", "property_key": "p", "operator": "eq"});
        fact.as_object_mut().unwrap().extend(differs.as_object().unwrap().clone());
        if fact["value_string"].is_string() {
            fact["value_type"] = "string".into();
        } else {
            fact["value_type"] = "int".into();
            fact["value_int"] = fact["value_int"].as_i64().unwrap_or(1).into();
        }
        let subject = json!({"fact_kind": "subject", "subject_key": fact["subject_key"]});
        let (about, value) = (format!("{id}-S"), format!("{id}-V"));
        self.put("fact", &about, &subject, &[]);
        self.put("fact", &value, &fact, &[]);
        self.put("req", id, &json!({}), &[("constrains", &about), ("requires_property", &value)]);
    }

    /// The reasons of all conflicts.
    pub(crate) fn conflicts(&self) -> Vec<String> {
        let index = GroupIndex::build(&self.0);
        let found = index.groups().flat_map(|group| conflicts_in_group(&self.0, &index, group, &[]).list);
        found.map(|conflict| conflict.reason).collect()
    }

    pub(crate) fn graph(&self, input: Value) -> GraphOutput {
        let input = serde_json::from_value(input).unwrap();
        graph(&self.0, &input, StatusOutput::default()).unwrap()
    }

    /// The `TYPE ID` of a page, and the number of all.
    pub(crate) fn query(&self, input: Value) -> (Vec<String>, u64) {
        let (keys, count) = query(&self.0, &serde_json::from_value(input).unwrap()).unwrap();
        let nodes = keys.iter().map(|key| self.0.node(*key).unwrap());
        (nodes.map(|node| format!("{} {}", node.kind, node.id)).collect(), count)
    }
}

/// Whether two claims conflict, whichever is first.
pub(crate) fn conflict(one: &Value, other: &Value) -> bool {
    let [there, back] = [[one, other], [other, one]].map(|pair| {
        let mut kb = Kb::default();
        kb.claim("REQ-A", pair[0]);
        kb.claim("REQ-B", pair[1]);
        !kb.conflicts().is_empty()
    });
    assert_eq!(there, back, "{one} and {other} depend on their order");
    there
}
