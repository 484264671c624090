//! Verifying the files of the search index in the background, after each pass of the store over its own.
//!
//! A few files with each upkeep, at the store's rate; a file is read in one go. The index is derived: one
//! with a damaged file is rebuilt by the thread that keeps it.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use cairn_base::Pacer;
use cairn_seam::{Finding, LocalStore, ScrubKind, ScrubStatus};
use cairn_search::index::SearchIndex;
use parking_lot::Mutex;

use super::home::PLACES;
use super::{SearchHome, State};
use crate::Engine;

/// How far verification of the search index is.
#[derive(Default)]
pub(crate) struct SearchScrub(Mutex<Progress>);

#[derive(Default)]
struct Progress {
    /// Passes of the store after which files were looked at.
    passes: u64,
    pacer: Option<Pacer>,
    /// Files that are still to be looked at.
    files: Vec<String>,
    /// An index that turned out to be damaged, and what is wrong with it.
    damaged: Option<(Weak<SearchIndex>, Finding)>,
    bytes: u64,
    found: u64,
    repaired: u64,
}

impl Engine {
    /// Progress and results of background verification, the search index included.
    pub fn scrub_status(&self) -> ScrubStatus {
        let mut status = self.store_scrub_status();
        let progress = self.search_scrub.0.lock();
        status.bytes += progress.bytes;
        status.found.add(ScrubKind::Search, progress.found);
        status.repaired.add(ScrubKind::Search, progress.repaired);
        if let Some((_, finding)) = &progress.damaged {
            status.damaged.add(ScrubKind::Search, 1);
            status.damage.push(finding.clone());
        }
        status
    }

    /// A store without files verifies none.
    fn store_scrub_status(&self) -> ScrubStatus {
        self.pipeline.store().local().map(LocalStore::scrub_status).unwrap_or_default()
    }

    /// Looks at files of the search index for as long as that is paid for; returns what is wrong.
    pub(crate) fn scrub_search(&self) -> Option<Finding> {
        let status = self.store_scrub_status();
        let policy = status.policy?;
        // A doctor reads everything anyway.
        let _no_doctor = self.maintaining.try_lock()?;
        let mut progress = self.search_scrub.0.lock();
        let State::Ready(index) = self.searching.state() else { return None };
        if let Some((old, _)) = &progress.damaged {
            if old.as_ptr() == Arc::as_ptr(&index) {
                return None;
            }
            progress.damaged = None;
            progress.repaired += 1;
        }
        if progress.files.is_empty() && status.passes > progress.passes {
            progress.passes = status.passes;
            progress.files = index.segment_files().unwrap_or_default();
        }
        let pacer = progress.pacer.get_or_insert_with(|| Pacer::new(policy.rate));
        pacer.set_rate(policy.rate);
        let now = self.clock().monotonic();
        while progress.pacer.as_ref().is_some_and(|pacer| pacer.wait(now).is_zero()) {
            let file = progress.files.pop()?;
            let (bytes, wrong) = wrong_with(&index, &file);
            progress.bytes += bytes;
            if let Some(pacer) = &mut progress.pacer {
                pacer.spend(bytes, now);
            }
            if let Some(detail) = wrong {
                let place = PLACES[self.searching.place.load(Ordering::Relaxed) % PLACES.len()];
                let file = format!("{}/{place}/{file}", SearchHome::FOLDER);
                let detail = format!("{detail}; the search index is being rebuilt");
                let finding = Finding { file, offset: 0, detail, repaired: false };
                progress.found += 1;
                progress.files.clear();
                progress.damaged = Some((Arc::downgrade(&index), finding.clone()));
                self.searching.want_check();
                return Some(finding);
            }
        }
        None
    }
}

/// Bytes of a file, and what is wrong with it.
fn wrong_with(index: &SearchIndex, file: &str) -> (u64, Option<String>) {
    match index.check_file(file) {
        Ok(None) => (0, None),
        Ok(Some(check)) => (check.bytes, (!check.is_whole).then(|| "the file was changed".to_owned())),
        Err(error) => (0, Some(error.to_string())),
    }
}
