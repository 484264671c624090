//! A damaged data directory: which segments there are, where they stand, and what opens them.
//!
//! Nothing here writes to it. What a file says of itself wins over what the manifest says of it.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cairn_base::Entropy;
use cairn_base::fs::{File, FileSystem};
use cairn_seam::{DamagedAt, LostRange, StoreError};

use super::PatientFile;
use super::manifest::{self, FoundManifest};
use super::seed;
use crate::hashed::HashKey;
use crate::log::{LogOptions, Segment};
use crate::manifest::{ImageRow, Manifest, SegmentState, Thinned};
use crate::seal::{self, Sealer};
use crate::segment::{self, SegmentHeader};
use crate::{blob_file, image_name};

/// How far into a file that seems unused is looked for bytes.
const LOOK_BYTES: u64 = 64 << 10;

/// The log of a damaged store, read only.
#[derive(Debug)]
pub struct DamagedLog {
    pub(super) fs: Arc<dyn FileSystem>,
    pub(super) dir: PathBuf,
    pub(super) entropy: Arc<dyn Entropy>,
    pub(super) clock: Arc<dyn cairn_base::Clock>,
    pub(super) sealer: Option<Arc<Sealer>>,
    pub(super) manifest: Manifest,
    found: Found,
    pub(super) segments: Vec<Source>,
    /// What is lost with files that are missing or tell nothing.
    pub(super) lost: Vec<LostRange>,
    /// What else is wrong, in words.
    pub(super) notes: Vec<String>,
}

/// What was known of the store as a whole.
#[derive(Debug, Clone, Copy)]
struct Found {
    is_whole: bool,
    has_store: bool,
    has_hash_key: bool,
}

/// A segment that holds data.
#[derive(Debug)]
pub(super) struct Source {
    /// Its bytes are 0 where nothing says where it ended.
    pub(super) segment: Segment,
    pub(super) file: Arc<dyn File>,
    pub(super) header: Option<SegmentHeader>,
    /// Offset where frames end at the latest.
    pub(super) limit: u64,
    /// Everything before this position was on disk.
    pub(super) durable_to: u64,
    /// Where the next segment begins.
    pub(super) next_base: Option<u64>,
}

impl DamagedLog {
    /// Looks at a directory whose store need not open.
    ///
    /// Fails with [`StoreError::Damaged`] when there is nothing to read: no segment is left, or the store
    /// is sealed and its keys went with the manifest. Fails as opening does when the key is missing or
    /// does not fit.
    pub fn open(mut options: LogOptions) -> Result<Self, StoreError> {
        let key = options.key.take();
        let FoundManifest { mut manifest, is_whole, has_store, has_hash_key, detail } =
            manifest::read(&*options.fs, &options.dir)?;
        if key.is_some() && !has_hash_key {
            return Err(damaged(
                &options.dir,
                format!(
                    "{detail}, and with it the keys of the store, which the key file wraps; restore \
                     MANIFEST or the whole store from a backup"
                ),
            ));
        }
        let sealer = seal::unseal(&mut manifest, key.as_ref(), &options)?;
        let LogOptions { fs, dir, clock, entropy, .. } = options;
        let mut notes = Vec::new();
        if !detail.is_empty() {
            notes.push(detail);
        }
        if !has_hash_key {
            entropy.fill(&mut manifest.hash_key.0);
            notes.push(
                "the secret of hashed names is lost: idempotency keys and second names are not known any more"
                    .into(),
            );
        }
        let found = Found { is_whole, has_store, has_hash_key };
        let sealer = sealer.map(Arc::new);
        let (segments, lost) = (Vec::new(), Vec::new());
        let mut log = DamagedLog { fs, dir, entropy, clock, sealer, manifest, found, segments, lost, notes };
        log.look()?;
        if log.segments.is_empty() {
            return Err(damaged(&log.dir, "no segment of the log can be read".into()));
        }
        Ok(log)
    }

    /// The id of the store, if the manifest said it.
    pub fn store_id(&self) -> Option<[u8; 16]> {
        self.found.has_store.then_some(self.manifest.store)
    }

    /// Gives the new store an id, when the old one's is not known from its manifest.
    pub fn set_store_id(&mut self, id: [u8; 16]) {
        self.manifest.store = id;
        self.found.has_store = true;
    }

    /// Whether names of hashed entries have another secret than they had.
    pub(super) fn is_new_key(&self) -> bool {
        !self.found.has_hash_key
    }

    /// What opens its files.
    pub fn sealer(&self) -> Option<&Arc<Sealer>> {
        self.sealer.as_ref()
    }

    /// The secret behind hashed names.
    pub fn hash_key(&self) -> &HashKey {
        &self.manifest.hash_key
    }

    /// Images there may be: the one that the manifest lists, or the numbers of all that are there, newest
    /// first, when it cannot be believed.
    pub fn images(&self) -> Result<Vec<(u64, Option<ImageRow>)>, StoreError> {
        if let Some(row) = self.manifest.image.filter(|_| self.found.is_whole) {
            return Ok(vec![(row.number, Some(row))]);
        }
        if self.found.is_whole {
            return Ok(Vec::new());
        }
        let mut numbers = self.numbers("image-", ".img")?;
        numbers.reverse();
        Ok(numbers.into_iter().map(|number| (number, None)).collect())
    }

    /// How much of history was taken out; unknown without a manifest, and then all that may have been.
    pub fn thinned(&self) -> Thinned {
        self.manifest.thinned
    }

    /// Whether frames were taken out of some segment.
    pub fn is_packed(&self) -> bool {
        self.segments.iter().any(|source| source.segment.packed > 0)
    }

    /// Says that everything before a position was on disk: the index knows.
    pub fn set_durable_to(&mut self, position: u64) {
        if let Some(last) = self.segments.last_mut() {
            last.durable_to = last.durable_to.max(position);
        }
    }

    /// Bytes of all segments.
    pub fn bytes(&self) -> u64 {
        self.segments.iter().map(|source| source.limit).sum()
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Numbers of files whose names begin and end so, sorted.
    fn numbers(&self, start: &str, end: &str) -> Result<Vec<u64>, StoreError> {
        let names = self.fs.list(&self.dir);
        let names =
            names.map_err(|error| StoreError::io(format!("reading {}", self.dir.display()), error))?;
        let number = |name: &String| {
            let digits = name.strip_prefix(start)?.strip_suffix(end)?;
            let is_number = digits.len() == 10 && digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse().ok().filter(|_| is_number)
        };
        Ok(names.iter().filter_map(number).collect())
    }

    fn look(&mut self) -> Result<(), StoreError> {
        let there: BTreeSet<u64> = self.numbers("segment-", ".log")?.into_iter().collect();
        let listed: BTreeMap<u64, SegmentState> = self.manifest.segments.iter().copied().collect();
        let numbers: BTreeSet<u64> = match self.found.is_whole {
            true => listed.keys().copied().collect(),
            false => listed.keys().copied().chain(there.iter().copied()).collect(),
        };
        for number in numbers {
            self.look_at(number, listed.get(&number).copied())?;
        }
        self.line_up(&listed);
        let files = [("side-", ".idx"), ("image-", ".img"), ("segment-", ".log")];
        for (start, end) in files {
            let last = self.numbers(start, end)?.last().map_or(0, |number| number + 1);
            self.manifest.next = self.manifest.next.max(last);
        }
        // A blob file that cannot be read has a number that nobody will ever ask for.
        let blobs = blob_file::numbers_end(&*self.fs, &self.dir).unwrap_or(0);
        self.manifest.next = self.manifest.next.max(blobs).max(1);
        Ok(())
    }

    fn look_at(&mut self, number: u64, state: Option<SegmentState>) -> Result<(), StoreError> {
        let name = segment::file_name(number);
        let path = self.dir.join(&name);
        let failed = |error| StoreError::io(format!("reading {}", path.display()), error);
        let file: Arc<dyn File> = match self.fs.open_to_read(&path) {
            Ok(file) => Arc::new(PatientFile(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let Some(SegmentState::Sealed { base, bytes, .. }) = state else { return Ok(()) };
                self.lose(&name, (0, 0), base..base + bytes, "the file is missing");
                return Ok(());
            }
            Err(error) => return Err(failed(error)),
        };
        let len = file.len().map_err(failed)?;
        let mut bytes = [0; segment::HEADER_BYTES];
        if len >= bytes.len() as u64 {
            file.read_at(&mut bytes, 0).map_err(failed)?;
        }
        let header = SegmentHeader::decode(&bytes, number);
        let listed_bytes = match state {
            Some(SegmentState::Sealed { bytes, .. }) => bytes,
            Some(SegmentState::Open { .. }) | None => 0,
        };
        let segment = match (header, state) {
            (Some(SegmentHeader { base, salt, packed, .. }), _) => {
                Segment { number, base, salt, bytes: listed_bytes, packed: packed.min(len) }
            }
            (None, Some(SegmentState::Sealed { base, bytes, salt })) => {
                // Where frames were taken out they are found by what they say themselves.
                Segment { number, base, salt, bytes, packed: if len == bytes { 0 } else { len } }
            }
            (None, state) => {
                let known = match state {
                    Some(SegmentState::Open { salt }) => Some(salt),
                    Some(SegmentState::Sealed { .. }) | None => None,
                };
                let found = seed::base_and_salt(&*file, known).map_err(failed)?;
                let Some((base, salt)) = found else {
                    if !is_unused(&*file, len).map_err(failed)? {
                        self.lose(
                            &name,
                            (0, len),
                            0..0,
                            "the header is damaged, and nothing tells what follows",
                        );
                    }
                    return Ok(());
                };
                Segment { number, base, salt, bytes: 0, packed: 0 }
            }
        };
        if header.is_none() {
            self.notes.push(format!("the header of {name} is damaged; its frames are read without it"));
        }
        let limit = if segment.packed > 0 {
            segment.packed
        } else if segment.bytes > 0 {
            segment.bytes.min(len)
        } else {
            len
        };
        self.segments.push(Source { segment, file, header, limit, durable_to: 0, next_base: None });
        Ok(())
    }

    /// Puts segments in a row, and says of each up to where it was on disk.
    fn line_up(&mut self, listed: &BTreeMap<u64, SegmentState>) {
        let mut kept: Vec<Source> = Vec::with_capacity(self.segments.len());
        for source in std::mem::take(&mut self.segments) {
            let Segment { number, base, .. } = source.segment;
            if kept.last().is_some_and(|last| last.segment.base >= base) {
                let detail = "it claims a place in the log that an earlier segment has";
                self.lose(&segment::file_name(number), (0, source.limit), 0..0, detail);
                continue;
            }
            kept.push(source);
        }
        let bases: Vec<u64> = kept.iter().map(|source| source.segment.base).collect();
        let mut holes = Vec::new();
        for (at, source) in kept.iter_mut().enumerate() {
            let next_base = bases.get(at + 1).copied();
            let Segment { number, base, bytes, .. } = source.segment;
            let own_end = (bytes > 0).then_some(base + bytes);
            // The manifest may be wrong, or a segment between the two be missing.
            let end = match (own_end, next_base) {
                (Some(own), Some(next)) => Some(own.min(next)),
                (own, next) => own.or(next),
            };
            source.next_base = next_base;
            source.durable_to = end.unwrap_or(0);
            source.segment.bytes = end.map_or(0, |end| end - base);
            if let (Some(end), Some(next)) =
                (end, next_base.filter(|next| end.is_some_and(|end| end < *next)))
            {
                let is_told = listed.iter().any(|(other, state)| {
                    matches!(state, SegmentState::Sealed { .. })
                        && *other > number
                        && self.lost.iter().any(|lost| lost.file == segment::file_name(*other))
                });
                if !is_told {
                    holes.push((segment::file_name(number), end..next));
                }
            }
        }
        for (name, hole) in holes {
            self.lose(&name, (0, 0), hole, "a segment behind this one is missing");
        }
        self.segments = kept;
    }

    pub(super) fn lose(
        &mut self,
        file: &str,
        (offset, bytes): (u64, u64),
        positions: std::ops::Range<u64>,
        detail: &str,
    ) {
        let (file, detail) = (file.to_owned(), detail.to_owned());
        self.lost.push(LostRange { file, offset, bytes, positions, tenants: Vec::new(), detail });
    }

    /// A number for a new file.
    pub fn take_number(&mut self) -> u64 {
        self.manifest.take_number()
    }

    /// The path of an image.
    pub fn image_path(&self, number: u64) -> PathBuf {
        self.dir.join(image_name(number))
    }
}

/// Whether a segment was prepared and never written to.
fn is_unused(file: &dyn File, len: u64) -> io::Result<bool> {
    let mut start = vec![0; usize::try_from(len.min(LOOK_BYTES)).unwrap_or(0)];
    file.read_at(&mut start, 0)?;
    Ok(start.iter().all(|byte| *byte == 0))
}

fn damaged(dir: &Path, detail: String) -> StoreError {
    StoreError::Damaged(DamagedAt { file: dir.join(crate::manifest::NAME), offset: 0, detail })
}
