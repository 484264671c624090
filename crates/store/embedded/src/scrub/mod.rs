//! Scrubbing: every file of the store is verified in the background, a bounded number of bytes a second.
//!
//! A pass goes through all files in a fixed order ([`item`]), each with the checks of a full verification
//! (`verify/`). How far it is is written down now and then ([`state`]), so that restarts do not begin it
//! anew. What is found is looked at a second time before it counts: a file may have been replaced
//! meanwhile. Derived files are rebuilt at once ([`check`]); damage in primary data is told once and kept
//! in the status as long as it is found.

mod check;
mod item;
mod run;
mod state;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use cairn_base::Pacer;
use cairn_base::fs::FileSystem;
use cairn_seam::{Finding, ScrubPass, ScrubPolicy, ScrubStatus, ScrubTally, limits};
use parking_lot::Mutex;

use self::item::{Agenda, Item, kind_of};
use self::state::State;
pub(crate) use self::state::{STATE, STATE_NEW};

/// Damage that is still there, each with the pass that met it last. More than this is not told apart.
const KNOWN_MAX: usize = limits::FINDINGS_MAX;

/// What background verification shares with the rest of the store.
#[derive(Debug, Default)]
pub(crate) struct Scrub {
    /// One step at a time.
    stepping: Mutex<Agenda>,
    progress: Mutex<Progress>,
    /// How many keep it from running.
    holders: AtomicUsize,
}

#[derive(Debug, Default)]
struct Progress {
    policy: Option<ScrubPolicy>,
    pacer: Option<Pacer>,
    current: Option<ScrubPass>,
    /// The last item of the current pass that was verified.
    after: Option<Item>,
    file: Option<String>,
    last: Option<ScrubPass>,
    passes: u64,
    bytes: u64,
    found: ScrubTally,
    repaired: ScrubTally,
    /// Damage that is still there, by file and offset.
    known: BTreeMap<(String, u64), Known>,
    /// Whether the current pass began in this process.
    is_whole_pass: bool,
    /// What the last step failed with.
    trouble: Option<String>,
    news: Vec<Finding>,
    /// When the state was last written, on the monotonic clock.
    written_at: Duration,
}

/// Damage that is still there.
#[derive(Debug, Clone)]
struct Known {
    finding: Finding,
    /// Passes that were finished when it was last met.
    seen: u64,
}

/// Keeps background verification from running.
#[derive(Debug)]
pub(crate) struct Hold<'a>(&'a Scrub);

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        self.0.holders.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Scrub {
    /// Off, with what is written down in a directory of how far it was.
    pub(crate) fn open(fs: &dyn FileSystem, dir: &Path) -> Self {
        let State { last, current, damage } = State::read(fs, dir);
        let (current, after) = current.map_or((None, None), |(pass, after)| (Some(pass), after));
        let by_place = |finding: &Finding| {
            ((finding.file.clone(), finding.offset), Known { finding: finding.clone(), seen: 0 })
        };
        let known = damage.iter().map(by_place).collect();
        // Told once more after each start.
        let progress = Progress { last, current, after, known, news: damage, ..Progress::default() };
        Scrub { progress: Mutex::new(progress), ..Scrub::default() }
    }

    /// Stands still as long as the hold lives: a full verification reads everything anyway.
    pub(crate) fn hold(&self) -> Hold<'_> {
        self.holders.fetch_add(1, Ordering::SeqCst);
        Hold(self)
    }

    fn is_held(&self) -> bool {
        self.holders.load(Ordering::SeqCst) > 0
    }

    /// Progress and results.
    pub(crate) fn status(&self) -> ScrubStatus {
        let progress = self.progress.lock();
        let mut damaged = ScrubTally::default();
        for (file, _) in progress.known.keys() {
            damaged.add(kind_of(file), 1);
        }
        ScrubStatus {
            policy: progress.policy,
            current: progress.current.clone(),
            file: progress.file.clone(),
            last: progress.last.clone(),
            passes: progress.passes,
            bytes: progress.bytes,
            found: progress.found,
            repaired: progress.repaired,
            damage: progress.damage(),
            damaged,
        }
    }

    /// Findings that nobody was told of yet.
    pub(crate) fn take_news(&self) -> Vec<Finding> {
        std::mem::take(&mut self.progress.lock().news)
    }

    /// Takes over what verifying some files came to. Damage in these files that was known and was not found
    /// again is gone.
    pub(crate) fn note(&self, files: &[String], findings: Vec<Finding>) {
        let mut progress = self.progress.lock();
        let progress = &mut *progress;
        let found_now = |place: &(String, u64)| {
            findings
                .iter()
                .any(|finding| !finding.repaired && (&finding.file, finding.offset) == (&place.0, place.1))
        };
        progress.known.retain(|place, _| !files.contains(&place.0) || found_now(place));
        for finding in findings {
            let kind = kind_of(&finding.file);
            if let Some(pass) = &mut progress.current {
                pass.found.add(kind, 1);
                pass.repaired.add(kind, u64::from(finding.repaired));
            }
            let place = (finding.file.clone(), finding.offset);
            if let Some(known) = progress.known.get_mut(&place) {
                known.seen = progress.passes;
                continue;
            }
            progress.found.add(kind, 1);
            progress.repaired.add(kind, u64::from(finding.repaired));
            if !finding.repaired && progress.known.len() < KNOWN_MAX {
                let seen = progress.passes;
                progress.known.insert(place, Known { finding: finding.clone(), seen });
            }
            if progress.news.len() < KNOWN_MAX {
                progress.news.push(finding);
            }
        }
    }

    /// Says that a file whose damage is known was rebuilt since.
    pub(crate) fn note_rebuilt(&self, file: &str) {
        let mut progress = self.progress.lock();
        let before = progress.known.len();
        progress.known.retain(|place, _| place.0 != file);
        let rebuilt = (before - progress.known.len()) as u64;
        progress.repaired.add(kind_of(file), rebuilt);
    }
}

impl Progress {
    /// Damage that is still there, as much of it as is listed.
    fn damage(&self) -> Vec<Finding> {
        let known = self.known.values().take(limits::SCRUB_DAMAGE_MAX);
        known.map(|known| known.finding.clone()).collect()
    }

    /// Drops damage that a whole pass did not meet any more: its file was replaced or removed.
    fn forget_unseen(&mut self) {
        let passes = self.passes;
        if self.is_whole_pass {
            self.known.retain(|_, known| known.seen == passes);
        }
    }
}
