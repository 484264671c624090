//! The words of a result: one sentence, a block for prompts, and recommended actions.

use crate::activation::{ActivationMode, ActivationState};
use crate::candidate::{Band, Provider, Suppression};
use crate::confidence::Policy;
use crate::limits::{AUTOPILOT_PROMPT_BULLETS_MAX, AUTOPILOT_PROMPT_WORDS_MAX};
use crate::output::{ActionKind, AutopilotOutput, RecommendedAction};

/// Writes the sentence, the block and the actions of a result whose other fields are there.
pub(crate) fn describe(output: &mut AutopilotOutput) {
    output.tldr = tldr(output);
    output.prompt_block = prompt_block(output);
    output.recommended_actions = actions(output);
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn groups(output: &AutopilotOutput) -> String {
    let groups = output.groups.iter().map(|group| format!("{} {}", group.count, group.entity_type));
    groups.collect::<Vec<_>>().join(", ")
}

fn tldr(output: &AutopilotOutput) -> String {
    let candidates = counted(output.candidates.len(), "candidate", "candidates");
    let payloads = counted(output.apply_plan.len(), "payload", "payloads");
    match (output.activation_mode, output.candidates.is_empty()) {
        (ActivationMode::AttachedThinHandoff | ActivationMode::AttachedSeededHandoff, _) => {
            format!("No candidates: {}; continue with the other kb_* tools.", output.activation_reason)
        }
        (ActivationMode::VendoredBlocked, _) => format!("No candidates: {}.", output.activation_reason),
        (ActivationMode::ColdStartBootstrap | ActivationMode::RepairBootstrap, true) => {
            let suppressed = &output.discovery_summary.suppressed_counts;
            match suppressed.get(Suppression::EntityExists.text()) {
                Some(known) => {
                    format!("No new candidates: {known} of those that were found are in the KB already.")
                }
                None if !suppressed.is_empty() => {
                    "No candidates: all that were found are suppressed; suppressedCandidates says why."
                        .to_owned()
                }
                None => "No candidates: the repository has no evidence of enough confidence.".to_owned(),
            }
        }
        (ActivationMode::RepairBootstrap, false) => {
            format!("{candidates} ({}); the plan is blocked until the settings are repaired.", groups(output))
        }
        (ActivationMode::ColdStartBootstrap, false) if output.apply_blocked => {
            format!("{candidates} ({}) to be reviewed one by one.", groups(output))
        }
        (ActivationMode::ColdStartBootstrap, false) => {
            format!(
                "{candidates} ({}) in {payloads}, to be approved before they are applied.",
                groups(output)
            )
        }
    }
}

/// At most five bullets and 120 words. No bullet quotes the repository, so that its prose cannot instruct a model.
fn prompt_block(output: &AutopilotOutput) -> String {
    let mut bullets = vec![output.tldr.clone()];
    let high = output.candidates.iter().filter(|candidate| candidate.confidence_band == Band::High).count();
    if !output.candidates.is_empty() {
        let applied = if output.apply_blocked {
            "do not apply the plan"
        } else {
            "show them, wait for approval, then call kb_upsert for each payload in order and kb_check at the end"
        };
        bullets.push(format!("{high} of the candidates have high confidence; {applied}."));
    }
    let signals: u64 = output.discovery_summary.signal_counts.values().sum();
    if signals > 0 {
        bullets.push(format!(
            "{signals} source signals need an author; sourceSignals has advice for each kind."
        ));
    }
    let suppressed: u64 = output.discovery_summary.suppressed_counts.values().sum();
    let omitted = output.discovery_summary.candidates_omitted;
    if suppressed + omitted > 0 {
        bullets.push(format!("{suppressed} candidates are suppressed and {omitted} did not fit."));
    }
    if output.discovery_summary.truncated {
        bullets.push("A limit left something out; scanWarnings names it.".to_owned());
    } else if output.migration_warning.is_some() {
        bullets.push("The settings are of another version of the model; see migrationWarning.".to_owned());
    }
    bullets.truncate(AUTOPILOT_PROMPT_BULLETS_MAX);
    let mut words = 0;
    let mut block = String::new();
    for bullet in bullets {
        words += bullet.split_whitespace().count() + 1;
        if words > AUTOPILOT_PROMPT_WORDS_MAX {
            break;
        }
        if !block.is_empty() {
            block.push('\n');
        }
        block.push_str("- ");
        block.push_str(&bullet);
    }
    block
}

fn actions(output: &AutopilotOutput) -> Vec<RecommendedAction> {
    let mut actions: Vec<(ActionKind, String, Vec<String>)> = Vec::new();
    let all = || output.candidates.iter().map(|candidate| candidate.candidate_id.clone()).collect::<Vec<_>>();
    if let Some(warning) = &output.migration_warning {
        actions.push((ActionKind::Handoff, warning.clone(), Vec::new()));
    }
    if let Some(message) = &output.handoff_message {
        actions.push((ActionKind::Handoff, message.clone(), Vec::new()));
    }
    match output.activation_state {
        ActivationState::RootActiveThin | ActivationState::RootActiveSeeded => {
            let description =
                "Search the KB with kb_search, and find what is missing with kb_find_gaps.".to_owned();
            actions.push((ActionKind::Query, description, Vec::new()));
        }
        ActivationState::VendoredOnly | ActivationState::RootUninitialized | ActivationState::RootPartial => {
        }
    }
    if !output.candidates.is_empty() {
        if output.candidates.iter().any(|candidate| candidate.source_kind == Provider::TypedDocs) {
            let description =
                "Typed documents are in the folders of the KB: `cairn kb sync` reads all of them at once."
                    .to_owned();
            actions.push((ActionKind::Handoff, description, Vec::new()));
        }
        let description = "Show the candidates with their evidence, and ask for approval.".to_owned();
        actions.push((ActionKind::Handoff, description, all()));
        let may_apply = !output.apply_blocked && output.confidence.policy == Policy::FullActions;
        if may_apply {
            let description =
                "After approval, call kb_upsert for each payload of applyPlan in order, and confirm each."
                    .to_owned();
            actions.push((ActionKind::Upsert, description, all()));
            let description = "Call kb_check; the plan adds no violation.".to_owned();
            actions.push((ActionKind::Check, description, Vec::new()));
        }
    }
    let has_signals = !output.discovery_summary.signal_counts.is_empty();
    if has_signals {
        let description = "Author requirements, scenarios and tests from sourceSignals.".to_owned();
        actions.push((ActionKind::Handoff, description, Vec::new()));
    }
    let numbered = (1..).zip(actions);
    numbered
        .map(|(order, (kind, description, candidate_ids))| RecommendedAction {
            order,
            kind,
            description,
            candidate_ids,
        })
        .collect()
}
