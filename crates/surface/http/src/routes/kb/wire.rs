//! Branches and their differences, as the API has them.

use cairn_base::to_iso_utc;
use cairn_wire::kb::{KbBranch, KbBranches, KbChanged, KbDiff, KbEnsured};

use crate::IntoWire;

impl IntoWire for cairn_engine::KbBranch {
    type Wire = KbBranch;

    fn into_wire(self) -> KbBranch {
        let cairn_engine::KbBranch {
            workspace,
            branch,
            space,
            copied_from,
            created_at_ms,
            written_at_ms,
            snapshot_id,
        } = self;
        KbBranch {
            workspace,
            branch,
            space,
            copied_from,
            created_at: to_iso_utc(created_at_ms),
            written_at: written_at_ms.map(to_iso_utc),
            snapshot_id,
        }
    }
}

impl IntoWire for cairn_engine::KbBranches {
    type Wire = KbBranches;

    fn into_wire(self) -> KbBranches {
        let branches = self.branches.into_iter().map(IntoWire::into_wire).collect();
        KbBranches { branches, has_more: self.has_more }
    }
}

impl IntoWire for cairn_engine::KbEnsured {
    type Wire = KbEnsured;

    fn into_wire(self) -> KbEnsured {
        KbEnsured { branch: self.branch.into_wire(), created: self.created }
    }
}

impl IntoWire for cairn_engine::KbDiff {
    type Wire = KbDiff;

    fn into_wire(self) -> KbDiff {
        let cairn_engine::KbDiff { added, removed, changed, links_added, links_removed, truncated } = self;
        let changed = changed.into_iter().map(|(from, to)| KbChanged { from, to }).collect();
        KbDiff { added, removed, changed, links_added, links_removed, truncated }
    }
}
