//! Reading a bundle.

mod content;
mod tail;

use std::io::{self, BufReader, Read};

use cairn_seam::Sha256;
use content::{Pending, Skip};
pub use tail::Tail;

use super::format::{self, CONTENT_NAME_BYTES, FRAME_BYTES, HEADER_BYTES, Kind};
use super::{BundleError, BundleProblem, BundledArtifact, BundledKey, BundledTombstone, Head};
use crate::limits::BUNDLE_ENTRIES_MAX;
use crate::merkle::Frontier;

const BUFFER_BYTES: usize = 64 << 10;

/// An entry of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// An artifact.
    Artifact(BundledArtifact),
    /// Content, whose bytes [`BundleReader::content`] hands over.
    Content {
        /// Its SHA-256.
        sha256: Sha256,
        /// Its length in bytes.
        length: u64,
    },
    /// A public key. Never trust it.
    Key(BundledKey),
    /// A tombstone.
    Tombstone(BundledTombstone),
    /// A valid signed head: it covers all entries before it.
    Head(Box<Head>),
}

/// Reads a bundle entry by entry, and verifies check values, content, heads and their tree.
///
/// Entries come before the head that covers them: act on them when it was read. Signatures of artifacts and
/// tombstones are not verified here.
#[derive(Debug)]
pub struct BundleReader<R> {
    input: BufReader<R>,
    position: u64,
    created_at_ms: u64,
    tree: Frontier,
    leaf: Option<Sha256>,
    covered: Option<Covered>,
    pending: Option<Pending>,
    tail: Option<Tail>,
    skip: Option<Skip<R>>,
}

/// What the last valid head covers.
#[derive(Debug)]
struct Covered {
    head: Head,
    end: u64,
    tree: Frontier,
}

/// The reason why there is no next entry.
enum Stop {
    Io(io::Error),
    /// The file ends between two entries.
    End,
    /// The bytes from the second one of the entry on that were read, in which a head may hide.
    Problem(BundleProblem, Vec<u8>),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Stop::Io(error)
    }
}

impl<R: Read> BundleReader<R> {
    /// Reads the header.
    pub fn open(input: R) -> Result<Self, BundleError> {
        let mut input = BufReader::with_capacity(BUFFER_BYTES, input);
        let mut header = [0; HEADER_BYTES];
        if fill(&mut input, &mut header)? < HEADER_BYTES {
            return Err(BundleError::NotABundle);
        }
        Ok(BundleReader {
            input,
            position: HEADER_BYTES as u64,
            created_at_ms: format::parse_header(&header)?,
            tree: Frontier::default(),
            leaf: None,
            covered: None,
            pending: None,
            tail: None,
            skip: None,
        })
    }

    /// Returns the time of creation in the header, in Unix milliseconds.
    pub fn created_at_ms(&self) -> u64 {
        self.created_at_ms
    }

    /// Returns the offset of the next byte to read.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Returns the last valid head so far.
    pub fn head(&self) -> Option<&Head> {
        self.covered.as_ref().map(|covered| &covered.head)
    }

    /// Returns the leaf of the last entry that was no head.
    pub(super) fn leaf(&self) -> Option<Sha256> {
        self.leaf
    }

    /// Returns the next entry, or `None` at the end or at a torn tail.
    ///
    /// Content that was not asked for is read and verified first. Fails with [`BundleError::Damaged`] where a
    /// valid head follows, and with [`BundleError::NoHead`] if the bundle has none; there is no next entry then.
    pub fn next_entry(&mut self) -> Result<Option<Entry>, BundleError> {
        if self.pending.is_some() {
            self.content(&mut |_| Ok(()))?;
        }
        if self.tail.is_some() {
            return Ok(None);
        }
        let entry_at = self.position;
        let next = match self.read_entry() {
            Ok(entry) => Ok(Some(entry)),
            Err(Stop::Io(error)) => Err(error.into()),
            Err(Stop::End) => self.end_at(entry_at).map(|()| None),
            Err(Stop::Problem(problem, seen)) => self.stop_at(entry_at, problem, seen).map(|()| None),
        };
        self.ended_by(next)
    }

    fn read_entry(&mut self) -> Result<Entry, Stop> {
        let entry_at = self.position;
        let mut frame = [0; FRAME_BYTES];
        let count = self.read(&mut frame)?;
        if count == 0 {
            return Err(Stop::End);
        }
        let seen = |problem, frame: &[u8], body: &[u8]| Stop::Problem(problem, [&frame[1..], body].concat());
        if count < FRAME_BYTES {
            return Err(seen(BundleProblem::CutOff, &frame[..count], &[]));
        }
        let [kind, a, b, c, d, check @ ..] = frame;
        let length = u32::from_le_bytes([a, b, c, d]);
        let kind = Kind::of(kind).ok_or_else(|| seen(BundleProblem::UnknownKind(kind), &frame, &[]))?;
        if !kind.allows(length) {
            return Err(seen(BundleProblem::Length(length), &frame, &[]));
        }
        if kind != Kind::Head && self.tree.size() >= BUNDLE_ENTRIES_MAX {
            return Err(seen(BundleProblem::TooManyEntries, &frame, &[]));
        }
        // Bodies that are held in memory are short: the length was checked.
        let in_memory = if kind == Kind::Content { CONTENT_NAME_BYTES } else { length as usize };
        let mut body = vec![0; in_memory];
        let count = self.read(&mut body)?;
        if count < in_memory {
            return Err(seen(BundleProblem::CutOff, &frame, &body[..count]));
        }
        let leaf = match <[u8; 32]>::try_from(&body[..]) {
            Ok(sha256) if kind == Kind::Content => format::content_leaf(
                &Sha256::from_bytes(sha256),
                u64::from(length) - CONTENT_NAME_BYTES as u64,
            ),
            _ => format::leaf(kind, &body),
        };
        if format::check(&leaf) != check {
            return Err(seen(BundleProblem::Check, &frame, &body));
        }
        self.take(kind, &body, u64::from(length), leaf, entry_at)
            .map_err(|problem| seen(problem, &frame, &body))
    }

    /// Takes an entry whose bytes are intact.
    fn take(
        &mut self,
        kind: Kind,
        body: &[u8],
        length: u64,
        leaf: Sha256,
        entry_at: u64,
    ) -> Result<Entry, BundleProblem> {
        let malformed = BundleProblem::Malformed;
        let entry = match kind {
            Kind::Artifact => Entry::Artifact(BundledArtifact::decode(body).ok_or(malformed)?),
            Kind::Key => Entry::Key(BundledKey::decode(body).ok_or(malformed)?),
            Kind::Tombstone => Entry::Tombstone(BundledTombstone::decode(body).ok_or(malformed)?),
            Kind::Head => return self.take_head(body, entry_at),
            Kind::Content => {
                let sha256 = Sha256::from_bytes(body.try_into().map_err(|_| malformed)?);
                let length = length - CONTENT_NAME_BYTES as u64;
                self.pending = Some(Pending { entry_at, sha256, length });
                Entry::Content { sha256, length }
            }
        };
        self.tree.push(leaf);
        self.leaf = Some(leaf);
        Ok(entry)
    }

    fn take_head(&mut self, body: &[u8], entry_at: u64) -> Result<Entry, BundleProblem> {
        let head = Head::decode(body).ok_or(BundleProblem::Malformed)?;
        let is_second = self.head().is_some_and(|last| last.tree_size == head.tree_size);
        let is_here = head.offset == entry_at && head.created_at_ms == self.created_at_ms;
        let is_of_tree = head.tree_size == self.tree.size() && head.root == self.tree.root();
        if is_second || !is_here || !is_of_tree {
            return Err(BundleProblem::HeadTree);
        }
        if !head.is_signed() {
            return Err(BundleProblem::HeadSignature);
        }
        self.covered = Some(Covered { head, end: self.position, tree: self.tree.clone() });
        Ok(Entry::Head(Box::new(head)))
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = fill(&mut self.input, buffer)?;
        self.position += count as u64;
        Ok(count)
    }

    /// Returns the last valid head, its end, and the tree that it covers.
    pub(super) fn into_covered(self) -> Result<(Head, u64, Frontier), BundleError> {
        let none = BundleError::NoHead { offset: self.position, problem: BundleProblem::Unsigned };
        self.covered.map(|covered| (covered.head, covered.end, covered.tree)).ok_or(none)
    }
}

/// Fills a buffer; fewer bytes only where the input ends.
fn fill(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
