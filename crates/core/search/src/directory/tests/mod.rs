//! Folders of an index, checked and sealed.

mod bytes;
mod checked;
mod folder;
mod life;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cairn_base::fs::SimulatedFs;
use cairn_base::{SeededEntropy, SystemEntropy};
use cairn_embedded::{Background, EmbeddedOptions, EmbeddedStore, EncryptionKey};
use cairn_seam::{DerivedSeal, LocalStore};
use tantivy::Directory;
use tantivy::directory::TerminatingWrite;

use super::{Folder, Protection};

/// A sealed store whose keys follow from a number.
struct Keys {
    disk: SimulatedFs,
    number: u64,
}

impl Keys {
    fn new(number: u64) -> Self {
        Keys { disk: SimulatedFs::new(number), number }
    }

    fn options(&self) -> EmbeddedOptions {
        EmbeddedOptions {
            fs: Arc::new(self.disk.clone()),
            entropy: Arc::new(SeededEntropy::new(self.number)),
            key: Some(EncryptionKey::generate(&SeededEntropy::new(self.number))),
            segment_bytes: 16 << 10,
            reserve_bytes: 0,
            cache_bytes: 1 << 20,
            background: Background::Manual,
            ..EmbeddedOptions::default()
        }
    }

    fn seal(&self) -> Arc<dyn DerivedSeal> {
        let store = EmbeddedStore::open(Path::new("store"), self.options()).unwrap();
        store.derived_seal("search").unwrap()
    }

    /// The same store with another key of the user, and so with one more root.
    fn rotate(self) -> Self {
        let next = Keys { disk: self.disk.clone(), number: self.number + 1 };
        let new = next.options().key.unwrap();
        EmbeddedStore::rotate_key(Path::new("store"), self.options(), &new).unwrap();
        next
    }
}

fn seal(number: u64) -> Arc<dyn DerivedSeal> {
    Keys::new(number).seal()
}

fn checked() -> Protection {
    Protection::Checked(Arc::new(SystemEntropy))
}

fn both() -> [Protection; 2] {
    [checked(), Protection::Sealed(seal(1))]
}

/// A folder of which nothing has been read yet.
fn fresh(dir: &Path, protection: &Protection) -> Folder {
    Folder::new(dir, protection.clone())
}

fn write(directory: &dyn Directory, name: &str, content: &[u8]) {
    let mut writer = directory.open_write(Path::new(name)).unwrap();
    writer.write_all(content).unwrap();
    writer.terminate().unwrap();
}

fn read(directory: &dyn Directory, name: &str) -> Option<Vec<u8>> {
    let file = directory.open_read(Path::new(name)).ok()?;
    Some(file.read_bytes().ok()?.as_slice().to_vec())
}

/// Bytes that look like nothing in particular.
fn noise(count: usize) -> Vec<u8> {
    use cairn_base::Entropy;
    let mut bytes = vec![0; count];
    SeededEntropy::new(count as u64).fill(&mut bytes);
    bytes
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}
