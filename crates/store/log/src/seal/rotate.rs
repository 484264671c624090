//! Making, opening and changing the key of a store.

use std::path::Path;
use std::sync::Arc;

use cairn_seam::StoreError;

use super::root::{Opened, Root};
use super::{EncryptionKey, Sealer};
use crate::blob_file;
use crate::log::{Log, LogOptions};
use crate::manifest::Manifest;

/// Seals a new store, before its manifest is written for the first time.
pub(crate) fn begin(manifest: &mut Manifest, key: &EncryptionKey, options: &LogOptions) -> Sealer {
    let root = Root::generate(manifest.next, &*options.entropy);
    let opened = Opened { hash_key: manifest.hash_key, roots: vec![root] };
    manifest.sealed = Some(opened.wrap(key, &manifest.store, &*options.entropy));
    Sealer::new(opened, Arc::clone(&options.entropy))
}

/// Opens what a manifest holds under a key; `None` inside for a store that was made without one.
pub(crate) fn unseal(
    manifest: &mut Manifest,
    key: Option<&EncryptionKey>,
    options: &LogOptions,
) -> Result<Option<Sealer>, StoreError> {
    let Some(opened) = open(manifest, key, &options.dir)? else { return Ok(None) };
    manifest.hash_key = opened.hash_key;
    Ok(Some(Sealer::new(opened, Arc::clone(&options.entropy))))
}

/// Whether the key of the options fits the store, if there is one; touches nothing.
///
/// What else may be wrong with the manifest is for the opening to say.
pub fn check_key(options: &LogOptions) -> Result<(), StoreError> {
    match Manifest::read(&*options.fs, &options.dir) {
        Ok(Some(manifest)) => check(&manifest, options.key.as_ref(), &options.dir),
        Ok(None) | Err(_) => Ok(()),
    }
}

/// Gives a sealed store a new key, and a new root for everything written from now on.
///
/// One replacement of the manifest: after a crash the store opens with the old key or with the new one.
/// The caller owns the directory.
pub fn rotate(options: &LogOptions, new: &EncryptionKey) -> Result<(), StoreError> {
    let missing = || {
        let doing = format!("looking for a store in {}", options.dir.display());
        StoreError::io(doing, std::io::ErrorKind::NotFound.into())
    };
    let mut manifest = Manifest::read(&*options.fs, &options.dir)?.ok_or_else(missing)?;
    let Some(mut opened) = open(&manifest, options.key.as_ref(), &options.dir)? else {
        return Err(StoreError::NotSealed { dir: options.dir.clone() });
    };
    // A root is for files from its number on: not for blobs of which the manifest was not told yet.
    let failed = |error| StoreError::io(format!("reading blobs in {}", options.dir.display()), error);
    let end = blob_file::numbers_end(&*options.fs, &options.dir).map_err(failed)?;
    manifest.next = manifest.next.max(end);
    opened.roots.push(Root::generate(manifest.next, &*options.entropy));
    manifest.sealed = Some(opened.wrap(new, &manifest.store, &*options.entropy));
    manifest.write(&*options.fs, &options.dir)
}

impl Log {
    /// The same for a store in use. After an error nothing may be written any more: the manifest on disk
    /// may say already that later files are sealed with the new root.
    pub fn change_key(&self, new: &EncryptionKey) -> Result<(), StoreError> {
        let Some(sealer) = &self.sealer else {
            return Err(StoreError::NotSealed { dir: self.options.dir.clone() });
        };
        // Nobody gets a number for a file meanwhile, so none can miss the root that it belongs to.
        let mut manifest = self.manifest.lock();
        let mut next = manifest.clone();
        let (opened, rows) = sealer.renewed(next.next, new, &next.store);
        next.sealed = Some(rows);
        next.write(&*self.options.fs, &self.options.dir)?;
        *manifest = next;
        sealer.adopt(opened);
        Ok(())
    }
}

/// Whether a key fits a manifest, which is that of a store in `dir`.
pub(crate) fn check(manifest: &Manifest, key: Option<&EncryptionKey>, dir: &Path) -> Result<(), StoreError> {
    open(manifest, key, dir).map(drop)
}

fn open(manifest: &Manifest, key: Option<&EncryptionKey>, dir: &Path) -> Result<Option<Opened>, StoreError> {
    let dir = || dir.to_owned();
    match (&manifest.sealed, key) {
        (None, None) => Ok(None),
        (Some(_), None) => Err(StoreError::KeyMissing { dir: dir() }),
        (None, Some(_)) => Err(StoreError::NotSealed { dir: dir() }),
        (Some(rows), Some(key)) => {
            let opened = rows.open(key, &manifest.store);
            opened.map(Some).ok_or_else(|| StoreError::KeyMismatch { dir: dir() })
        }
    }
}
