//! The whole of `kb_autopilot_generate`.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use cairn_kb::EntityType;
use cairn_kb::tools::UpsertInput;

use crate::activation::ActivationState;
use crate::candidate::{Candidate, Draft, Evidence, Payloads, Suppression};
use crate::confidence::{Observed, Policy, ResultConfidence};
use crate::discovery::Discovery;
use crate::existing::{Counts, Existing};
use crate::input::{AutopilotInput, Request};
use crate::limits::{AUTOPILOT_FILES_MAX, AUTOPILOT_PATH_BYTES_MAX, AUTOPILOT_ROUNDS_MAX};
use crate::order::in_order;
use crate::output::{AutopilotOutput, CandidateGroup, PayoffSummary, suppressed_counts};
use crate::plan::{Planned, Rehearsal};
use crate::project::Project;
use crate::provider::links::Links;
use crate::provider::typed::{self, TypedIndex};
use crate::provider::{layout, topology};
use crate::scan::{Budget, Scene, other_files, typed_documents};
use crate::select::Pool;
use crate::tree::{ListedFile, Listing, Skipped, Tree};
use crate::{AutopilotError, summary};

/// Everything that candidates are made from.
pub struct Sources<'a> {
    /// Reads files.
    pub tree: &'a dyn Tree,
    /// The files, and what was left out.
    pub listing: Listing,
    /// The workspace.
    pub project: &'a Project,
    /// Entities of the branch.
    pub existing: &'a Existing,
}

/// Generates candidates. Nothing is stored. The result depends on the files, the workspace, the branch and the
/// arguments, and not on the order of the listing.
///
/// Fails if the declared context is too large or names paths outside of the workspace. Files that cannot be read are
/// named in the result.
pub fn generate(sources: Sources<'_>, input: &AutopilotInput) -> Result<AutopilotOutput, AutopilotError> {
    let request = Request::new(input)?;
    let Sources { tree, listing, project, existing } = sources;
    let mut discovery = Discovery::default();
    let files = listed(listing, &mut discovery);
    let current = existing.counts();
    let state = ActivationState::of(project, &current, &files, discovery.excluded());
    let mode = state.mode();
    let mut typed = TypedIndex::default();
    let mut budget = Budget::default();
    let mut prose = BTreeSet::new();
    if mode.generates() {
        prose = typed_documents(tree, &files, &mut budget, &mut |findings, entities| {
            discovery.file(&findings);
            discovery.remarks(findings.warnings, findings.is_truncated);
            typed.add(entities);
        });
        discovery.is_truncated |= typed.is_truncated;
    }
    let mut pool = Pool::new(&request, existing, &typed);
    let mut planned = Vec::new();
    if mode.generates() {
        let dir = project.requirements_dir.as_deref();
        gather(tree, &files, &prose, &request, existing, dir, &typed, &mut budget, &mut discovery, &mut pool);
        check_context(&request, &files, &mut discovery);
        planned = plan(tree, &files, &request, existing, project, &mut pool, &mut discovery);
    }
    if budget.is_spent {
        discovery.is_truncated = true;
        let message = "not all files were read: there are more files or bytes than one call reads";
        discovery.remark("", Skipped::TooMany, message);
    }
    let offered: Vec<Candidate> = planned.into_iter().map(candidate).collect();
    let found = pool.found();
    let omitted = found.saturating_sub(offered.len() as u64 + pool.suppressed.total());
    let suppressed = std::mem::take(&mut pool.suppressed);
    let mut summary = discovery.summary(mode.generates(), pool.per_provider());
    summary.candidates_found = found;
    summary.candidates_omitted = omitted;
    summary.suppressed_counts = suppressed_counts(&suppressed.counts);
    let confidence = ResultConfidence::of(Observed {
        mode,
        has_candidates: !offered.is_empty(),
        has_context: !request.context.is_empty(),
        has_signals: !summary.signal_counts.is_empty(),
    });
    let delta = delta(&offered);
    let mut output = AutopilotOutput {
        activation_state: state,
        activation_mode: mode,
        bootstrap_mode: mode.bootstrap(),
        activation_reason: state.reason(project, &current),
        apply_blocked: !mode.may_apply() || confidence.policy != Policy::FullActions,
        migration_warning: project.migration_warning.clone(),
        handoff_message: mode.handoff().map(str::to_owned),
        confidence,
        tldr: String::new(),
        prompt_block: String::new(),
        recommended_actions: Vec::new(),
        declared_context: request.context.clone(),
        groups: groups(&offered),
        apply_plan: offered.iter().flat_map(|candidate| candidate.apply_plan.clone()).collect(),
        candidates: offered,
        suppressed_candidates: suppressed.into_list(),
        source_signals: discovery.into_signals(),
        payoff_summary: PayoffSummary { current, projected_if_all_applied: current.plus(delta), delta },
        discovery_summary: summary,
        snapshot_id: project.snapshot_id.clone(),
    };
    summary::describe(&mut output);
    Ok(output)
}

/// The files in the order of their paths, as many as are considered.
fn listed(listing: Listing, discovery: &mut Discovery) -> Vec<ListedFile> {
    let Listing { mut files, excluded, is_truncated } = listing;
    files.sort_unstable();
    files.dedup_by(|one, other| one.path == other.path);
    discovery.listed(files.len() as u64, excluded, is_truncated);
    files.retain(|file| {
        let fits = file.path.len() <= AUTOPILOT_PATH_BYTES_MAX;
        if !fits {
            let start: String = file.path.chars().take(100).collect();
            discovery.remark(&start, Skipped::TooLarge, "its path is too long");
        }
        fits
    });
    if files.len() > AUTOPILOT_FILES_MAX {
        files.truncate(AUTOPILOT_FILES_MAX);
        discovery.is_truncated = true;
        discovery.remark("", Skipped::TooMany, "there are more files than are considered");
    }
    files
}

/// Runs the providers, and offers what they find.
#[expect(clippy::too_many_arguments, reason = "the one place where everything comes together")]
fn gather(
    tree: &dyn Tree,
    files: &[ListedFile],
    prose: &BTreeSet<String>,
    request: &Request,
    existing: &Existing,
    requirements_dir: Option<&str>,
    typed: &TypedIndex,
    budget: &mut Budget,
    discovery: &mut Discovery,
    pool: &mut Pool<'_>,
) {
    let paths: HashSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    typed.drafts().into_iter().for_each(|draft| offer_typed(pool, draft, &paths));
    let test_ids = Links::test_ids(existing, typed);
    let mut links = Links::new(existing, typed, &paths);
    let mut directed = Vec::new();
    let mut groups = topology::Groups::default();
    let scene = Scene { request, test_ids: &test_ids, requirements_dir };
    other_files(tree, files, prose, &scene, budget, &mut |findings| {
        discovery.file(&findings);
        findings.drafts.into_iter().for_each(|draft| pool.offer(draft));
        findings.signals.into_iter().for_each(|signal| discovery.signal(signal));
        discovery.remarks(findings.warnings, findings.is_truncated);
        let names_tests = findings.symbols.as_ref().is_some_and(|symbols| !symbols.names_tests.is_empty());
        if let Some(test) = findings.test {
            groups.add(&test);
            if !names_tests && !links.is_of_test(&test.path) {
                discovery.test_file(&test);
            }
        }
        if let Some(symbols) = findings.symbols {
            let room = crate::limits::AUTOPILOT_DIRECTIVES_MAX - directed.len();
            discovery.is_truncated |= symbols.directed.len() > room;
            directed.extend(symbols.directed.into_iter().take(room));
            for test in &symbols.names_tests {
                links.named(test, &symbols.path);
            }
        }
    });
    discovery.languages(files);
    discovery.frameworks(groups.frameworks());
    discovery.is_truncated |= groups.is_truncated();
    layout::drafts(files).into_iter().for_each(|draft| pool.offer(draft));
    groups.drafts().into_iter().for_each(|draft| pool.offer(draft));
    let linked = links.link(tree, &directed);
    linked.drafts.into_iter().for_each(|draft| pool.offer(draft));
    linked.signals.into_iter().for_each(|signal| discovery.signal(signal));
}

/// A symbol of the symbols file counts only if its source file does.
fn offer_typed(pool: &mut Pool<'_>, draft: Draft, paths: &HashSet<&str>) {
    let file = draft.symbol_file();
    if draft.kind == EntityType::Symbol && !file.is_empty() && !paths.contains(file.trim_start_matches("./"))
    {
        let detail = format!("{file} is ignored, missing or outside of the workspace");
        let suppressed = draft.suppressed(Suppression::IgnoredSource, Some(detail));
        pool.refuse(&draft, suppressed);
        return;
    }
    pool.offer(draft);
}

/// Names paths of the declared context that lead to no file.
fn check_context(request: &Request, files: &[ListedFile], discovery: &mut Discovery) {
    for root in request.sources_of_truth.iter().chain(request.priority_roots.iter()) {
        let holds = |file: &ListedFile| {
            root.is_empty()
                || root == "."
                || file.path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if !files.iter().any(holds) {
            let message = "a path of the declared context leads to no file: it is missing or ignored";
            discovery.remark(root, Skipped::Unreadable, message);
        }
    }
}

/// Chooses candidates until all of them can be stored without a new violation.
fn plan(
    tree: &dyn Tree,
    files: &[ListedFile],
    request: &Request,
    existing: &Existing,
    project: &Project,
    pool: &mut Pool<'_>,
    discovery: &mut Discovery,
) -> Vec<Planned> {
    let rehearsal = Rehearsal::new(existing, project);
    let mut documents = Documents { tree, files, payloads: HashMap::new() };
    let mut refused: HashSet<String> = HashSet::new();
    let mut last: Option<HashSet<String>> = None;
    for round in 0.. {
        // After some rounds nothing is filled up any more, so that every further one is smaller.
        let is_open = |draft: &&Draft| {
            !refused.contains(&draft.id)
                && (round < AUTOPILOT_ROUNDS_MAX || last.as_ref().is_none_or(|last| last.contains(&draft.id)))
        };
        let chosen: Vec<Draft> =
            pool.ranked().filter(is_open).take(request.candidates_max).cloned().collect();
        documents.load(&chosen, discovery);
        let chosen: Vec<(Draft, Vec<UpsertInput>)> =
            chosen.into_iter().filter_map(|draft| documents.payloads(draft, &mut refused)).collect();
        let (planned, rejected) = rehearsal.run(in_order(chosen, &|path| request.priority_roots.hold(path)));
        if rejected.is_empty() {
            return planned;
        }
        last = Some(planned.iter().map(|planned| planned.draft.id.clone()).collect());
        for rejected in rejected {
            refused.insert(rejected.draft.id.clone());
            pool.suppressed.add(rejected.draft.suppressed(rejected.reason, Some(rejected.detail)));
        }
    }
    Vec::new()
}

/// Payloads of typed documents, which are read again for the candidates that are chosen.
struct Documents<'a> {
    tree: &'a dyn Tree,
    files: &'a [ListedFile],
    /// By candidate.
    payloads: HashMap<String, UpsertInput>,
}

impl Documents<'_> {
    /// Reads the documents of those candidates that are not loaded yet.
    fn load(&mut self, chosen: &[Draft], discovery: &mut Discovery) {
        let mut missing: BTreeMap<&str, Vec<(&str, usize)>> = BTreeMap::new();
        for draft in chosen {
            if let Payloads::Document { index, .. } = draft.payloads
                && !self.payloads.contains_key(&draft.id)
            {
                missing.entry(&draft.path).or_default().push((&draft.id, index));
            }
        }
        for (path, entities) in missing {
            let at = self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok();
            let Some(kind) = at.and_then(|at| self.files.get(at)?.document) else { continue };
            match self.tree.read(path, typed::bytes_max(kind)) {
                Ok(bytes) => {
                    let mut document = typed::document(kind, path, &bytes);
                    for (id, index) in entities {
                        if let Some(entity) = document.entities.get_mut(index) {
                            self.payloads.insert(id.to_owned(), entity.input.clone());
                        }
                    }
                }
                Err(reason) => discovery.remark(path, reason, "the document changed while it was read"),
            }
        }
    }

    /// The payloads of a candidate. One whose document changed meanwhile is refused.
    fn payloads(&self, draft: Draft, refused: &mut HashSet<String>) -> Option<(Draft, Vec<UpsertInput>)> {
        let payloads = match &draft.payloads {
            Payloads::Ready(payloads) => Some(payloads.clone()),
            Payloads::Document { .. } => {
                let payload = self.payloads.get(&draft.id).filter(|payload| payload.id == draft.entity_id);
                payload.map(|payload| vec![payload.clone()])
            }
        };
        match payloads {
            Some(payloads) => Some((draft, payloads)),
            None => {
                refused.insert(draft.id);
                None
            }
        }
    }
}

fn candidate(planned: Planned) -> Candidate {
    let Planned { draft, payloads, left_out } = planned;
    let mut evidence = draft.evidence;
    if let Some(first) = left_out.first() {
        let more = left_out.len() - 1;
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        let detail = format!("left out: {} {}, which is no entity{more}", first.relation, first.to);
        evidence.push(Evidence { path: draft.path.clone(), line: None, detail });
    }
    Candidate {
        candidate_id: draft.id,
        entity_type: draft.kind,
        entity_id: draft.entity_id,
        title: draft.title,
        source_kind: draft.provider,
        source_path: draft.path,
        confidence: draft.confidence.number(),
        confidence_band: draft.confidence.band(),
        evidence,
        relationships: payloads.iter().flat_map(|payload| payload.relationships.clone()).collect(),
        apply_plan: payloads,
    }
}

fn delta(candidates: &[Candidate]) -> Counts {
    let mut counts = Counts::default();
    let mut seen: HashSet<&str> = HashSet::new();
    for payload in candidates.iter().flat_map(|candidate| &candidate.apply_plan) {
        counts.relationships += payload.relationships.len() as u64;
        if seen.insert(&payload.id) {
            counts.add(payload.kind);
        }
    }
    counts
}

fn groups(candidates: &[Candidate]) -> Vec<CandidateGroup> {
    let of = |kind: &EntityType| {
        let ids = candidates.iter().filter(|candidate| candidate.entity_type == *kind);
        let candidate_ids: Vec<String> = ids.map(|candidate| candidate.candidate_id.clone()).collect();
        let count = candidate_ids.len() as u64;
        (count > 0).then_some(CandidateGroup { entity_type: *kind, count, candidate_ids })
    };
    EntityType::ALL.iter().filter_map(of).collect()
}
