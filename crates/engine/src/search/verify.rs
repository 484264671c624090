//! What the doctor says about the index, and does about it.

use std::sync::atomic::Ordering;

use cairn_seam::{Finding, MaintenanceReport, OnStage};
use cairn_search::SearchError;
use cairn_search::directory::IndexFileError;
use cairn_search::index::SearchIndex;

use super::home::PLACES;
use super::{SearchHome, State};
use crate::{Engine, EngineError};

impl Engine {
    /// Adds what is wrong with the index. It is derived: `repair` makes it anew, or removes it where nobody
    /// keeps it just now, so that whoever does next makes it.
    pub(crate) fn verify_search(
        &self,
        repair: bool,
        report: &mut MaintenanceReport,
        on_stage: OnStage<'_>,
    ) -> Result<(), EngineError> {
        let home = self.searching.home.lock().clone();
        let (mut findings, is_kept) = match self.searching.state() {
            State::Ready(index) => {
                let place = self.searching.place.load(Ordering::Relaxed);
                (damage(&index, place), true)
            }
            State::Failed(why) => (vec![finding(SearchHome::FOLDER.to_owned(), 0, why)], true),
            // It is being made, or looked at.
            State::Opening | State::Rebuilding(..) => (Vec::new(), true),
            State::Off => (home.as_ref().map_or_else(Vec::new, |home| self.damage_at(home)), false),
        };
        if repair && !findings.is_empty() {
            if is_kept {
                self.rebuild_and_wait(on_stage)?;
            } else if let Some(home) = &home {
                home.keep_only(None).map_err(SearchError::Io)?;
            }
            findings.iter_mut().for_each(|finding| finding.repaired = true);
        }
        report.findings.append(&mut findings);
        Ok(())
    }

    /// Of an index that nobody keeps just now.
    fn damage_at(&self, home: &SearchHome) -> Vec<Finding> {
        match home.open(&self.index_owner()) {
            Ok(None) => Vec::new(),
            Ok(Some((index, place))) => damage(&index, place),
            Err(error) => vec![finding(SearchHome::FOLDER.to_owned(), 0, error.to_string())],
        }
    }

    /// What was forgotten is not kept in the index either: segments hold on to what was removed from them.
    /// From here on the index that knows it answers nothing, and a new one is made.
    pub(crate) fn forget_search(&self) -> Result<(), EngineError> {
        let home = self.searching.home.lock().clone();
        if matches!(self.searching.state(), State::Off) {
            return Ok(home.map_or(Ok(()), |home| home.keep_only(None)).map_err(SearchError::Io)?);
        }
        self.searching.want_forgotten();
        Ok(())
    }
}

fn damage(index: &SearchIndex, place: usize) -> Vec<Finding> {
    let folder = format!("{}/{}", SearchHome::FOLDER, PLACES[place % PLACES.len()]);
    match index.damaged_files() {
        Ok(damaged) => {
            let wrong = |damage: IndexFileError| {
                let file = format!("{folder}/{}", damage.file().display());
                finding(file, damage.offset(), damage.to_string())
            };
            damaged.into_iter().map(wrong).collect()
        }
        Err(error) => vec![finding(folder, 0, error.to_string())],
    }
}

fn finding(file: String, offset: u64, detail: String) -> Finding {
    Finding { file, offset, detail, repaired: false }
}
