//! Verifying a bundle without a store and without a network.

use std::collections::HashSet;
use std::io::Read;

use cairn_base::{CanonicalObject, Hex, from_hex};

use super::batch::{Batch, Checked, Signed};
use super::{AttestedBy, BundleError, BundleProblem, BundleReader, Entry, Head};
use crate::limits::VERIFY_NAME_BYTES_MAX;

/// The result of verifying a bundle.
///
/// Only entries that the last valid head covers are in it; of a damaged bundle, those in front of the damage.
#[derive(Debug, Clone)]
pub struct VerifyReport {
    /// Time of creation in the header, in Unix milliseconds.
    pub created_at_ms: u64,
    /// The last valid head, whose key is the signer of the bundle.
    pub head: Option<Head>,
    /// Number of valid heads.
    pub heads: u64,
    /// The artifacts, in their order.
    pub artifacts: Vec<ArtifactVerdict>,
    /// The tombstones, in their order.
    pub tombstones: Vec<TombstoneVerdict>,
    /// Number of contents; each matches its SHA-256.
    pub contents: u64,
    /// Number of public keys.
    pub keys: u64,
    /// Whether the Merkle tree holds: every entry up to the last head is covered by it.
    pub tree_ok: bool,
    /// The damage that ended reading.
    pub damage: Option<Damage>,
    /// Bytes behind the last valid head, which are ignored.
    pub torn_bytes: u64,
}

/// Damage in a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damage {
    /// Offset of the damaged entry.
    pub offset: u64,
    /// What is wrong there.
    pub problem: BundleProblem,
}

/// What a bundle proves about one artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactVerdict {
    /// Index of its entry, from 0.
    pub entry: u64,
    /// Its id; empty if the payload has none.
    pub id: String,
    /// Its title, cut to [`VERIFY_NAME_BYTES_MAX`] bytes like the other names.
    pub title: String,
    /// The author that the payload names.
    pub user_id: String,
    /// The tenant that the payload names.
    pub tenant_id: String,
    /// The key that the artifact claims to be signed with, in hexadecimal digits.
    pub signer: String,
    /// Whose signature it is said to be.
    pub attested_by: AttestedBy,
    /// Whether that key signed the payload, and the payload is canonical JSON.
    pub signature_ok: bool,
    /// Whether the bundle holds the content; content that is there matches its SHA-256.
    pub has_content: bool,
    /// Whether the bundle says that the key belongs to the author. It proves nothing.
    pub key_in_bundle: bool,
}

/// What a bundle proves about one tombstone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TombstoneVerdict {
    /// Index of its entry, from 0.
    pub entry: u64,
    /// The id of the deleted artifact.
    pub id: String,
    /// Who deleted it, as the tombstone says.
    pub by: String,
    /// The key that it claims to be signed with, in hexadecimal digits.
    pub signer: String,
    /// Whether that key signed the tombstone, and its text is canonical JSON.
    pub signature_ok: bool,
}

/// How far verifying is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerifyProgress {
    /// Entries read.
    pub entries: u64,
    /// Bytes read.
    pub bytes: u64,
}

impl VerifyReport {
    /// Returns whether the tree holds, nothing is damaged, and every signature is right. A torn tail is no fault.
    pub fn is_ok(&self) -> bool {
        self.tree_ok
            && self.damage.is_none()
            && self.artifacts.iter().all(|artifact| artifact.signature_ok)
            && self.tombstones.iter().all(|tombstone| tombstone.signature_ok)
    }
}

/// Verifies a bundle: check values, content, tree, heads, and the signature of every artifact and tombstone.
///
/// Calls `on_progress` after each batch of signatures. Damage is part of the report; fails only if the input
/// cannot be read or is not a bundle.
pub fn verify(
    input: impl Read,
    on_progress: &mut dyn FnMut(VerifyProgress),
) -> Result<VerifyReport, BundleError> {
    let mut reader = BundleReader::open(input)?;
    let mut verifying = Verifying::default();
    let damage = loop {
        match reader.next_entry() {
            Ok(Some(entry)) => verifying.take(entry),
            Ok(None) => break None,
            Err(BundleError::Damaged { offset, problem } | BundleError::NoHead { offset, problem }) => {
                break Some(Damage { offset, problem });
            }
            Err(error) => return Err(error),
        }
        if verifying.batch.is_full() {
            verifying.settle();
            on_progress(VerifyProgress { entries: verifying.entries, bytes: reader.position() });
        }
    };
    verifying.settle();
    on_progress(VerifyProgress { entries: verifying.entries, bytes: reader.position() });
    let torn_bytes = reader.tail().filter(|_| damage.is_none()).map_or(0, |tail| tail.torn_bytes);
    Ok(verifying.report(reader.created_at_ms(), reader.head().copied(), damage, torn_bytes))
}

#[derive(Debug)]
struct Note {
    entry: u64,
    /// `None` for a tombstone.
    attested_by: Option<AttestedBy>,
}

/// A public key of the bundle: tenant, user and key.
type KeyNote = (String, String, [u8; 32]);

#[derive(Debug, Default)]
struct Verifying {
    batch: Batch<Note>,
    entries: u64,
    heads: u64,
    /// Artifacts with the SHA-256 of their content and the key.
    artifacts: Vec<(ArtifactVerdict, Option<[u8; 32]>, [u8; 32])>,
    tombstones: Vec<TombstoneVerdict>,
    /// Entry indexes of contents and of keys, to leave out those that no head covers.
    contents: Vec<(u64, [u8; 32])>,
    keys: Vec<(u64, KeyNote)>,
}

impl Verifying {
    fn take(&mut self, entry: Entry) {
        let at = self.entries;
        self.entries += 1;
        match entry {
            Entry::Artifact(artifact) => {
                let note = Note { entry: at, attested_by: Some(artifact.attested_by) };
                let (signature, public_key) = (artifact.signature, artifact.public_key);
                self.batch.push(Signed { note, text: artifact.payload, signature, public_key });
            }
            Entry::Tombstone(tombstone) => {
                let note = Note { entry: at, attested_by: None };
                let (signature, public_key) = (tombstone.signature, tombstone.public_key);
                self.batch.push(Signed { note, text: tombstone.text, signature, public_key });
            }
            Entry::Content { sha256, .. } => self.contents.push((at, *sha256.as_bytes())),
            Entry::Key(key) => self.keys.push((at, (key.tenant, key.user, key.public_key))),
            Entry::Head(_) => {
                self.entries -= 1;
                self.heads += 1;
            }
        }
    }

    fn settle(&mut self) {
        for checked in self.batch.check() {
            let Checked { note, public_key, object, is_signed } = checked;
            let field = |name: &str| field(object.as_ref(), name);
            let signer = Hex(&public_key).to_string();
            let Some(attested_by) = note.attested_by else {
                let (id, by) = (field("id"), field("by"));
                let (entry, signature_ok) = (note.entry, is_signed);
                self.tombstones.push(TombstoneVerdict { entry, id, by, signer, signature_ok });
                continue;
            };
            let verdict = ArtifactVerdict {
                entry: note.entry,
                id: field("id"),
                title: field("title"),
                user_id: field("user_id"),
                tenant_id: field("tenant_id"),
                signer,
                attested_by,
                signature_ok: is_signed,
                has_content: false,
                key_in_bundle: false,
            };
            self.artifacts.push((verdict, from_hex(&field("content_hash")), public_key));
        }
    }

    fn report(
        self,
        created_at_ms: u64,
        head: Option<Head>,
        damage: Option<Damage>,
        torn_bytes: u64,
    ) -> VerifyReport {
        // Without damage, what no head covers is a torn tail.
        let end = if damage.is_some() { u64::MAX } else { head.map_or(0, |head| head.tree_size) };
        let contents: Vec<_> = self.contents.into_iter().filter(|(at, _)| *at < end).collect();
        let keys: Vec<_> = self.keys.into_iter().filter(|(at, _)| *at < end).collect();
        let (content_count, key_count) = (contents.len() as u64, keys.len() as u64);
        let contents: HashSet<_> = contents.into_iter().map(|(_, sha256)| sha256).collect();
        let keys: HashSet<KeyNote> = keys.into_iter().map(|(_, key)| key).collect();
        let judge = |(mut verdict, content, key): (ArtifactVerdict, Option<[u8; 32]>, [u8; 32])| {
            let owned = (verdict.tenant_id.clone(), verdict.user_id.clone(), key);
            verdict.has_content = content.is_some_and(|content| contents.contains(&content));
            verdict.key_in_bundle = keys.contains(&owned);
            verdict
        };
        VerifyReport {
            created_at_ms,
            head,
            heads: self.heads,
            artifacts: self.artifacts.into_iter().map(judge).filter(|verdict| verdict.entry < end).collect(),
            tombstones: self.tombstones.into_iter().filter(|verdict| verdict.entry < end).collect(),
            contents: content_count,
            keys: key_count,
            tree_ok: head.is_some() && damage.is_none(),
            damage,
            torn_bytes,
        }
    }
}

/// The text under a name, cut to a bounded length; empty if there is none.
fn field(object: Option<&CanonicalObject>, name: &str) -> String {
    let mut text = object.and_then(|object| object.get_str(name)).unwrap_or_default();
    text.truncate(text.floor_char_boundary(VERIFY_NAME_BYTES_MAX));
    text
}
