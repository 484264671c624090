//! Verifying the directory: the manifest itself, files nobody owns, files that are not there.

use std::collections::BTreeSet;
use std::io;

use cairn_seam::StoreError;

use super::Findings;
use crate::blob_file;
use crate::log::Log;
use crate::manifest::{self, Manifest};
use crate::set_aside;

/// What came of looking at the directory.
#[derive(Debug, Default)]
pub struct DirectoryCheck {
    /// Files that recovery set aside.
    pub set_aside: u64,
    /// Files with names of ours that nothing refers to.
    pub strays: Vec<String>,
    /// Whether the manifest on disk is not the one in use.
    pub is_manifest_bad: bool,
}

fn is_gone(error: io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

impl Log {
    /// Compares the directory with the manifest. `others` are names of files that somebody else owns.
    /// Files that have a check of their own (segments with data, side files, the image) are not missed
    /// here.
    pub fn verify_directory(
        &self,
        others: &[&str],
        findings: &mut Findings,
    ) -> Result<DirectoryCheck, StoreError> {
        // With these locks nobody is between making a file and listing it.
        let _nothing_is_half_packed = self.packing.lock();
        let _nothing_is_half_made = self.housekeeping.lock();
        let manifest = self.manifest.lock();
        let is_manifest_bad = self.leftovers.lock().is_empty() && self.check_manifest(&manifest, findings);
        let mut check = DirectoryCheck { is_manifest_bad, ..DirectoryCheck::default() };
        let names = self.options.fs.list(&self.options.dir).map_err(self.io("listing", ""))?;
        let names: BTreeSet<String> = names.into_iter().collect();
        let owned: BTreeSet<String> = manifest.file_names().into_iter().collect();
        for name in names.difference(&owned).filter(|name| !others.contains(&name.as_str())) {
            if name == blob_file::DIR || self.waits_to_be_removed(name) {
                continue;
            }
            if set_aside::is_set_aside(name) {
                check.set_aside += 1;
            } else if self.options.fs.open(&self.path(name)).is_err_and(is_gone) {
                // It waited to be removed until a moment ago.
            } else if manifest::is_store_file(name) {
                findings.add(name, 0, "nothing refers to this file");
                check.strays.push(name.clone());
            } else {
                findings.add(name, 0, "this file is none of the store's");
            }
        }
        let in_use: BTreeSet<u64> = self.segments().iter().map(|segment| segment.number).collect();
        let prepared = manifest.segments.iter().filter(|(number, _)| !in_use.contains(number));
        for name in prepared.map(|(number, _)| crate::segment::file_name(*number)) {
            if !names.contains(&name) {
                findings.add(name, 0, "the file is missing");
            }
        }
        Ok(check)
    }

    /// Whether a file stays only because somebody still reads it.
    pub(super) fn waits_to_be_removed(&self, name: &str) -> bool {
        self.held.lock().waits(name) || self.leftovers.lock().iter().any(|leftover| leftover == name)
    }

    /// Compares the manifest on disk with the one in use; says whether it is another one.
    pub fn verify_manifest(&self, findings: &mut Findings) -> bool {
        let manifest = self.manifest.lock();
        self.check_manifest(&manifest, findings)
    }

    fn check_manifest(&self, expected: &Manifest, findings: &mut Findings) -> bool {
        let compared = self.compare_manifest(expected);
        if let Err(detail) = &compared {
            findings.add(manifest::NAME, 0, detail.clone());
        }
        compared.is_err()
    }

    fn compare_manifest(&self, expected: &Manifest) -> Result<(), String> {
        let found = match Manifest::read(&*self.options.fs, &self.options.dir) {
            Ok(Some(found)) => found,
            Ok(None) => return Err("the file is missing".into()),
            Err(StoreError::Damaged(place)) => return Err(place.detail),
            Err(error) => return Err(error.to_string()),
        };
        // Numbers are taken in memory and written down with the file that got one.
        let is_behind = found.next <= expected.next;
        // The hash key of a sealed store is not in the open.
        let hash_key = if found.sealed.is_some() { expected.hash_key } else { found.hash_key };
        let copied = expected.copied.clone();
        let found = Manifest { next: expected.next, hash_key, copied, ..found };
        if is_behind && found == *expected {
            Ok(())
        } else {
            Err("it lists other files than those in use".into())
        }
    }
}
