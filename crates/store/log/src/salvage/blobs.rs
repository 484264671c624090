//! Blob files of a damaged store.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::sync::Arc;

use cairn_base::fs::FileSystem;
use cairn_base::{ContentHash, TenantId};
use cairn_seam::{BlobReader, LostRange, StoreError};

use super::PatientFile;
use super::copy::{Advance, CopiedLog, copy_file};
use super::source::DamagedLog;
use super::write::SegmentOut;
use crate::batch::Op;
use crate::blob_file::{self, BlobFile};
use crate::frame::{Frame, FrameKind};
use crate::hashed::{BLOB_PLACES, HashedName};
use crate::place::{BlobAt, BlobPlace};
use crate::salvage::around::RunAround;
use crate::segment;

/// What became of the blobs that have files of their own.
#[derive(Debug, Default)]
pub struct CopiedBlobs {
    /// Files that were copied.
    pub files: u64,
    /// Damaged ones among them: whose they are, as far as that is known.
    pub damaged: Vec<(TenantId, ContentHash)>,
    /// What is damaged.
    pub lost: Vec<LostRange>,
    /// Names of all of them.
    names: BTreeSet<HashedName>,
    /// Whole ones with their lengths, by tenant.
    whole: BTreeMap<TenantId, Vec<(HashedName, u64)>>,
}

/// A directory as something to copy blobs from.
#[derive(Debug)]
pub struct BlobSource {
    fs: Arc<dyn FileSystem>,
    dir: std::path::PathBuf,
    sealer: Option<Arc<crate::seal::Sealer>>,
    hash_key: crate::hashed::HashKey,
    /// Whether the secret of names was lost: then files are found by their content.
    is_new_key: bool,
}

impl DamagedLog {
    /// What is needed to copy blob files.
    pub fn blob_source(&self) -> BlobSource {
        let (fs, dir) = (Arc::clone(&self.fs), self.dir.clone());
        let is_new_key = self.is_new_key();
        BlobSource { fs, dir, sealer: self.sealer.clone(), hash_key: self.manifest.hash_key, is_new_key }
    }
}

impl BlobSource {
    /// Copies every blob file. A damaged one is copied too: its other chunks can be read.
    pub fn copy(&self, to: &Path, advance: Advance<'_>) -> Result<CopiedBlobs, StoreError> {
        let mut copied = CopiedBlobs::default();
        let (from, to) = (self.dir.join(blob_file::DIR), to.join(blob_file::DIR));
        let names = match self.fs.list(&from) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(copied),
            listed => listed.map_err(|error| StoreError::io(format!("reading {}", from.display()), error))?,
        };
        let name_of = |name: &String| name.strip_suffix(blob_file::END).and_then(HashedName::from_hex);
        for name in names.iter().filter_map(name_of) {
            if copied.files == 0 {
                let made = self.fs.create_dir(&to);
                made.map_err(|error| StoreError::io(format!("making {}", to.display()), error))?;
            }
            self.copy_one(name, &to, &mut copied, advance)?;
        }
        if copied.files > 0 {
            let synced = self.fs.sync_dir(&to);
            synced.map_err(|error| StoreError::io(format!("syncing {}", to.display()), error))?;
        }
        Ok(copied)
    }

    fn copy_one(
        &self,
        name: HashedName,
        to: &Path,
        copied: &mut CopiedBlobs,
        advance: Advance<'_>,
    ) -> Result<(), StoreError> {
        let path = blob_file::path_of(&name);
        let from = self.dir.join(&path);
        let failed = |error| StoreError::io(format!("copying {}", from.display()), error);
        let file = self.fs.open_to_read(&from).map_err(failed)?;
        let file: Arc<dyn cairn_base::fs::File> = Arc::new(PatientFile(file));
        let mut wrong = None;
        let blob = BlobFile::open(from.clone(), Arc::clone(&file), self.sealer.as_deref());
        match &blob {
            Err(error) => wrong = Some(error.clone()),
            Ok(blob) => blob.verify(&mut |bytes, bad| {
                wrong = wrong.take().or(bad);
                advance(bytes)
            })?,
        }
        let own_name = blob.as_ref().ok().map(|blob| {
            let (tenant, hash) = blob.owner();
            self.hash_key.name(BLOB_PLACES, tenant, hash.as_bytes())
        });
        let name = own_name.filter(|_| self.is_new_key).unwrap_or(name);
        let new = self.fs.create(&to.join(blob_file::file_name(&name))).map_err(failed)?;
        copy_file(&file, &*new).map_err(failed)?;
        copied.files += 1;
        copied.names.insert(name);
        let Ok(blob) = blob else {
            copied.lost.push(lost(&path, wrong, Vec::new(), file.len().map_err(failed)?));
            return Ok(());
        };
        let (tenant, hash) = blob.owner();
        // Under another name nobody finds it.
        let is_named = own_name == Some(name);
        match wrong {
            None if is_named => copied.whole.entry(tenant).or_default().push((name, blob.len())),
            None => {}
            Some(_) => {
                copied.damaged.push((tenant, hash));
                copied.lost.push(lost(&path, wrong, vec![tenant], blob.len()));
            }
        }
        Ok(())
    }
}

fn lost(path: &str, wrong: Option<StoreError>, tenants: Vec<TenantId>, bytes: u64) -> LostRange {
    let (offset, detail) = match wrong {
        Some(StoreError::Damaged(at)) => (at.offset, at.detail),
        Some(error) => (0, error.to_string()),
        None => (0, String::new()),
    };
    let bytes = bytes.saturating_sub(offset).min(cairn_seam::limits::BLOB_CHUNK_BYTES as u64);
    LostRange { file: path.to_owned(), offset, bytes, positions: 0..0, tenants, detail }
}

impl CopiedLog {
    /// Names the blob files again whose transaction is lost: a file that no transaction names is removed.
    /// Adds a segment for it, if there are any; says how many there are.
    pub fn name_blobs(
        &mut self,
        blobs: &CopiedBlobs,
        source: &BlobSource,
        to: &Path,
        (salt, now_ms): (u64, u64),
    ) -> Result<u64, StoreError> {
        let uploaded_s = u32::try_from(now_ms / 1000).unwrap_or(u32::MAX);
        let mut bodies: Vec<(TenantId, Vec<u8>)> = Vec::new();
        let mut count = 0;
        for (tenant, files) in &blobs.whole {
            let mut body = Vec::new();
            // In the order of their names, as the files are listed.
            for (name, bytes) in files.iter().filter(|(name, _)| !self.placed.contains(name)) {
                let place = BlobPlace { uploaded_s, at: BlobAt::File { bytes: *bytes } }.to_entry();
                Op::Hashed { name: *name, expires_at_ms: 0, value: &place.value }.encode(&mut body);
                count += 1;
            }
            if !body.is_empty() {
                bodies.push((*tenant, body));
            }
        }
        if !source.is_new_key {
            for name in self.placed.iter().filter(|name| !blobs.names.contains(*name)) {
                let (file, detail) = (blob_file::path_of(name), "the file is missing".to_owned());
                let tenants = Vec::new();
                self.lost.push(LostRange { file, offset: 0, bytes: 0, positions: 0..0, tenants, detail });
            }
        }
        if bodies.is_empty() {
            return Ok(0);
        }
        let (number, base) = (self.take_number(), self.end());
        let path = to.join(segment::file_name(number));
        let failed = |error| StoreError::io(format!("writing {}", path.display()), error);
        let file = source.fs.create(&path).map_err(failed)?;
        let mut out = SegmentOut::new(file, number, base, salt, source.sealer.clone());
        let mut position = base + segment::HEADER_BYTES as u64;
        for (tenant, body) in &bodies {
            let frame = Frame { position, kind: FrameKind::Transaction, tenant: *tenant, body };
            let run = RunAround { frames: vec![frame], commit: None, end: 0 };
            out.run(&run).map_err(failed)?;
            position = out.position();
        }
        let end = out.position();
        self.segments.push(out.finish(end, now_ms).map_err(failed)?);
        Ok(count)
    }
}
