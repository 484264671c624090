//! A result as text: the essentials, with candidates grouped by type.

use cairn_kb::tools::UpsertInput;

use crate::candidate::Candidate;
use crate::limits::AUTOPILOT_TEXT_BYTES_MAX;
use crate::output::AutopilotOutput;

/// Suppressed candidates, signals and warnings that the text shows of each.
const SHOWN: usize = 10;

impl AutopilotOutput {
    /// Returns the essentials as text.
    pub fn text(&self) -> String {
        let mut lines = vec![
            self.tldr.clone(),
            format!("Confidence {:.2}: {}.", self.confidence.score, self.activation_reason),
        ];
        lines.extend(self.migration_warning.iter().map(|warning| format!("Warning: {warning}")));
        if self.apply_blocked {
            lines.push("The plan must not be applied.".to_owned());
        }
        lines.extend(self.handoff_message.clone());
        for group in &self.groups {
            lines.push(format!("\n{} ({})", group.entity_type, group.count));
            let of_group =
                self.candidates.iter().filter(|candidate| candidate.entity_type == group.entity_type);
            lines.extend(of_group.flat_map(candidate));
        }
        if !self.apply_plan.is_empty() {
            lines.push(format!("\nApply plan: {} payloads of kb_upsert, in order:", self.apply_plan.len()));
            lines.extend((1..).zip(&self.apply_plan).map(|(number, payload)| step(number, payload)));
        }
        self.rest(&mut lines);
        bounded(lines.join("\n"))
    }

    fn rest(&self, lines: &mut Vec<String>) {
        let more = |shown: usize, count: u64| {
            let more = count.saturating_sub(shown as u64);
            (more > 0).then(|| format!("… and {more} more"))
        };
        let summary = &self.discovery_summary;
        if !self.suppressed_candidates.is_empty() {
            lines.push("\nSuppressed:".to_owned());
            let shown = self.suppressed_candidates.iter().take(SHOWN);
            lines.extend(shown.map(|one| {
                let detail = one.detail.as_deref().map(|detail| format!(" ({detail})")).unwrap_or_default();
                format!("- {}: {}{detail}", one.candidate_id, one.reason.text())
            }));
            lines.extend(more(SHOWN, summary.suppressed_counts.values().sum()));
        }
        if !self.source_signals.is_empty() {
            lines.push("\nSource signals, for an author:".to_owned());
            let mut kind = None;
            for signal in &self.source_signals {
                if kind != Some(signal.kind) {
                    kind = Some(signal.kind);
                    let count = summary.signal_counts.get(signal.kind.text()).copied().unwrap_or(0);
                    let place = signal.line.map(|line| format!(":{line}")).unwrap_or_default();
                    let first = format!("{}{place} {}", signal.path, signal.title);
                    lines.push(format!("- {} ({count}): {first}; {}", signal.kind.text(), signal.advice));
                }
            }
        }
        if !summary.scan_warnings.is_empty() {
            lines.push("\nScan warnings:".to_owned());
            let shown = summary.scan_warnings.iter().take(SHOWN);
            lines.extend(shown.map(|one| format!("- {}: {} ({})", one.path, one.message, one.reason.text())));
            lines.extend(more(SHOWN, summary.scan_warning_count));
        }
    }
}

fn candidate(candidate: &Candidate) -> Vec<String> {
    let Candidate { entity_id, title, confidence, source_path, evidence, .. } = candidate;
    let place =
        evidence.first().and_then(|first| first.line).map(|line| format!(":{line}")).unwrap_or_default();
    vec![format!("- {confidence:.2} {entity_id}: {title} [{source_path}{place}]")]
}

fn step(number: usize, payload: &UpsertInput) -> String {
    let links: Vec<String> =
        payload.relationships.iter().map(|link| format!("{} {}", link.relation, link.to)).collect();
    let links = if links.is_empty() { String::new() } else { format!(" -> {}", links.join(", ")) };
    format!("{number}. {} {}{links}", payload.kind, payload.id)
}

/// Cuts a text at its limit, at the end of a line.
fn bounded(mut text: String) -> String {
    if text.len() > AUTOPILOT_TEXT_BYTES_MAX {
        let mut end = AUTOPILOT_TEXT_BYTES_MAX;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let end = text[..end].rfind('\n').unwrap_or(end);
        text.truncate(end);
        text.push_str("\n… cut; structured content has everything");
    }
    text
}
