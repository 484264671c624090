//! The one place where a node keeps its identity: `identity/` in the data directory.
//!
//! `node.key` is what counts: it is put in its place last, so that a power cut leaves the old identity or
//! the new one. `node.pub` and `identity.json` are for others and for people; when they are of another key,
//! because the power went between them and the key, they do not count.

use std::path::{Path, PathBuf};

use cairn_base::Value;
use cairn_base::fs::{FileSystem, Locked};

use super::files::{put, read, read_private, sync};
use super::{About, Identity, IdentityError};

/// The folder's name in the data directory.
pub const FOLDER: &str = "identity";
pub(super) const PRIVATE: &str = "node.key";
pub(super) const PUBLIC: &str = "node.pub";
pub(super) const ABOUT: &str = "identity.json";
const LOCK: &str = "LOCK";

/// What to do about an identity that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Change nothing.
    Refuse,
    /// Keep it beside, under `replaced-` and its node id, and put the new one in its place.
    Replace,
}

/// The folder with a node's identity.
#[derive(Debug)]
pub struct IdentityFolder<'a> {
    fs: &'a dyn FileSystem,
    data_dir: PathBuf,
    path: PathBuf,
}

impl<'a> IdentityFolder<'a> {
    /// The folder of a data directory; neither need be there.
    pub fn new(fs: &'a dyn FileSystem, data_dir: &Path) -> Self {
        IdentityFolder { fs, data_dir: data_dir.to_owned(), path: data_dir.join(FOLDER) }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The identity, if there is one. Fails when others may read its private key.
    pub fn load(&self) -> Result<Option<Identity>, IdentityError> {
        let file = self.path.join(PRIVATE);
        let Some(key) = read_private(self.fs, &file)? else { return Ok(None) };
        let key: &[u8; 32] = key.as_slice().try_into().map_err(|_| IdentityError::Damaged {
            file,
            detail: "a private key has 32 bytes; put it back from a backup of the identity",
        })?;
        let identity = Identity::from_private_key(key, About::default());
        let about = read(self.fs, &self.path.join(ABOUT))?;
        let about = about.and_then(|json| Value::parse_json(&json).ok());
        let about = about.and_then(|about| About::from_value(&about, &identity.public_key()));
        Ok(Some(identity.with(about.unwrap_or_default())))
    }

    /// Fails as [`IdentityFolder::save`] would, as far as that can be told before.
    pub fn check(&self, existing: Existing) -> Result<(), IdentityError> {
        match self.load()? {
            Some(old) if existing == Existing::Refuse => {
                Err(IdentityError::Exists { node_id: old.public_key().to_string() })
            }
            _ => Ok(()),
        }
    }

    /// Keeps an identity: durable when this returns. Yields where the one before is now, if there was another.
    pub fn save(&self, identity: &Identity, existing: Existing) -> Result<Option<PathBuf>, IdentityError> {
        let failed = |source| IdentityError::Io { doing: "make", path: self.path.clone(), source };
        self.fs.create_dir(&self.path).map_err(failed)?;
        let holder = format!("process {}", std::process::id());
        let _lock = match self.fs.lock(&self.path.join(LOCK), &holder).map_err(failed)? {
            Locked::Acquired(lock) => lock,
            Locked::Held(owner) => return Err(IdentityError::Busy { owner }),
        };
        self.check(existing)?;
        let old = self.load()?.filter(|old| old.public_key() != identity.public_key());
        let kept = old.map(|old| self.keep_beside(&old)).transpose()?;
        self.write(&self.path, identity)?;
        // The folder itself may be new.
        sync(self.fs, &self.data_dir)?;
        Ok(kept)
    }

    fn keep_beside(&self, old: &Identity) -> Result<PathBuf, IdentityError> {
        let path = self.path.join(format!("replaced-{}", old.public_key()));
        let failed = |source| IdentityError::Io { doing: "make", path: path.clone(), source };
        self.fs.create_dir(&path).map_err(failed)?;
        self.write(&path, old)?;
        sync(self.fs, &self.path)?;
        Ok(path)
    }

    fn write(&self, folder: &Path, identity: &Identity) -> Result<(), IdentityError> {
        let public_key = identity.public_key();
        put(self.fs, folder, ABOUT, identity.about().to_file(&public_key).as_bytes())?;
        put(self.fs, folder, PUBLIC, public_key.as_bytes())?;
        // They are durable before the key is: names are not kept in the order they were given.
        sync(self.fs, folder)?;
        put(self.fs, folder, PRIVATE, identity.private_key())?;
        sync(self.fs, folder)
    }
}
