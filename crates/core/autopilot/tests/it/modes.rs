//! Modes of a workspace, and the declared context.

use cairn_autopilot::{ActivationMode, Excluded, Existing, Policy, Project, Skipped, Sources, generate};
use serde_json::json;

use crate::kit::{Files, Kb, ids, input, over, over_branch, suppressed};
use crate::samples;

fn seeded() -> Kb {
    let mut kb = Kb::default();
    let entities = ["req", "fact", "adr", "scenario", "flag"].map(|kind| {
        json!({"type": kind, "id": format!("X-{kind}"), "properties": {"title": kind, "status": "active"}})
    });
    kb.apply(&serde_json::from_value::<Vec<_>>(json!(entities)).unwrap());
    kb
}

#[test]
fn a_handoff_reads_nothing() {
    let project = Project { has_settings: true, ..Project::default() };
    let files = samples::typescript();
    let output = over_branch(&files, &seeded().existing(), &project, json!({}));
    assert_eq!(output.activation_mode, ActivationMode::AttachedSeededHandoff);
    assert!(output.apply_blocked && output.candidates.is_empty() && output.handoff_message.is_some());
    assert_eq!(output.confidence.policy, Policy::HandoffOnly);
    assert!(files.read.lock().unwrap().is_empty());
    assert!(output.discovery_summary.providers_run.is_empty());
}

#[test]
fn a_repair_generates_and_blocks() {
    let missing_paths = vec!["requirements".to_owned()];
    let project = Project { has_settings: true, missing_paths, ..Project::default() };
    let output = over_branch(&samples::typescript(), &Existing::default(), &project, json!({}));
    assert_eq!(output.activation_mode, ActivationMode::RepairBootstrap);
    assert!(output.apply_blocked && !output.candidates.is_empty());
    assert!(
        output.recommended_actions.iter().all(|action| action.kind != cairn_autopilot::ActionKind::Upsert)
    );
}

#[test]
fn code_of_others_is_no_project() {
    let files = Files::of(&[("x.txt", "x")]);
    let mut listing = files.listing();
    listing.excluded.push(Excluded { path: "vendor".to_owned(), reason: Skipped::HardDeny });
    let (project, existing) = (Project::default(), Existing::default());
    let sources = Sources { tree: &files, listing, project: &project, existing: &existing };
    let output = generate(sources, &input(json!({}))).unwrap();
    assert_eq!(output.activation_mode, ActivationMode::VendoredBlocked);
    assert!(output.apply_blocked);
    assert_eq!(output.discovery_summary.excluded_roots.len(), 1);
}

#[test]
fn nothing_found_is_not_applied() {
    let output = over(&Files::default(), json!({}));
    assert_eq!(output.confidence.score, 0.58);
    assert!(output.apply_blocked && output.apply_plan.is_empty());
}

#[test]
fn a_source_of_truth_makes_statements_requirements() {
    let files = Files::of(&[("docs/a.md", "# A\n\nThe log should be retained for 3 days.\n")]);
    assert_eq!(ids(&over(&files, json!({"entityTypes": ["req"]}))).len(), 0, "0.78 is less than 0.80");
    let context = json!({"entityTypes": ["req"], "bootstrapContext": {"sourceOfTruthPaths": ["docs"]}});
    let output = over(&files, context);
    assert_eq!(output.candidates[0].confidence, 0.86);
    assert_eq!(output.declared_context.source_of_truth_paths, ["docs"]);
    assert!(output.confidence.reasons.iter().any(|reason| reason.starts_with("+0.08")));
}

#[test]
fn a_path_of_the_context_that_leads_nowhere_is_named() {
    let context =
        json!({"bootstrapContext": {"priorityRoots": ["nowhere"], "sourceOfTruthPaths": ["README.md"]}});
    let output = over(&samples::typescript(), context);
    let named: Vec<_> = output.discovery_summary.scan_warnings.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(named, ["nowhere"]);
}

#[test]
fn generic_markdown_can_be_left_out() {
    let files = samples::documents();
    let output = over(&files, json!({"includeGenericMarkdown": false}));
    let read = files.read.lock().unwrap();
    assert!(!read.contains("docs/facts.md") && read.contains("documentation/requirements/a.md"), "{read:?}");
    assert!(output.candidates.iter().all(|candidate| candidate.source_kind.text() != "generic_repo_docs"));
}

#[test]
fn a_typed_file_without_front_matter_is_prose() {
    let output = over(&samples::documents(), json!({"entityTypes": ["req"]}));
    let found = output.candidates.iter().find(|candidate| candidate.source_path.ends_with("prose.md"));
    assert_eq!(found.unwrap().source_kind.text(), "generic_repo_docs");
}

#[test]
fn a_changelog_states_nothing() {
    let output = over(&samples::documents(), json!({"minConfidence": 0.6, "maxCandidates": 200}));
    assert!(output.candidates.iter().all(|candidate| candidate.source_path != "CHANGELOG.md"));
}

#[test]
fn a_typed_source_shadows_prose() {
    let mut files = samples::documents();
    files.put("docs/copy.md", "# Copy\n\n## ADR: shadowed\n\nText.\n");
    files.put("documentation/adr/s.md", "---\nid: ADR-S\ntitle: 'adr: SHADOWED'\nstatus: accepted\n---\n");
    let output = over(&files, json!({}));
    let reasons = suppressed(&output);
    assert!(reasons.contains(&("gen:docs/copy.md:ADR: shadowed", "shadowed_by_typed_source")), "{reasons:?}");
}

#[test]
fn sections_about_the_licence_and_the_past_state_nothing() {
    let text = "# A\n\n## License\n\nThe notice shall be included in all copies.\n\n### Copies\n\nCopies must be whole.\n\n\
                ## Changelog\n\nThe log must be read.\n\n## Storage\n\nThe log must be kept.\n";
    let output =
        over(&Files::of(&[("README.md", text)]), json!({"entityTypes": ["req"], "minConfidence": 0.6}));
    let titles: Vec<_> = output.candidates.iter().map(|candidate| candidate.title.as_str()).collect();
    assert_eq!(titles, ["The log must be kept."]);
}

#[test]
fn roots_that_come_first_do_so_among_candidates_of_equal_confidence() {
    let files = Files::of(&[("a/x.md", "The log must be kept.\n"), ("b/x.md", "The index must be small.\n")]);
    let paths = |context: serde_json::Value| {
        let output = over(&files, json!({"entityTypes": ["req"], "bootstrapContext": context}));
        output.candidates.into_iter().map(|candidate| candidate.source_path).collect::<Vec<_>>()
    };
    assert_eq!(paths(json!({})), ["a/x.md", "b/x.md"]);
    assert_eq!(paths(json!({"priorityRoots": ["b"]})), ["b/x.md", "a/x.md"]);
}

#[test]
fn a_branch_that_has_everything_is_told_so() {
    let files = Files::of(&[("README.md", "The log must be kept.\n")]);
    let mut kb = Kb::default();
    kb.apply(&over(&files, json!({})).apply_plan);
    let output = over_branch(&files, &kb.existing(), &Project::default(), json!({}));
    assert!(output.tldr.ends_with("are in the KB already."), "{}", output.tldr);
}
