//! Uploads, and blob files that no commit names yet.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;

use cairn_base::{ContentHash, TenantId};
use cairn_seam::{Blob, BlobReader, Sha256Hasher, StoreError, Upload, limits};

use super::write::BlobFileWriter;
use super::{BlobFile, DIR, END, UPLOAD_END, file_name, read, upload_name};
use crate::hashed::{BLOB_PLACES, HashedName};
use crate::log::Log;
use crate::place::{BlobAt, BlobPlace};

/// An upload into the store of a log: in memory as long as it fits into a commit, then in a file.
pub struct LogUpload {
    log: Arc<Log>,
    tenant: TenantId,
    sha256: Sha256Hasher,
    bytes: u64,
    memory: Vec<u8>,
    file: Option<(String, BlobFileWriter)>,
}

impl std::fmt::Debug for LogUpload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LogUpload").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

impl LogUpload {
    /// Starts an upload.
    pub fn new(log: Arc<Log>, tenant: TenantId) -> Self {
        LogUpload { log, tenant, sha256: Sha256Hasher::default(), bytes: 0, memory: Vec::new(), file: None }
    }

    /// Moves what is in memory to a file of its own.
    fn spill(&mut self) -> Result<&mut (String, BlobFileWriter), StoreError> {
        if self.file.is_none() {
            let number = self.log.next_file_number();
            let name = upload_name(number);
            let path = self.log.blob_path(&name);
            let failed = self.log.io("writing", &format!("{DIR}/{name}"));
            self.log.uploads.lock().insert(name.clone());
            let start = || -> io::Result<BlobFileWriter> {
                self.log.options.fs.create_dir(&self.log.options.dir.join(DIR))?;
                let file = self.log.options.fs.create(&path)?;
                let mut writer = BlobFileWriter::new(file, self.tenant, number, self.log.sealer.as_deref())?;
                writer.write(&self.memory)?;
                Ok(writer)
            };
            let writer = start().map_err(|error| {
                self.log.remove_upload(&name);
                failed(error)
            })?;
            self.memory = Vec::new();
            self.file = Some((name, writer));
        }
        Ok(self.file.as_mut().expect("it was made"))
    }
}

impl Upload for LogUpload {
    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        let after = self.bytes + bytes.len() as u64;
        if after > limits::BLOB_BYTES_MAX {
            return Err(StoreError::BlobTooLarge { bytes: after, max: limits::BLOB_BYTES_MAX });
        }
        if self.file.is_none() && after <= limits::BLOB_IN_COMMIT_BYTES_MAX as u64 {
            self.memory.extend_from_slice(bytes);
        } else {
            let dir = self.log.options.dir.clone();
            let free_bytes = self.log.options.fs.free_bytes(&dir).map_err(self.log.io("measuring", ""))?;
            let reserve_bytes = self.log.options.reserve_bytes;
            if free_bytes < reserve_bytes.saturating_add(bytes.len() as u64) {
                return Err(StoreError::StorageFull { free_bytes, reserve_bytes });
            }
            let failed = self.log.io("writing a blob in", DIR);
            let (_, writer) = self.spill()?;
            writer.write(bytes).map_err(failed)?;
        }
        self.sha256.update(bytes);
        self.bytes = after;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Blob, StoreError> {
        let sha256 = std::mem::take(&mut self.sha256).finish();
        let Some((name, writer)) = self.file.take() else {
            return Ok(Blob::new(std::mem::take(&mut self.memory))?.with_sha256());
        };
        let staged = writer.finish().map_err(self.log.io("writing", &format!("{DIR}/{name}"))).and_then(
            |(hash, bytes)| {
                let file = self.log.stage(&name, self.tenant, &hash, bytes)?;
                Ok(Blob::staged(hash, sha256, bytes, Arc::new(file)))
            },
        );
        if staged.is_err() {
            self.log.remove_upload(&name);
        } else {
            self.log.uploads.lock().remove(&name);
        }
        staged
    }
}

impl Drop for LogUpload {
    fn drop(&mut self) {
        if let Some((name, _)) = self.file.take() {
            self.log.remove_upload(&name);
        }
    }
}

/// A blob file that stays as long as this lives, and afterwards only if a commit names it.
#[derive(Debug)]
pub struct StagedFile {
    log: Arc<Log>,
    name: HashedName,
    bytes: u64,
}

impl StagedFile {
    /// The name under which a commit of this log names it.
    pub fn name(&self) -> HashedName {
        self.name
    }

    /// Length of the plain bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether it was uploaded to this log.
    pub fn is_of(&self, log: &Log) -> bool {
        std::ptr::eq(&*self.log, log)
    }
}

/// A blob file that no commit may name yet.
#[derive(Debug)]
pub(crate) struct Staged {
    /// How many hold on to it.
    holders: usize,
    /// Whether there was a file of this name before the upload.
    was_there: bool,
}

impl Drop for StagedFile {
    fn drop(&mut self) {
        self.log.unstage(&self.name);
    }
}

impl Log {
    pub(crate) fn blob_path(&self, name: &str) -> std::path::PathBuf {
        self.options.dir.join(DIR).join(name)
    }

    /// Removes the file of an upload that came to nothing.
    fn remove_upload(&self, name: &str) {
        // If it cannot be removed now, the next opening removes it.
        let _ = self.options.fs.remove(&self.blob_path(name));
        self.uploads.lock().remove(name);
    }

    /// Opens a blob with a file of its own.
    pub fn open_blob_file(
        &self,
        tenant: TenantId,
        hash: &ContentHash,
    ) -> Result<Box<dyn BlobReader>, StoreError> {
        let name = file_name(&self.hash_key.name(BLOB_PLACES, tenant, hash.as_bytes()));
        let path = self.blob_path(&name);
        let file = match self.options.fs.open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(self.damaged(&format!("{DIR}/{name}"), 0, "the file of the blob is missing"));
            }
            Err(error) => return Err(self.io("opening", &format!("{DIR}/{name}"))(error)),
        };
        let blob = BlobFile::open(path, file, self.sealer.as_deref())?;
        if blob.owner() != (tenant, *hash) {
            return Err(self.damaged(&format!("{DIR}/{name}"), 0, "the file holds another blob"));
        }
        Ok(Box::new(blob))
    }

    /// Gives a finished upload its final name, unless the blob is there already.
    fn stage(
        self: &Arc<Self>,
        upload: &str,
        tenant: TenantId,
        hash: &ContentHash,
        bytes: u64,
    ) -> Result<StagedFile, StoreError> {
        let name = self.hash_key.name(BLOB_PLACES, tenant, hash.as_bytes());
        let mut staged = self.staged.lock();
        let fs = &self.options.fs;
        let failed = self.io("naming", &format!("{DIR}/{upload}"));
        let is_there = staged.contains_key(&name) || self.names_file(&name)?;
        // A file that no entry names may be one whose entry was lost: the same bytes take its place, and
        // opening decides about it.
        let was_there = is_there || fs.open_to_read(&self.blob_path(&file_name(&name))).is_ok();
        let named = if is_there {
            fs.remove(&self.blob_path(upload))
        } else {
            let dir = self.options.dir.join(DIR);
            fs.rename(&self.blob_path(upload), &self.blob_path(&file_name(&name)))
                // The folder itself may be new.
                .and_then(|()| fs.sync_dir(&dir))
                .and_then(|()| fs.sync_dir(&self.options.dir))
        };
        if named.is_err() && !is_there {
            let _ = fs.remove(&self.blob_path(&file_name(&name)));
        }
        named.map_err(failed)?;
        staged.entry(name).or_insert(Staged { holders: 0, was_there }).holders += 1;
        Ok(StagedFile { log: Arc::clone(self), name, bytes })
    }

    fn unstage(&self, name: &HashedName) {
        let mut staged = self.staged.lock();
        let Some(Staged { holders, was_there }) = staged.get_mut(name) else { return };
        *holders -= 1;
        if *holders > 0 {
            return;
        }
        let was_there = *was_there;
        staged.remove(name);
        // When in doubt it stays: the next opening looks again. A backup that has begun may read it.
        if matches!(self.names_file(name), Ok(false)) && !self.keeps_blob_file(name) && !was_there {
            let _ = self.options.fs.remove(&self.blob_path(&file_name(name)));
        }
    }

    /// Whether the newest commit about a blob says that it has a file.
    pub(crate) fn names_file(&self, name: &HashedName) -> Result<bool, StoreError> {
        let place = self.hashed_get(name)?.and_then(|entry| BlobPlace::from_value(&entry.value));
        Ok(place.is_some_and(|place| matches!(place.at, BlobAt::File { .. })))
    }

    /// The names of all blobs with files of their own.
    pub fn blob_files(&self) -> Result<Vec<HashedName>, StoreError> {
        let names = self.list_blobs()?;
        Ok(names.iter().filter_map(|file| HashedName::from_hex(file.strip_suffix(END)?)).collect())
    }

    /// Whose blob a file holds, and which.
    pub fn blob_of_file(&self, name: &HashedName) -> Result<(TenantId, ContentHash), StoreError> {
        let file = file_name(name);
        let path = self.blob_path(&file);
        let opened = self.options.fs.open(&path).map_err(self.io("reading", &format!("{DIR}/{file}")))?;
        Ok(BlobFile::open(path, opened, self.sealer.as_deref())?.owner())
    }

    /// Removes the file of a blob that no commit names any more and nobody is about to name; says whether
    /// it is gone now. One that a backup reads goes when that is done.
    pub fn remove_blob_file(&self, name: &HashedName) -> Result<bool, StoreError> {
        let staged = self.staged.lock();
        if staged.contains_key(name) || self.names_file(name)? || self.keeps_blob_file(name) {
            return Ok(false);
        }
        let file = file_name(name);
        let removed = self.options.fs.remove(&self.blob_path(&file));
        removed.map_err(self.io("removing", &format!("{DIR}/{file}"))).map(|()| true)
    }

    pub(crate) fn list_blobs(&self) -> Result<Vec<String>, StoreError> {
        match self.options.fs.list(&self.options.dir.join(DIR)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            listed => listed.map_err(self.io("reading", DIR)),
        }
    }

    /// Removes files that no commit names. For the time before the first upload.
    ///
    /// A blob without an entry is a leftover only if the segments agree: side files alone never decide
    /// that primary data goes.
    pub(crate) fn remove_stray_blobs(&self) -> Result<(), StoreError> {
        let mut unknown = Vec::new();
        for file in self.list_blobs()? {
            match file.strip_suffix(END).and_then(HashedName::from_hex) {
                Some(name) => match self.hashed_get(&name)? {
                    None => unknown.push(name),
                    Some(_) if !self.names_file(&name)? => self.remove_from_blobs(&file)?,
                    Some(_) => {}
                },
                None if file.ends_with(UPLOAD_END) => self.remove_from_blobs(&file)?,
                None => {}
            }
        }
        let named = self.named_by_segments(&unknown)?;
        for name in unknown.iter().filter(|name| !named.contains(name)) {
            self.remove_from_blobs(&file_name(name))?;
        }
        Ok(())
    }

    fn remove_from_blobs(&self, file: &str) -> Result<(), StoreError> {
        let removed = self.options.fs.remove(&self.blob_path(file));
        removed.map_err(self.io("removing", &format!("{DIR}/{file}")))
    }

    /// Which of these blobs a transaction in the log names, although no side file does. Side files that
    /// lack one are rebuilt.
    ///
    /// Segments and uploads draw their numbers from one counter, so a segment that was followed by another
    /// one before the upload began cannot name it.
    fn named_by_segments(&self, names: &[HashedName]) -> Result<HashSet<HashedName>, StoreError> {
        let mut found = HashSet::new();
        let Some(oldest) = names.iter().map(|name| self.upload_number(name)).min() else { return Ok(found) };
        let segments = self.segments();
        let first = segments.partition_point(|segment| segment.number < oldest).saturating_sub(1);
        for segment in &segments[first..] {
            let entries = match self.gather_segment(segment) {
                // What cannot be read may name any of them.
                Err(StoreError::Damaged(_)) => return Ok(names.iter().copied().collect()),
                gathered => gathered?,
            };
            let before = found.len();
            found.extend(names.iter().filter(|name| entries.contains_key(name)));
            if found.len() > before {
                self.note_incomplete_side(segment.number);
            }
        }
        Ok(found)
    }

    /// The number under which a blob was uploaded; 0 when its header cannot be read.
    fn upload_number(&self, name: &HashedName) -> u64 {
        let opened = self.options.fs.open_to_read(&self.blob_path(&file_name(name)));
        opened.and_then(|file| read::number_of(&*file)).ok().flatten().unwrap_or(0)
    }
}
