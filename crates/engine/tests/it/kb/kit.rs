//! A node with KBs of branches, and everything that can be asked about one.

use std::collections::BTreeMap;
use std::sync::Arc;

use cairn_access::Principal;
use cairn_base::{ManualClock, Position, TenantId};
use cairn_engine::{Engine, EngineError, KbTarget};
use cairn_kb::tools::{
    CheckInput, CoverageInput, DeleteInput, DeleteOutput, FindGapsInput, GraphInput, ImpactInput,
    MatrixInput, QueryInput, QueryOutput, SearchInput, SuspectInput, UpsertInput, UpsertOutput,
};
use cairn_kb::{Rule, SymbolFacts};
use cairn_seam::{KeyRange, Store, Visit};
use serde_json::{Value, json};

use crate::support::World;

pub(super) fn target(branch: &str) -> KbTarget {
    KbTarget { tenant: TenantId::LOCAL, workspace: "ws".into(), branch: branch.into() }
}

/// Arguments of an upsert.
pub(super) fn input(kind: &str, id: &str, properties: Value, links: &[(&str, &str)]) -> UpsertInput {
    let links: Vec<Value> =
        links.iter().map(|(relation, to)| json!({"type": relation, "from": id, "to": to})).collect();
    let all = json!({"type": kind, "id": id, "properties": properties, "relationships": links});
    serde_json::from_value(all).unwrap()
}

/// The same with a title and a status that fits the type.
pub(super) fn plain(kind: &str, id: &str, links: &[(&str, &str)]) -> UpsertInput {
    input(kind, id, json!({"title": format!("The {kind} {id}"), "status": status_of(kind)}), links)
}

pub(super) fn status_of(kind: &str) -> &'static str {
    match kind {
        "req" => "open",
        "test" => "passing",
        "adr" => "accepted",
        _ => "active",
    }
}

/// A claim about a property of `session`.
pub(super) fn claim(id: &str, operator: &str, minutes: i64) -> UpsertInput {
    let properties = json!({
        "title": id, "status": "active", "fact_kind": "property_value", "subject_key": "session",
        "property_key": "timeout", "operator": operator, "value_type": "int", "value_int": minutes,
        "unit": "min",
    });
    input("fact", id, properties, &[])
}

pub(super) fn subject() -> UpsertInput {
    let properties =
        json!({"title": "session", "status": "active", "fact_kind": "subject", "subject_key": "session"});
    input("fact", "F-S", properties, &[])
}

pub(super) struct Kb {
    pub(super) world: World,
}

impl Kb {
    /// With an empty KB of the branch `main`.
    pub(super) fn new() -> Self {
        let kb = Kb { world: World::new() };
        kb.create("main");
        kb
    }

    /// With a little of everything on `main`.
    pub(super) fn filled() -> Self {
        let kb = Kb::new();
        fill(kb.engine(), &target("main"));
        kb
    }

    pub(super) fn engine(&self) -> &Engine {
        &self.world.engine
    }

    pub(super) fn store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.world.store) as Arc<dyn Store>
    }

    pub(super) fn create(&self, branch: &str) {
        create(self.engine(), &target(branch), None).unwrap();
    }

    pub(super) fn put(&self, input: &UpsertInput) -> UpsertOutput {
        upsert(self.engine(), &target("main"), input).unwrap()
    }

    pub(super) fn try_put(&self, input: &UpsertInput) -> Result<UpsertOutput, EngineError> {
        upsert(self.engine(), &target("main"), input)
    }

    pub(super) fn delete(&self, ids: &[&str]) -> Result<DeleteOutput, EngineError> {
        delete(self.engine(), &target("main"), ids)
    }

    pub(super) fn snapshot_id(&self) -> String {
        snapshot_id(self.engine(), &target("main"))
    }

    pub(super) fn rows(&self) -> Rows {
        rows(&*self.world.store)
    }
}

pub(super) fn fill(engine: &Engine, target: &KbTarget) {
    for input in [
        plain("test", "T-1", &[]),
        plain("scenario", "SC-1", &[("verified_by", "T-1")]),
        subject(),
        claim("F-30", "lte", 30),
        plain("adr", "ADR-1", &[]),
        plain("event", "E-1", &[]),
        input(
            "req",
            "R-1",
            json!({"title": "Sessions end", "status": "open", "priority": "must", "tags": ["auth", "web"]}),
            &[("specified_by", "SC-1"), ("constrains", "F-S"), ("requires_property", "F-30")],
        ),
        plain("req", "R-2", &[("depends_on", "R-1")]),
        input(
            "symbol",
            "S-1",
            json!({"title": "end", "status": "active", "sourceFile": "src/session.rs"}),
            &[("implements", "R-1"), ("covered_by", "T-1"), ("publishes", "E-1")],
        ),
        plain("flag", "FL-1", &[("guards", "S-1")]),
    ] {
        upsert(engine, target, &input).unwrap();
    }
}

pub(super) fn create(engine: &Engine, target: &KbTarget, from: Option<&str>) -> Result<bool, EngineError> {
    let ensured = engine.kb_ensure_branch(&Principal::local_owner(), target, from, &mut |_| true)?;
    Ok(ensured.created)
}

pub(super) fn upsert(
    engine: &Engine,
    target: &KbTarget,
    input: &UpsertInput,
) -> Result<UpsertOutput, EngineError> {
    engine.kb_upsert(&Principal::local_owner(), target, input, None)
}

pub(super) fn delete(engine: &Engine, target: &KbTarget, ids: &[&str]) -> Result<DeleteOutput, EngineError> {
    let ids = ids.iter().map(|id| (*id).to_owned()).collect();
    engine.kb_delete(&Principal::local_owner(), target, &DeleteInput { ids, request_id: None })
}

pub(super) fn query(engine: &Engine, target: &KbTarget, input: Value) -> Result<QueryOutput, EngineError> {
    let input: QueryInput = serde_json::from_value(input).unwrap();
    engine.kb_query(&Principal::local_owner(), target, &input)
}

pub(super) fn ids(found: &QueryOutput) -> Vec<&str> {
    found.entities.iter().map(|entity| entity.text("id")).collect()
}

pub(super) fn snapshot_id(engine: &Engine, target: &KbTarget) -> String {
    engine.kb_status(&Principal::local_owner(), target).unwrap().snapshot_id
}

/// The number of writes that a snapshot id says.
pub(super) fn writes(snapshot_id: &str) -> u64 {
    u64::from_str_radix(snapshot_id.split('.').nth(1).unwrap(), 16).unwrap()
}

/// Every report of a branch, as JSON.
pub(super) fn reports(engine: &Engine, target: &KbTarget) -> Result<Vec<String>, EngineError> {
    let owner = Principal::local_owner();
    let all = query(engine, target, json!({"limit": 1000}))?;
    let seeds: Vec<_> = ids(&all).into_iter().take(100).map(str::to_owned).collect();
    let text = |value: &dyn erased::Json| value.json();
    let mut found = vec![text(&all), text(&engine.kb_status(&owner, target)?)];
    let gaps = FindGapsInput { limit: Some(1000), ..FindGapsInput::default() };
    found.push(text(&engine.kb_find_gaps(&owner, target, &gaps)?));
    for by in ["req", "symbol", "type"] {
        let input = json!({"by": by, "includePassing": true, "limit": 1000});
        let input: CoverageInput = serde_json::from_value(input).unwrap();
        found.push(text(&engine.kb_coverage(&owner, target, &input)?));
    }
    for by in ["req", "scenario", "test", "symbol"] {
        let input = json!({"by": by, "includeRetired": true, "limit": 1000});
        let input: MatrixInput = serde_json::from_value(input).unwrap();
        found.push(text(&engine.kb_matrix(&owner, target, &input)?));
    }
    let suspect = SuspectInput { limit: Some(1000), ..SuspectInput::default() };
    found.push(text(&engine.kb_suspect(&owner, target, &suspect)?));
    if !seeds.is_empty() {
        let input = ImpactInput { ids: seeds.clone(), ..ImpactInput::default() };
        found.push(text(&engine.kb_impact(&owner, target, &input)?));
        let input = GraphInput { seed_ids: seeds, depth: Some(3), ..GraphInput::default() };
        found.push(text(&engine.kb_graph(&owner, target, &input)?));
    }
    let rules = Some(Rule::ALL.to_vec());
    let input = CheckInput { rules, limit: Some(1000), ..CheckInput::default() };
    found.push(text(&engine.kb_check(&owner, target, &input, &mut |_, _| {})?));
    let input: SearchInput = serde_json::from_value(json!({"query": "the"})).unwrap();
    found.push(text(&engine.kb_search(&owner, target, &input)?));
    Ok(found)
}

/// Any output as JSON.
pub(super) mod erased {
    pub(crate) trait Json {
        fn json(&self) -> String;
    }

    impl<T: serde::Serialize> Json for T {
        fn json(&self) -> String {
            serde_json::to_string(self).unwrap()
        }
    }
}

pub(super) type Rows = BTreeMap<(u16, Vec<u8>), Vec<u8>>;

/// Everything that is stored of graphs and KBs.
pub(super) fn rows(store: &dyn Store) -> Rows {
    let snapshot = store.snapshot(Position::START).unwrap();
    let mut found = Rows::new();
    for keyspace in cairn_graph::tables::KEYSPACES.iter().chain(cairn_kb::tables::KEYSPACES) {
        let all = [KeyRange::prefix(&[])];
        snapshot
            .multi_scan(*keyspace, &all, &mut |_, key, value| {
                found.insert((keyspace.id, key.to_vec()), value.to_vec());
                Visit::Continue
            })
            .unwrap();
    }
    found
}

pub(super) fn code<T: std::fmt::Debug>(result: Result<T, EngineError>) -> &'static str {
    result.map_err(|error| error.code().name()).unwrap_err()
}

/// The same store in another process.
pub(super) fn elsewhere(store: Arc<dyn Store>) -> Arc<Engine> {
    crate::support::open(store, &ManualClock::new(crate::support::NOW_MS)).unwrap()
}

/// A file with two functions and a type.
pub(super) fn file() -> SymbolFacts {
    SymbolFacts { behavioral: vec!["end".into(), "begin".into()], other: vec!["Session".into()] }
}
