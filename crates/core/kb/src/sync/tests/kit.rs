//! A branch whose store is two maps.

use std::collections::BTreeMap;

use cairn_graph::Map;
use serde_json::{Value, json};

use crate::branch::{Branch, Edge, NodeKey};
use crate::entity::Entity;
use crate::model::Relation;
use crate::sync::plan::StoredLink;
use crate::sync::{
    End, Files, Stored, StoredEntity, SyncFile, SyncHeader, SyncInput, SyncPlan, SyncReport, list_files,
    plan_sync,
};
use crate::tools::UpsertInput;
use crate::write::examine_upsert;

pub(super) const NOW_MS: u64 = 1_780_000_000_000;

/// An entity with its relationships, as they are compared.
pub(super) type Shown = (String, Map, BTreeMap<(String, String), Map>);

#[derive(Debug, Clone, Default)]
pub(super) struct World {
    pub(super) branch: Branch,
    pub(super) files: Files,
    pub(super) stored: BTreeMap<NodeKey, (Entity, BTreeMap<(Relation, NodeKey), Map>)>,
    last: u64,
    pub(super) now_ms: u64,
}

pub(super) fn world() -> World {
    World { now_ms: NOW_MS, ..World::default() }
}

/// A file of entities: each with type, id, title and relationships.
pub(super) fn file(path: &str, entities: &[Value]) -> SyncFile {
    let entities: Vec<Value> =
        entities.iter().zip(1_u32..).map(|(entity, at)| json!({"line": at * 10, "entity": entity})).collect();
    let hash = format!("{:x}", md(&entities));
    serde_json::from_value(json!({"path": path, "hash": hash, "entities": entities})).unwrap()
}

/// A hash that tells contents apart.
fn md(entities: &[Value]) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    json!(entities).to_string().hash(&mut hasher);
    hasher.finish()
}

/// An entity with relationships.
pub(super) fn entity(kind: &str, id: &str, title: &str, links: &[(&str, &str)]) -> Value {
    let status = match kind {
        "req" => "open",
        "test" => "passing",
        "adr" => "accepted",
        _ => "active",
    };
    let links: Vec<Value> =
        links.iter().map(|(relation, to)| json!({"type": relation, "from": id, "to": to})).collect();
    json!({"type": kind, "id": id, "properties": {"title": title, "status": status}, "relationships": links})
}

pub(super) fn upsert(value: Value) -> UpsertInput {
    serde_json::from_value(value).unwrap()
}

impl World {
    /// Everything that the plan asks for, as the store has it.
    fn known(&self, input: &SyncInput) -> Stored {
        let named = input.named(&self.branch);
        let known = named.iter().map(|(key, _, is_retyped)| {
            let (entity, links) = &self.stored[key];
            let links = links.iter().map(|((relation, to), metadata)| StoredLink {
                relation: *relation,
                to: *to,
                metadata: metadata.clone(),
            });
            let incoming = self.stored.iter().filter(|_| *is_retyped).flat_map(|(from, (_, links))| {
                let to_it = links.iter().filter(|((_, to), _)| to == key);
                to_it.map(|((relation, _), metadata)| (*from, *relation, metadata.clone()))
            });
            let stored =
                StoredEntity { entity: entity.clone(), links: links.collect(), incoming: incoming.collect() };
            (*key, stored)
        });
        known.collect()
    }

    pub(super) fn plan(&self, header: SyncHeader, files: &[SyncFile]) -> crate::Result<SyncPlan> {
        let input = SyncInput { header, files: files.to_vec() };
        plan_sync(&self.branch, &self.files, &self.known(&input), &input, self.now_ms)
    }

    /// Syncs, and checks that the branch in memory is what the store has.
    pub(super) fn run(&mut self, header: SyncHeader, files: &[SyncFile]) -> SyncReport {
        let plan = self.plan(header, files).unwrap();
        self.store(&plan);
        plan.report
    }

    /// Syncs the files that changed, as the process with the working tree does.
    pub(super) fn sync(&mut self, all: &[SyncFile]) -> SyncReport {
        self.sync_as(SyncHeader::default(), all)
    }

    pub(super) fn force(&mut self, all: &[SyncFile]) -> SyncReport {
        self.sync_as(SyncHeader { force: true, ..SyncHeader::default() }, all)
    }

    pub(super) fn rebuild(&mut self, all: &[SyncFile]) -> SyncReport {
        self.run(SyncHeader { rebuild: true, ..SyncHeader::default() }, all)
    }

    pub(super) fn sync_as(&mut self, header: SyncHeader, all: &[SyncFile]) -> SyncReport {
        let listed = list_files(&self.branch, &self.files).files;
        let known = |path: &str| listed.iter().find(|known| known.path == path);
        let is_sent =
            |file: &&SyncFile| known(&file.path).is_none_or(|known| known.resend || known.hash != file.hash);
        let sent: Vec<SyncFile> = all.iter().filter(is_sent).cloned().collect();
        let removed = listed.iter().filter(|known| !all.iter().any(|file| file.path == known.path));
        let removed = removed.map(|known| known.path.clone()).collect();
        self.run(SyncHeader { removed, ..header }, &sent)
    }

    fn store(&mut self, plan: &SyncPlan) {
        for edge in plan.unlinked.iter().chain(&plan.dangling) {
            let gone = self.stored.get_mut(&edge.from).unwrap().1.remove(&(edge.relation, edge.to));
            assert!(gone.is_some(), "{edge:?} was there");
        }
        for key in &plan.removed {
            self.stored.remove(key).unwrap();
        }
        let created: Vec<NodeKey> = plan.created.iter().map(|entity| self.add(entity.clone())).collect();
        for update in &plan.updated {
            let attributes = &mut self.stored.get_mut(&update.key).unwrap().0.attributes;
            update.removed.iter().for_each(|name| drop(attributes.remove(name)));
            attributes.extend(update.changed.clone());
        }
        let key = |end: End| match end {
            End::Stored(key) => key,
            End::New(at) => created[at],
        };
        for link in &plan.linked {
            let links = &mut self.stored.get_mut(&key(link.from)).unwrap().1;
            let old = links.insert((link.relation, key(link.to)), link.metadata.clone());
            assert!(old.is_none(), "{link:?} is new");
        }
        for (edge, metadata) in &plan.relinked {
            let links = &mut self.stored.get_mut(&edge.from).unwrap().1;
            assert!(links.insert((edge.relation, edge.to), metadata.clone()).is_some(), "{edge:?} was there");
        }
        self.branch.apply(plan.changes(&created));
        if !plan.is_empty() {
            plan.apply_files(&mut self.files);
        }
        self.verify();
    }

    /// The branch in memory is what would be read from the store.
    fn verify(&self) {
        let mut read = Branch::default();
        for (key, (entity, links)) in &self.stored {
            read.put(*key, entity.node());
            for (relation, to) in links.keys() {
                assert!(self.stored.contains_key(to), "{} has a relationship to nothing", entity.id);
                read.link(Edge { relation: *relation, from: *key, to: *to });
            }
        }
        assert_eq!(self.branch, read);
        let with_problems = self.files.iter().filter(|(_, file)| file.has_problems).count();
        assert_eq!(self.files.with_problems(), with_problems);
    }

    fn add(&mut self, entity: Entity) -> NodeKey {
        self.last += 1;
        let key = NodeKey(self.last);
        self.stored.insert(key, (entity, BTreeMap::new()));
        key
    }

    /// What a tool does; says its warnings.
    pub(super) fn put(&mut self, value: Value) -> Vec<String> {
        let input = upsert(value);
        let current = self.branch.find(&input.id).map(|(key, _)| self.stored[&key].0.clone());
        let examined = examine_upsert(&self.branch, current.as_ref(), &input, None, self.now_ms);
        assert!(examined.problems.is_empty(), "{:?}", examined.problems);
        let plan = examined.plan;
        let key = plan.key.unwrap_or_else(|| self.add(plan.entity.clone()));
        let (entity, links) = self.stored.get_mut(&key).unwrap();
        *entity = plan.entity.clone();
        for link in &plan.links {
            links.insert((link.relation, link.to.unwrap_or(key)), link.metadata.clone());
        }
        self.branch.apply(plan.changes(key));
        self.verify();
        examined.warnings
    }

    /// A tool deletes an entity, if it can.
    pub(super) fn delete(&mut self, id: &str) {
        let Ok(plan) = crate::write::plan_delete(&self.branch, &[id.to_owned()]) else { return };
        plan.keys.iter().for_each(|key| drop(self.stored.remove(key)));
        self.branch.apply(plan.changes());
        self.verify();
    }

    /// Every entity with its relationships, by id.
    pub(super) fn shown(&self) -> BTreeMap<String, Shown> {
        let id = |key: &NodeKey| self.stored[key].0.id.clone();
        let shown = self.stored.values().map(|(entity, links)| {
            let links = links
                .iter()
                .map(|((relation, to), metadata)| ((relation.to_string(), id(to)), metadata.clone()));
            (entity.id.clone(), (entity.kind.to_string(), entity.attributes.clone(), links.collect()))
        });
        shown.collect()
    }

    /// Ids of all entities with their relationships, in short.
    pub(super) fn brief(&self) -> Vec<String> {
        let one = |(id, (_, attributes, links)): (String, Shown)| {
            let links: Vec<_> = links.keys().map(|(relation, to)| format!("{relation} {to}")).collect();
            let file = attributes.get("file").and_then(cairn_base::Value::as_str).unwrap_or("-").to_owned();
            let mark = if attributes.contains_key("diverged") { "!" } else { "" };
            let title = attributes.get("title").and_then(cairn_base::Value::as_str).unwrap_or_default();
            format!("{id}{mark} {file} {title} [{}]", links.join(", "))
        };
        self.shown().into_iter().map(one).collect()
    }

    pub(super) fn check(&self, expected: &[&str]) {
        assert_eq!(self.brief(), expected);
    }
}

/// Problems of a report, in short.
pub(super) fn problems(report: &SyncReport) -> Vec<String> {
    let one = |problem: &crate::sync::SyncProblem| {
        let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
        format!("{}{line}: {}", problem.path, problem.message)
    };
    report.problems.iter().map(one).collect()
}
