//! Figures of background verification.

use cairn_seam::{ScrubStatus, ScrubTally};

use super::{MetricKind, PrometheusText};

pub(crate) fn write_scrub(text: &mut PrometheusText, status: &ScrubStatus) {
    use MetricKind::{Counter, Gauge};
    let mut number = |name, kind, help, value: u64| {
        text.family(name, kind, help).integer(&[], value);
    };
    number(
        "cairn_scrub_enabled",
        Gauge,
        "1 when files are verified in the background.",
        u64::from(status.policy.is_some()),
    );
    number(
        "cairn_scrub_running",
        Gauge,
        "1 while a pass of verification is under way.",
        u64::from(status.current.is_some()),
    );
    number("cairn_scrub_bytes_total", Counter, "Bytes verified in the background.", status.bytes);
    number("cairn_scrub_passes_total", Counter, "Passes of verification that were finished.", status.passes);
    let finished_ms = status.last.as_ref().and_then(|last| last.finished_at_ms).unwrap_or(0);
    number(
        "cairn_scrub_last_finished_milliseconds",
        Gauge,
        "When the last pass of verification was finished, in Unix milliseconds; 0 if none was.",
        finished_ms,
    );
    let mut tally = |name, kind, help, tally: &ScrubTally| {
        let mut family = text.family(name, kind, help);
        for (of, count) in tally.iter() {
            family.integer(&[("kind", of.name())], count);
        }
    };
    tally(
        "cairn_scrub_findings_total",
        Counter,
        "Damage found in files while serving, by kind of file.",
        &status.found,
    );
    tally(
        "cairn_scrub_repairs_total",
        Counter,
        "Damage that was repaired while serving, by kind of file.",
        &status.repaired,
    );
    tally("cairn_scrub_damaged", Gauge, "Damage that is still there, by kind of file.", &status.damaged);
}
