//! `cairn artifact export --append`: adds to a bundle what it does not hold yet.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use cairn_access::identity::Identity;
use cairn_artifacts::bundle::{BundleError, BundleReader, BundleWriter, BundledKey, Entry};
use cairn_base::{Clock, SystemClock};

use crate::failure::Failure;

/// Entries that were appended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Appended {
    pub(super) artifacts: u64,
    pub(super) tombstones: u64,
    /// Entries of both bundles together.
    pub(super) entries: u64,
}

/// Entries of a bundle, by what makes each of them unique.
#[derive(Debug, Default)]
struct Held {
    /// Signatures of artifacts and tombstones.
    signed: BTreeSet<[u8; 64]>,
    contents: BTreeSet<[u8; 32]>,
    keys: BTreeSet<(String, String, [u8; 32], Option<u64>)>,
}

/// Appends the entries of one bundle to another that does not hold them, and ends it with a head signed by `identity`.
///
/// A torn tail of `to` is cut off. Fails without changing `to` if it is damaged; if it fails later, what was appended is a
/// torn tail, which readers ignore.
pub(super) fn append(from: &Path, to: &Path, identity: &Identity) -> Result<Appended, Failure> {
    let failed = |error: BundleError| {
        if let BundleError::Io(error) = &error {
            return Failure::io(format_args!("append to {}", to.display()), error);
        }
        Failure::usage(format!("cannot append to {}: {error}", to.display()))
            .hint("`cairn artifact verify` says what is wrong with it; export to a new file otherwise")
    };
    let opened = OpenOptions::new().read(true).write(true).open(to);
    let file = opened.map_err(|error| Failure::io(format_args!("open {}", to.display()), &error))?;
    let mut held = held_by(&file).map_err(failed)?;
    let mut bundle = BundleWriter::append_to(file).map_err(failed)?;
    let added = copy(from, &mut held, &mut bundle).map_err(failed)?;
    let entries = bundle.entries();
    bundle.finish(identity, SystemClock.now_ms()).map_err(failed)?;
    Ok(Appended { entries, ..added })
}

/// Reads a bundle from its beginning. Entries behind its last head do not count.
fn held_by(file: &File) -> Result<Held, BundleError> {
    let (mut held, mut pending) = (Held::default(), Vec::new());
    let mut input = file;
    input.seek(SeekFrom::Start(0))?;
    let mut reader = BundleReader::open(input)?;
    while let Some(entry) = reader.next_entry()? {
        if let Entry::Head(_) = entry {
            pending.drain(..).for_each(|entry| held.insert(&entry));
        } else {
            pending.push(entry);
        }
    }
    Ok(held)
}

fn copy(from: &Path, held: &mut Held, bundle: &mut BundleWriter<File>) -> Result<Appended, BundleError> {
    let mut appended = Appended::default();
    let mut contents = File::open(from)?;
    let mut reader = BundleReader::open(File::open(from)?)?;
    while let Some(entry) = reader.next_entry()? {
        if held.has(&entry) {
            continue;
        }
        held.insert(&entry);
        match &entry {
            Entry::Artifact(artifact) => {
                bundle.artifact(artifact)?;
                appended.artifacts += 1;
            }
            Entry::Tombstone(tombstone) => {
                bundle.tombstone(tombstone)?;
                appended.tombstones += 1;
            }
            Entry::Key(key) => bundle.key(key)?,
            Entry::Content { sha256, length } => {
                // The bytes begin where the reader stands.
                contents.seek(SeekFrom::Start(reader.position()))?;
                bundle.content(sha256, *length, &mut BufReader::new(&contents).take(*length))?;
            }
            Entry::Head(_) => {}
        }
    }
    Ok(appended)
}

impl Held {
    fn has(&self, entry: &Entry) -> bool {
        match entry {
            Entry::Artifact(artifact) => self.signed.contains(artifact.signature.as_bytes()),
            Entry::Tombstone(tombstone) => self.signed.contains(tombstone.signature.as_bytes()),
            Entry::Key(key) => self.keys.contains(&name(key)),
            Entry::Content { sha256, .. } => self.contents.contains(sha256.as_bytes()),
            Entry::Head(_) => true,
        }
    }

    fn insert(&mut self, entry: &Entry) {
        match entry {
            Entry::Artifact(artifact) => drop(self.signed.insert(*artifact.signature.as_bytes())),
            Entry::Tombstone(tombstone) => drop(self.signed.insert(*tombstone.signature.as_bytes())),
            Entry::Key(key) => drop(self.keys.insert(name(key))),
            Entry::Content { sha256, .. } => drop(self.contents.insert(*sha256.as_bytes())),
            Entry::Head(_) => {}
        }
    }
}

fn name(key: &BundledKey) -> (String, String, [u8; 32], Option<u64>) {
    (key.tenant.clone(), key.user.clone(), key.public_key, key.revoked_at_ms)
}
