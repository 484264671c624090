//! Projects in memory, and a branch that plans are applied to.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Mutex;

use cairn_autopilot::{
    AutopilotInput, AutopilotOutput, DocumentKind, Existing, ListedFile, Listing, Project, Skipped, Sources,
    Tree, generate,
};
use cairn_kb::tools::UpsertInput;
use cairn_kb::{Branch, CheckRequest, CheckState, Entity, EntityType, NodeKey, Rule, examine_upsert};

/// Files in memory; it notes what is read.
#[derive(Default)]
pub(crate) struct Files {
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    pub(crate) read: Mutex<BTreeSet<String>>,
}

impl Tree for Files {
    fn read(&self, path: &str, bytes_max: usize) -> Result<Vec<u8>, Skipped> {
        self.read.lock().unwrap().insert(path.to_owned());
        let bytes = self.files.get(path).ok_or(Skipped::Unreadable)?;
        if bytes.len() > bytes_max { Err(Skipped::TooLarge) } else { Ok(bytes.clone()) }
    }
}

impl Files {
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
        Files { files, read: Mutex::default() }
    }

    pub(crate) fn put(&mut self, path: &str, bytes: impl Into<Vec<u8>>) {
        self.files.insert(path.to_owned(), bytes.into());
    }

    /// The listing, with the default folders of the KB.
    pub(crate) fn listing(&self) -> Listing {
        let files = self.files.iter().map(|(path, bytes)| ListedFile {
            path: path.clone(),
            bytes: bytes.len() as u64,
            document: document(path),
        });
        Listing { files: files.collect(), ..Listing::default() }
    }
}

fn document(path: &str) -> Option<DocumentKind> {
    let rest = path.strip_prefix("documentation/")?;
    if rest == "symbols.yaml" {
        return Some(DocumentKind::Symbols);
    }
    let kind = match rest.split_once('/')?.0 {
        "requirements" => EntityType::Req,
        "scenarios" => EntityType::Scenario,
        "tests" => EntityType::Test,
        "adr" => EntityType::Adr,
        "facts" => EntityType::Fact,
        _ => return None,
    };
    rest.ends_with(".md").then_some(DocumentKind::Markdown(kind))
}

/// Arguments as JSON.
pub(crate) fn input(json: serde_json::Value) -> AutopilotInput {
    serde_json::from_value(json).unwrap()
}

/// Generates with an empty branch and without settings.
pub(crate) fn over(files: &Files, json: serde_json::Value) -> AutopilotOutput {
    over_branch(files, &Existing::default(), &Project::default(), json)
}

pub(crate) fn over_branch(
    files: &Files,
    existing: &Existing,
    project: &Project,
    json: serde_json::Value,
) -> AutopilotOutput {
    let sources = Sources { tree: files, listing: files.listing(), project, existing };
    generate(sources, &input(json)).unwrap()
}

/// A branch that upserts are stored in as `kb_upsert` stores them.
#[derive(Default)]
pub(crate) struct Kb {
    branch: Branch,
    entities: HashMap<String, Entity>,
}

impl Kb {
    /// Applies payloads in order. Each has to be accepted, contradictions included.
    pub(crate) fn apply(&mut self, plan: &[UpsertInput]) {
        for payload in plan {
            let current = self.entities.get(&payload.id);
            let examined = examine_upsert(&self.branch, current, payload, None, 1_780_000_000_000);
            assert!(examined.problems.is_empty(), "{payload:?}: {:?}", examined.problems);
            let key = examined.plan.key.unwrap_or(NodeKey(self.branch.len() as u64 + 1));
            let changes = examined.plan.changes(key);
            let mut state = CheckState::build(&self.branch, &mut |_, _| {});
            let conflicts = state.new_contradictions(&mut self.branch, changes.clone());
            assert!(conflicts.is_empty(), "{payload:?}: {}", conflicts[0].reason);
            self.branch.apply(changes);
            self.entities.insert(payload.id.clone(), examined.plan.entity);
        }
    }

    /// Violations of all rules that are on by default, and of the strict ones.
    pub(crate) fn violations(&self) -> Vec<String> {
        let request = CheckRequest { rules: Rule::ALL.to_vec(), require_adr: false, limit: 1_000, offset: 0 };
        let state = CheckState::build(&self.branch, &mut |_, _| {});
        let report = state.report(&self.branch, &request);
        report.violations.iter().map(|found| format!("{} {}", found.rule, found.entity_id)).collect()
    }

    pub(crate) fn entity(&self, id: &str) -> Option<&Entity> {
        self.entities.get(id)
    }

    /// The same branch as autopilot sees it.
    pub(crate) fn existing(&self) -> Existing {
        let mut existing = Existing::default();
        self.entities.values().for_each(|entity| existing.add(&entity.into()));
        for edge in self.branch.edges() {
            let id = |key| self.branch.node(key).unwrap().id.to_string();
            existing.link(edge.relation, &id(edge.from), &id(edge.to));
        }
        existing
    }
}

/// Ids of entities of the candidates, in order.
pub(crate) fn ids(output: &AutopilotOutput) -> Vec<&str> {
    output.candidates.iter().map(|candidate| candidate.entity_id.as_str()).collect()
}

/// Suppressed candidates and their reasons.
pub(crate) fn suppressed(output: &AutopilotOutput) -> Vec<(&str, &str)> {
    output.suppressed_candidates.iter().map(|one| (one.candidate_id.as_str(), one.reason.text())).collect()
}
