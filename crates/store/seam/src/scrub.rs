//! Verification in the background: how fast, how often, and what came of it.

use std::num::NonZeroU64;
use std::time::Duration;

use crate::Finding;

/// How a store verifies its files by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScrubPolicy {
    /// Bytes read per second.
    pub rate: NonZeroU64,
    /// Time from the start of one pass to the start of the next.
    pub every: Duration,
}

/// Kinds of files, primary data first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ScrubKind {
    /// Segments of the log.
    Segment,
    /// Blobs with files of their own.
    Blob,
    /// The image.
    Image,
    /// The manifest.
    Manifest,
    /// The index.
    Index,
    /// Side files.
    Side,
    /// Files of the search index.
    Search,
}

impl ScrubKind {
    /// Every kind, in the order of the enum.
    pub const ALL: [ScrubKind; 7] = [
        ScrubKind::Segment,
        ScrubKind::Blob,
        ScrubKind::Image,
        ScrubKind::Manifest,
        ScrubKind::Index,
        ScrubKind::Side,
        ScrubKind::Search,
    ];

    /// Its name in metrics and statistics.
    pub fn name(self) -> &'static str {
        match self {
            ScrubKind::Segment => "segment",
            ScrubKind::Blob => "blob",
            ScrubKind::Image => "image",
            ScrubKind::Manifest => "manifest",
            ScrubKind::Index => "index",
            ScrubKind::Side => "side",
            ScrubKind::Search => "search",
        }
    }

    /// The kind with a name.
    pub fn parse(name: &str) -> Option<Self> {
        ScrubKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A count per kind of file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ScrubTally([u64; ScrubKind::ALL.len()]);

impl ScrubTally {
    /// Counts some more of a kind.
    pub fn add(&mut self, kind: ScrubKind, count: u64) {
        self.0[kind as usize] += count;
    }

    /// The count of a kind.
    pub fn get(&self, kind: ScrubKind) -> u64 {
        self.0[kind as usize]
    }

    /// The count of all kinds together.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Every kind with its count.
    pub fn iter(&self) -> impl Iterator<Item = (ScrubKind, u64)> + '_ {
        ScrubKind::ALL.into_iter().zip(self.0)
    }
}

/// One pass over all files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScrubPass {
    /// When it began, in Unix milliseconds.
    pub started_at_ms: u64,
    /// When it ended; `None` while it runs.
    pub finished_at_ms: Option<u64>,
    /// Bytes verified so far.
    pub bytes: u64,
    /// Files verified so far.
    pub files: u64,
    /// Findings by kind.
    pub found: ScrubTally,
    /// Those of them that were repaired.
    pub repaired: ScrubTally,
}

/// Progress and results of background verification.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScrubStatus {
    /// Rate and interval; `None` when it is off.
    pub policy: Option<ScrubPolicy>,
    /// The pass under way. It goes on after a restart.
    pub current: Option<ScrubPass>,
    /// The file that the current pass verifies.
    pub file: Option<String>,
    /// The last pass that was finished.
    pub last: Option<ScrubPass>,
    /// Passes finished since opening.
    pub passes: u64,
    /// Bytes verified since opening.
    pub bytes: u64,
    /// Findings by kind since opening, each once, however many passes meet it.
    pub found: ScrubTally,
    /// Those of them that were repaired.
    pub repaired: ScrubTally,
    /// Damage that is still there, at most `limits::SCRUB_DAMAGE_MAX` of it.
    pub damage: Vec<Finding>,
    /// All damage that is still there, by kind.
    pub damaged: ScrubTally,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_names_and_places_of_their_own() {
        let mut tally = ScrubTally::default();
        for (count, kind) in (1..).zip(ScrubKind::ALL) {
            assert_eq!(ScrubKind::parse(kind.name()), Some(kind));
            tally.add(kind, count);
        }
        let counts: Vec<u64> =
            tally.iter().map(|(kind, count)| count * u64::from(tally.get(kind) == count)).collect();
        assert_eq!((counts, tally.total()), (vec![1, 2, 3, 4, 5, 6, 7], 28));
        assert_eq!(ScrubKind::parse("records"), None);
    }
}
