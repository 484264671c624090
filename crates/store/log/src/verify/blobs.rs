//! Verifying blobs with files of their own: their content, and that places and files belong together.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use cairn_base::fs::File;
use cairn_seam::{BlobReader, StoreError, limits};

use super::segments::unreadable;
use super::{Findings, Watch};
use crate::blob_file::{self, BlobFile};
use crate::hashed::{BLOB_PLACES, HashedEntry, HashedName};
use crate::log::{Log, Recent};
use crate::place::{BlobAt, BlobPlace};

/// What came of looking at blob files.
#[derive(Debug, Default)]
pub struct BlobFilesCheck {
    /// How many were looked at.
    pub files: u64,
    /// Bytes of those files.
    pub file_bytes: u64,
    /// Files that no commit names.
    pub strays: Vec<HashedName>,
}

impl BlobFilesCheck {
    /// The path of a blob's file in the directory of the store.
    pub fn path_of(name: &HashedName) -> String {
        blob_file::path_of(name)
    }
}

impl Log {
    /// Reads every blob file to its end, and looks for files that places miss. Files that no commit names
    /// are looked for unless blobs `may_be_going`: then some have just lost their names.
    pub fn verify_blob_files(
        &self,
        may_be_going: bool,
        findings: &mut Findings,
        watch: &mut Watch<'_>,
    ) -> Result<BlobFilesCheck, StoreError> {
        let mut check = BlobFilesCheck::default();
        for file in self.list_blobs()? {
            let path = format!("{}/{file}", blob_file::DIR);
            let Some(name) = file.strip_suffix(blob_file::END).and_then(HashedName::from_hex) else {
                if !file.ends_with(blob_file::UPLOAD_END) {
                    findings.add(path, 0, "this file is none of the store's");
                } else if self.is_upload_stray(&file) {
                    findings.add(path, 0, "the upload of this file came to nothing");
                }
                continue;
            };
            if self.is_blob_stray(&name)? {
                if !may_be_going {
                    findings.add(path, 0, "no commit names this file");
                    check.strays.push(name);
                }
                continue;
            }
            self.verify_blob_file(&name, &path, &mut check, findings, watch)?;
        }
        self.look_for_missing(findings)?;
        Ok(check)
    }

    /// Bytes of all blob files, for whoever wants to know how much there is to read.
    pub fn blob_file_bytes(&self) -> Result<u64, StoreError> {
        let files = self.list_blobs()?;
        let open = |file: &String| self.options.fs.open(&self.blob_path(file)).and_then(|file| file.len());
        // Those that cannot be opened are met again when they are read.
        Ok(files.iter().filter_map(|file| open(file).ok()).sum())
    }

    /// Whether the file of an upload stayed when the upload was over.
    fn is_upload_stray(&self, file: &str) -> bool {
        // Those under way are known until after their file is gone or has another name.
        !self.uploads.lock().contains(file) && self.options.fs.open(&self.blob_path(file)).is_ok()
    }

    /// Whether a file is there that neither a commit names nor anybody holds on to.
    pub(super) fn is_blob_stray(&self, name: &HashedName) -> Result<bool, StoreError> {
        // Files come and go with this lock, so that one without a name is one without an upload too. Since
        // they were listed, some may have gone.
        let staged = self.staged.lock();
        let is_unknown = !staged.contains_key(name) && !self.names_file_if_known(name)?;
        let is_there = || self.options.fs.open(&self.path(&blob_file::path_of(name))).is_ok();
        Ok(is_unknown && !self.held.lock().keeps_blob(name) && is_there())
    }

    /// Whether the newest commit about a blob says that it has a file, as far as that can be read.
    fn names_file_if_known(&self, name: &HashedName) -> Result<bool, StoreError> {
        match self.names_file(name) {
            // A damaged side file was named: it may name the file.
            Err(StoreError::Damaged(_)) => Ok(true),
            known => known,
        }
    }

    pub(super) fn verify_blob_file(
        &self,
        name: &HashedName,
        path: &str,
        check: &mut BlobFilesCheck,
        findings: &mut Findings,
        watch: &mut Watch<'_>,
    ) -> Result<(), StoreError> {
        let file = match self.options.fs.open_to_scan(&self.path(path)) {
            Ok(file) => file,
            // If its blob was not removed meanwhile, it will be missed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => {
                findings.add(path, 0, unreadable(&error));
                return Ok(());
            }
        };
        check.files += 1;
        check.file_bytes += file.len().unwrap_or(0);
        self.verify_blob(name, path, file, findings, watch).map(drop)
    }

    /// Reads the file of a blob to its end. Returns the range from the first byte that is wrong to the
    /// last, all of the file if nothing of it can be used.
    pub(super) fn verify_blob(
        &self,
        name: &HashedName,
        path: &str,
        file: Arc<dyn File>,
        findings: &mut Findings,
        watch: &mut Watch<'_>,
    ) -> Result<Range<u64>, StoreError> {
        let all = 0..file.len().unwrap_or(0);
        let blob = match BlobFile::open(self.path(path), file, self.sealer.as_deref()) {
            Ok(blob) => blob,
            Err(error) => {
                add(findings, path, error);
                return Ok(all);
            }
        };
        let before = findings.count();
        let (tenant, hash) = blob.owner();
        if self.hash_key.name(BLOB_PLACES, tenant, hash.as_bytes()) != *name {
            findings.add(path, 0, "the file holds another blob");
        }
        let entry = self.hashed_get(name).ok().flatten();
        let place = entry.and_then(|entry| BlobPlace::from_value(&entry.value));
        if let Some(BlobPlace { at: BlobAt::File { bytes }, .. }) = place
            && bytes != blob.len()
        {
            let detail = format!("it holds {} bytes, and {bytes} were committed", blob.len());
            findings.add(path, 0, detail);
        }
        let mut lost: Option<Range<u64>> = (findings.count() > before).then(|| all.clone());
        blob.verify(&mut |stored, wrong| {
            if let Some(error) = wrong {
                let offset = if let StoreError::Damaged(at) = &error { at.offset } else { all.end };
                let range = lost.get_or_insert(offset..offset);
                range.end = range.end.max((offset + stored).min(all.end));
                add(findings, path, error);
            }
            watch.advance(stored)
        })?;
        Ok(lost.unwrap_or(0..0))
    }

    /// Looks for places that say that a blob has a file, which is not there.
    fn look_for_missing(&self, findings: &mut Findings) -> Result<(), StoreError> {
        let view = std::sync::Arc::clone(&self.hashed.read());
        for side in &view.sides {
            // What cannot be read was named when side files were verified.
            for (name, entry) in side.scan().map_while(Result::ok) {
                self.check_file_is_there(&name, &entry, findings)?;
            }
        }
        view.recent.values().try_for_each(|recent| self.look_for_missing_of(recent, findings))
    }

    /// The same for a segment that has no side file yet.
    pub(super) fn look_for_missing_of(
        &self,
        recent: &Recent,
        findings: &mut Findings,
    ) -> Result<(), StoreError> {
        let places: Vec<(HashedName, HashedEntry)> = {
            let entries = recent.read();
            let of_files = entries.iter().filter(|(_, entry)| is_place_of_file(entry));
            of_files.map(|(name, entry)| (*name, entry.clone())).collect()
        };
        places.iter().try_for_each(|(name, entry)| self.check_file_is_there(name, entry, findings))
    }

    pub(super) fn check_file_is_there(
        &self,
        name: &HashedName,
        entry: &HashedEntry,
        findings: &mut Findings,
    ) -> Result<(), StoreError> {
        if !is_place_of_file(entry) {
            return Ok(());
        }
        // With this lock a file that is named is there.
        let _files_stay = self.staged.lock();
        // Only the newest entry of a name is about the file; others are met on the way.
        if !self.hashed_get(name).is_ok_and(|newest| newest.as_ref() == Some(entry)) {
            return Ok(());
        }
        let path = blob_file::path_of(name);
        match self.options.fs.open(&self.path(&path)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                findings.add(path, 0, "the file of the blob is missing");
                Ok(())
            }
            // Whatever else is wrong was met when the file was read.
            Ok(_) | Err(_) => Ok(()),
        }
    }
}

/// Whether an entry is the place of a blob with a file. Names do not tell which keyspace they are of, but
/// entries of others that look like a place of a large blob do not come up by chance.
pub(super) fn is_place_of_file(entry: &HashedEntry) -> bool {
    let large = limits::BLOB_IN_COMMIT_BYTES_MAX as u64 + 1..=limits::BLOB_BYTES_MAX;
    let place = BlobPlace::from_value(&entry.value).filter(|_| entry.expires_at_ms == 0);
    place.is_some_and(|place| matches!(place.at, BlobAt::File { bytes } if large.contains(&bytes)))
}

fn add(findings: &mut Findings, path: &str, error: StoreError) {
    if let StoreError::Damaged(place) = error {
        findings.add(path, place.offset, place.detail);
    } else {
        findings.add(path, 0, error.to_string());
    }
}
