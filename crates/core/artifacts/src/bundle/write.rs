//! Writing a bundle.

use std::io::{self, BufWriter, Read, Write};

use cairn_access::identity::{Identity, Signature};
use cairn_seam::{Sha256, Sha256Hasher};

use super::format::{self, CONTENT_NAME_BYTES, FRAME_BYTES, HEADER_BYTES, Kind};
use super::{BundleError, BundledArtifact, BundledKey, BundledTombstone, Head};
use crate::limits::{BUNDLE_CONTENT_BYTES_MAX, BUNDLE_ENTRIES_MAX};
use crate::merkle::Frontier;

/// Bytes that content is copied in.
const COPY_BYTES: usize = 64 << 10;

/// Writes the entries of one session and ends them with a signed head.
///
/// Without [`finish`](BundleWriter::finish) nothing that was written counts. After an error the writer refuses
/// everything; what it wrote is a torn tail.
#[derive(Debug)]
pub struct BundleWriter<W: Write> {
    out: BufWriter<W>,
    position: u64,
    created_at_ms: u64,
    tree: Frontier,
    /// The head at the end of what is written, if no entry follows it.
    head: Option<Head>,
    /// Whether the last entry was written only in part.
    is_torn: bool,
    /// Makes entries durable before the head is written.
    sync: fn(&mut W) -> io::Result<()>,
}

impl<W: Write> BundleWriter<W> {
    /// Starts a new bundle.
    pub fn create(out: W, now_ms: u64) -> Result<Self, BundleError> {
        let mut out = BufWriter::new(out);
        out.write_all(&format::header(now_ms))?;
        Ok(BundleWriter {
            out,
            position: HEADER_BYTES as u64,
            created_at_ms: now_ms,
            tree: Frontier::default(),
            head: None,
            is_torn: false,
            sync: |_| Ok(()),
        })
    }

    /// Continues behind a head, where `out` has to stand.
    pub(super) fn behind(
        out: W,
        head: Head,
        end: u64,
        tree: Frontier,
        sync: fn(&mut W) -> io::Result<()>,
    ) -> Self {
        BundleWriter {
            out: BufWriter::new(out),
            position: end,
            created_at_ms: head.created_at_ms,
            tree,
            head: Some(head),
            is_torn: false,
            sync,
        }
    }

    /// Returns the number of entries so far, those of earlier sessions included.
    pub fn entries(&self) -> u64 {
        self.tree.size()
    }

    /// Writes an artifact.
    pub fn artifact(&mut self, artifact: &BundledArtifact) -> Result<(), BundleError> {
        self.entry(Kind::Artifact, &artifact.encode()?)
    }

    /// Writes a public key.
    pub fn key(&mut self, key: &BundledKey) -> Result<(), BundleError> {
        self.entry(Kind::Key, &key.encode()?)
    }

    /// Writes a tombstone.
    pub fn tombstone(&mut self, tombstone: &BundledTombstone) -> Result<(), BundleError> {
        self.entry(Kind::Tombstone, &tombstone.encode()?)
    }

    /// Copies content, which must have exactly this length and this SHA-256.
    ///
    /// Fails with [`BundleError::WrongContent`] if it does not; the bundle cannot be finished then.
    pub fn content(&mut self, sha256: &Sha256, length: u64, from: &mut dyn Read) -> Result<(), BundleError> {
        if length > BUNDLE_CONTENT_BYTES_MAX {
            let max = BUNDLE_CONTENT_BYTES_MAX;
            return Err(BundleError::TooLarge { part: "content", bytes: length, max });
        }
        let leaf = format::content_leaf(sha256, length);
        self.begin(Kind::Content, CONTENT_NAME_BYTES as u64 + length, &leaf)?;
        self.out.write_all(sha256.as_bytes())?;
        if self.copy(length, from)? != *sha256 {
            return Err(BundleError::WrongContent { length });
        }
        self.end(CONTENT_NAME_BYTES as u64 + length, leaf);
        Ok(())
    }

    /// Copies bytes of content, and returns their hash.
    fn copy(&mut self, length: u64, from: &mut dyn Read) -> Result<Sha256, BundleError> {
        let mut hasher = Sha256Hasher::default();
        let mut buffer = vec![0; COPY_BYTES];
        // One more byte is asked for than announced, to see that there is none.
        let mut from = from.take(length + 1);
        let mut copied = 0;
        loop {
            let count = match from.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            copied += count as u64;
            let bytes = buffer.get(..count).filter(|_| copied <= length);
            let bytes = bytes.ok_or(BundleError::WrongContent { length })?;
            hasher.update(bytes);
            self.out.write_all(bytes)?;
        }
        if copied < length { Err(BundleError::WrongContent { length }) } else { Ok(hasher.finish()) }
    }

    /// Signs a head over all entries, and returns it with the output.
    ///
    /// If nothing was appended since the last head, that head is returned and nothing is written.
    pub fn finish(mut self, identity: &Identity, now_ms: u64) -> Result<(Head, W), BundleError> {
        let head = match self.head {
            Some(head) => head,
            None => self.write_head(identity, now_ms)?,
        };
        self.out.flush()?;
        let (out, _) = self.out.into_parts();
        Ok((head, out))
    }

    /// Signs a head over all entries so far. What comes before it counts, whatever becomes of the rest.
    ///
    /// If nothing was appended since the last head, nothing is written.
    pub fn head(&mut self, identity: &Identity, now_ms: u64) -> Result<(), BundleError> {
        if self.head.is_none() {
            let head = self.write_head(identity, now_ms)?;
            self.position += FRAME_BYTES as u64 + head.encode().len() as u64;
            self.head = Some(head);
        }
        Ok(())
    }

    fn write_head(&mut self, identity: &Identity, now_ms: u64) -> Result<Head, BundleError> {
        if self.is_torn {
            return Err(BundleError::Unfinished);
        }
        self.out.flush()?;
        (self.sync)(self.out.get_mut())?;
        let head = Head {
            offset: self.position,
            created_at_ms: self.created_at_ms,
            tree_size: self.tree.size(),
            signed_at_ms: now_ms,
            root: self.tree.root(),
            public_key: identity.public_key(),
            signature: Signature::from_bytes([0; 64]),
        };
        let head = head.sign(identity);
        let body = head.encode();
        let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
        self.out.write_all(&format::frame(Kind::Head, length, &format::leaf(Kind::Head, &body)))?;
        self.out.write_all(&body)?;
        self.out.flush()?;
        (self.sync)(self.out.get_mut())?;
        Ok(head)
    }

    fn entry(&mut self, kind: Kind, body: &[u8]) -> Result<(), BundleError> {
        let leaf = format::leaf(kind, body);
        self.begin(kind, body.len() as u64, &leaf)?;
        self.out.write_all(body)?;
        self.end(body.len() as u64, leaf);
        Ok(())
    }

    fn begin(&mut self, kind: Kind, length: u64, leaf: &Sha256) -> Result<(), BundleError> {
        if self.is_torn {
            return Err(BundleError::Unfinished);
        }
        if self.tree.size() >= BUNDLE_ENTRIES_MAX {
            return Err(BundleError::TooManyEntries);
        }
        let length = u32::try_from(length).map_err(|_| BundleError::TooManyEntries)?;
        (self.is_torn, self.head) = (true, None);
        Ok(self.out.write_all(&format::frame(kind, length, leaf))?)
    }

    fn end(&mut self, length: u64, leaf: Sha256) {
        self.tree.push(leaf);
        self.position += FRAME_BYTES as u64 + length;
        self.is_torn = false;
    }
}
