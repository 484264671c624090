//! Background verification as JSON.

use std::collections::BTreeMap;

use cairn_seam::{Finding, ScrubPass, ScrubPolicy, ScrubStatus, ScrubTally};
use serde::Serialize;
use utoipa::ToSchema;

/// Counts by kind of file: `segment`, `blob`, `image`, `manifest`, `index`, `side`, `search`. Kinds without
/// any are left out.
type ByKind = BTreeMap<&'static str, u64>;

/// Background verification of all files.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ScrubFigures {
    /// Whether files are verified in the background.
    enabled: bool,
    /// Bytes per second; null when it is off.
    rate_bytes: Option<u64>,
    /// Seconds from the start of one pass to the start of the next; null when it is off.
    every_seconds: Option<u64>,
    /// The file that is being verified; null between two passes.
    file: Option<String>,
    /// The pass under way; null between two passes. It goes on after a restart.
    current: Option<Pass>,
    /// The last pass that was finished; null if none was.
    last: Option<Pass>,
    /// Passes finished since the start.
    passes: u64,
    /// Bytes verified since the start.
    bytes: u64,
    /// Findings since the start.
    #[schema(value_type = BTreeMap<String, u64>)]
    found: ByKind,
    /// Those of them that were repaired.
    #[schema(value_type = BTreeMap<String, u64>)]
    repaired: ByKind,
    /// Damage that is still there.
    #[schema(value_type = BTreeMap<String, u64>)]
    damaged: ByKind,
    /// The same one by one, at most 100 of it.
    damage: Vec<Damage>,
}

/// One pass over all files.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ScrubPass)]
struct Pass {
    /// When it began, in Unix milliseconds.
    started_at_ms: u64,
    /// When it ended, in Unix milliseconds; null while it runs.
    finished_at_ms: Option<u64>,
    /// Bytes verified so far.
    verified_bytes: u64,
    /// Files verified so far.
    files: u64,
    /// Findings.
    #[schema(value_type = BTreeMap<String, u64>)]
    found: ByKind,
    /// Those of them that were repaired.
    #[schema(value_type = BTreeMap<String, u64>)]
    repaired: ByKind,
}

/// Damage in a file.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ScrubDamage)]
struct Damage {
    /// The file, relative to the data directory.
    file: String,
    /// Offset in it.
    offset: u64,
    /// What is wrong there.
    detail: String,
}

/// The part of it that `/readyz` shows.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ScrubReadiness)]
pub(super) struct ScrubDetails {
    /// When the last pass of background verification was finished, in Unix milliseconds; null if none was.
    last_finished_at_ms: Option<u64>,
    /// Damage that is still there, by kind of file. It does not make a server unready by itself.
    #[schema(value_type = BTreeMap<String, u64>)]
    damaged: ByKind,
}

impl ScrubDetails {
    /// What there is to say where files are verified in the background, or damage is known all the same.
    pub(super) fn of(status: &ScrubStatus) -> Option<Self> {
        let is_worth_it = status.policy.is_some() || status.damaged.total() > 0;
        is_worth_it.then(|| ScrubDetails {
            last_finished_at_ms: status.last.as_ref().and_then(|last| last.finished_at_ms),
            damaged: by_kind(&status.damaged),
        })
    }
}

impl From<&ScrubStatus> for ScrubFigures {
    fn from(status: &ScrubStatus) -> Self {
        // Taken apart, so that a figure added there cannot be forgotten here.
        let ScrubStatus { policy, current, file, last, passes, bytes, found, repaired, damage, damaged } =
            status;
        ScrubFigures {
            enabled: policy.is_some(),
            rate_bytes: policy.map(|ScrubPolicy { rate, .. }| rate.get()),
            every_seconds: policy.map(|ScrubPolicy { every, .. }| every.as_secs()),
            file: file.clone(),
            current: current.as_ref().map(Pass::from),
            last: last.as_ref().map(Pass::from),
            passes: *passes,
            bytes: *bytes,
            found: by_kind(found),
            repaired: by_kind(repaired),
            damaged: by_kind(damaged),
            damage: damage.iter().map(Damage::from).collect(),
        }
    }
}

impl From<&ScrubPass> for Pass {
    fn from(pass: &ScrubPass) -> Self {
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
}

impl From<&Finding> for Damage {
    fn from(finding: &Finding) -> Self {
        Damage { file: finding.file.clone(), offset: finding.offset, detail: finding.detail.clone() }
    }
}

fn by_kind(tally: &ScrubTally) -> ByKind {
    tally.iter().filter(|(_, count)| *count > 0).map(|(kind, count)| (kind.name(), count)).collect()
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
        let shown = serde_json::json!([ScrubFigures::from(&status), ScrubDetails::of(&status)]);
        insta::assert_snapshot!("scrub", format!("{shown:#}"));
    }
}
