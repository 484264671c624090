//! Random operations: what is in memory is what a reload gives, and the dry run says what an upsert does.

use std::sync::Arc;

use cairn_base::{Entropy, SeededEntropy};
use cairn_kb::tools::UpsertInput;
use serde_json::{Map, Value, json};

use super::kit::{Kb, delete, elsewhere, reports, rows, status_of, target, upsert};

const KINDS: [&str; 8] = ["req", "scenario", "test", "adr", "flag", "event", "symbol", "fact"];
const RELATIONS: [&str; 8] = [
    "depends_on",
    "specified_by",
    "verified_by",
    "implements",
    "constrains",
    "requires_property",
    "supersedes",
    "relates_to",
];

struct Random(SeededEntropy);

impl Random {
    fn below(&self, end: usize) -> usize {
        usize::try_from(self.0.next_u64() % end as u64).unwrap()
    }

    fn of<T: Clone>(&self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }

    /// An upsert that is often right, and often wrong.
    fn input(&self) -> UpsertInput {
        let kind = self.of(&["req", "req", "fact", "fact", "test", "symbol", "scenario", "adr"]);
        // Sometimes of another type.
        let id = format!("{}-{}", if self.below(20) == 0 { self.of(&KINDS) } else { kind }, self.below(4));
        let mut properties = Map::new();
        if self.below(8) > 0 {
            properties.insert("title".into(), json!(self.of(&["A", "B", ""])));
            properties
                .insert("status".into(), json!(self.of(&[status_of(kind), "deprecated", "superseded"])));
        }
        for _ in 0..self.below(3) {
            let (name, value) = self.of(&[
                ("owner", json!("ada")),
                ("owner", Value::Null),
                ("tags", json!(["b", "a", "b"])),
                ("priority", json!("must")),
                ("symbol_role", json!("config")),
                ("valueInt", json!(1)),
                ("value_string", json!("x")),
                ("value_string", Value::Null),
                ("unit", json!(7)),
            ]);
            properties.insert(name.into(), value);
        }
        if kind == "fact" && self.below(6) > 0 {
            let fact_kind = self.of(&["subject", "property_value", "property_value", "observation"]);
            properties.insert("fact_kind".into(), json!(fact_kind));
            properties.insert("subject_key".into(), json!("s"));
            if fact_kind == "property_value" {
                properties.insert("property_key".into(), json!("p"));
                properties.insert("operator".into(), json!(self.of(&["eq", "neq", "lte", "gte"])));
                properties.insert("value_type".into(), json!("int"));
                properties.insert("value_int".into(), json!(self.below(3)));
            }
        }
        let links: Vec<Value> = (0..self.below(4))
            .map(|_| {
                let to = format!("{}-{}", self.of(&KINDS), self.below(4));
                json!({"type": self.of(&RELATIONS), "from": id, "to": to})
            })
            .collect();
        let all = json!({"type": kind, "id": id, "properties": properties, "relationships": links});
        serde_json::from_value(all).unwrap()
    }
}

#[test]
fn memory_equals_a_reload_and_the_dry_run_says_what_an_upsert_does() {
    let (mut stored, mut refused, mut deleted) = (0, 0, 0);
    for seed in 0..6 {
        let random = Random(SeededEntropy::new(seed));
        let kb = Kb::new();
        let main = target("main");
        for step in 0..150 {
            let what = format!("seed {seed}, step {step}");
            if random.below(6) == 0 {
                let id = format!("{}-{}", random.of(&KINDS), random.below(4));
                deleted += delete(kb.engine(), &main, &[&id]).map_or(0, |output| output.deleted);
                continue;
            }
            let input = random.input();
            let before = (step % 10 == 0).then(|| rows(&*kb.world.store));
            let dry = kb.engine().kb_validate_upsert(&kb.world.owner, &main, &input, None).unwrap();
            if let Some(before) = before {
                assert!(before == rows(&*kb.world.store), "{what}: the dry run stored something");
            }
            let outcome = upsert(kb.engine(), &main, &input);
            assert_eq!(dry.valid, outcome.is_ok(), "{what}: {input:?}\n{dry:?}\n{outcome:?}");
            *if dry.valid { &mut stored } else { &mut refused } += 1;
            if step % 30 == 29 {
                let here = reports(kb.engine(), &main).unwrap();
                assert_eq!(here, reports(&elsewhere(kb.store()), &main).unwrap(), "{what}");
            }
        }
    }
    assert!(stored > 60 && refused > 100 && deleted > 5, "{stored} {refused} {deleted}");
}

#[test]
fn two_processes_on_one_store_see_each_others_writes() {
    let kb = Kb::filled();
    let (here, there, main) = (kb.engine(), elsewhere(kb.store()), target("main"));
    for number in 0..10 {
        let engine = if number % 2 == 0 { here } else { &*Arc::clone(&there) };
        upsert(engine, &main, &super::kit::plain("event", &format!("E-{number}"), &[])).unwrap();
        assert_eq!(reports(here, &main).unwrap(), reports(&there, &main).unwrap());
    }
}
