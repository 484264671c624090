//! Background verification as JSON.

use std::collections::BTreeMap;

use cairn_seam::{Finding, ScrubPass, ScrubPolicy, ScrubStatus, ScrubTally};
use cairn_wire::scrub::{Damage, Pass, ScrubDetails, ScrubFigures};

use crate::IntoWire;

/// What there is to say where files are verified in the background, or damage is known all the same.
pub(super) fn details(status: &ScrubStatus) -> Option<ScrubDetails> {
    let is_worth_it = status.policy.is_some() || status.damaged.total() > 0;
    is_worth_it.then(|| ScrubDetails {
        last_finished_at_ms: status.last.as_ref().and_then(|last| last.finished_at_ms),
        damaged: by_kind(&status.damaged),
    })
}

impl IntoWire for &ScrubStatus {
    type Wire = ScrubFigures;

    fn into_wire(self) -> ScrubFigures {
        // Taken apart, so that a figure added there cannot be forgotten here.
        let ScrubStatus { policy, current, file, last, passes, bytes, found, repaired, damage, damaged } =
            self;
        ScrubFigures {
            enabled: policy.is_some(),
            rate_bytes: policy.map(|ScrubPolicy { rate, .. }| rate.get()),
            every_seconds: policy.map(|ScrubPolicy { every, .. }| every.as_secs()),
            file: file.clone(),
            current: current.as_ref().map(pass),
            last: last.as_ref().map(pass),
            passes: *passes,
            bytes: *bytes,
            found: by_kind(found),
            repaired: by_kind(repaired),
            damaged: by_kind(damaged),
            damage: damage.iter().map(damage_at).collect(),
        }
    }
}

fn pass(pass: &ScrubPass) -> Pass {
    let ScrubPass { started_at_ms, finished_at_ms, bytes, files, found, repaired } = pass;
    Pass {
        started_at_ms: *started_at_ms,
        finished_at_ms: *finished_at_ms,
        verified_bytes: *bytes,
        files: *files,
        found: by_kind(found),
        repaired: by_kind(repaired),
    }
}

fn damage_at(finding: &Finding) -> Damage {
    Damage { file: finding.file.clone(), offset: finding.offset, detail: finding.detail.clone() }
}

/// Counts by kind of file, without the kinds that have none.
fn by_kind(tally: &ScrubTally) -> BTreeMap<String, u64> {
    let counts = tally.iter().filter(|(_, count)| *count > 0);
    counts.map(|(kind, count)| (kind.name().to_owned(), count)).collect()
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;
    use std::time::Duration;

    use cairn_seam::ScrubKind;

    use super::*;

    #[test]
    fn everything_that_is_known_is_shown() {
        let mut tally = ScrubTally::default();
        tally.add(ScrubKind::Segment, 1);
        tally.add(ScrubKind::Side, 2);
        let pass = ScrubPass { started_at_ms: 5, bytes: 9, files: 2, found: tally, ..ScrubPass::default() };
        let finding = Finding {
            file: "segment-0000000001.log".into(),
            offset: 4096,
            detail: "not a valid frame".into(),
            repaired: false,
        };
        let status = ScrubStatus {
            policy: NonZeroU64::new(4 << 20).map(|rate| ScrubPolicy { rate, every: Duration::from_secs(60) }),
            current: Some(pass.clone()),
            file: Some("index.redb".into()),
            last: Some(ScrubPass { finished_at_ms: Some(7), ..pass }),
            passes: 3,
            bytes: 100,
            found: tally,
            repaired: ScrubTally::default(),
            damage: vec![finding],
            damaged: tally,
        };
        let shown = serde_json::json!([(&status).into_wire(), details(&status)]);
        insta::assert_snapshot!("scrub", format!("{shown:#}"));
    }
}
