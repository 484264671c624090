//! Carrying what can be read of a damaged log into a new directory.
//!
//! A segment that is whole is copied byte for byte. Of one that is not, every readable frame is written
//! at its position. So blobs, events and positions stay what they were.

use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::sync::Arc;

use cairn_base::fs::{File, FileSystem};
use cairn_base::{Position, TenantId};
use cairn_seam::{Certainty, LostRange, StoreError, Trace, Witness};

use super::claims;
use super::source::{DamagedLog, Source};
use super::write::SegmentOut;
use super::{Around, Lost, RunAround, read_around};
use crate::batch::{Op, Ops};
use crate::frame::{Frame, FrameKind, u32_at};
use crate::hashed::HashedName;
use crate::log::Segment;
use crate::manifest::{ImageRow, Manifest, SegmentState, Thinned};
use crate::place::{BlobAt, BlobPlace};
use crate::segment;

const COPY_BYTES: usize = 1 << 20;

/// Told how many more bytes were read; an error ends the work.
pub type Advance<'a> = &'a mut dyn FnMut(u64) -> Result<(), StoreError>;

/// Called with the position and the body of each transaction that counts, in order.
pub type OnTransaction<'a> = &'a mut dyn FnMut(u64, &[u8]) -> Result<(), StoreError>;

/// What was carried over. The files are there, and no manifest yet.
#[derive(Debug)]
pub struct CopiedLog {
    /// The new segments.
    pub segments: Vec<Segment>,
    /// What could not be read.
    pub lost: Vec<LostRange>,
    /// What else is wrong, in words.
    pub notes: Vec<String>,
    /// Transactions that were carried over.
    pub transactions: u64,
    /// Blobs in the log that were.
    pub blobs: u64,
    manifest: Manifest,
    /// Blobs that have a file of their own, as transactions say.
    pub(super) placed: HashSet<HashedName>,
}

impl CopiedLog {
    /// Position behind everything.
    pub fn end(&self) -> u64 {
        self.segments.last().map_or(0, Segment::end)
    }

    /// A number for a new file.
    pub fn take_number(&mut self) -> u64 {
        self.manifest.take_number()
    }

    /// Makes a store of the directory: writes its manifest.
    pub fn finish(
        mut self,
        fs: &dyn FileSystem,
        to: &Path,
        image: Option<ImageRow>,
        thinned: Thinned,
    ) -> Result<(), StoreError> {
        let row = |segment: &Segment| {
            let Segment { number, base, bytes, salt, .. } = *segment;
            (number, SegmentState::Sealed { base, bytes, salt })
        };
        self.manifest.segments = self.segments.iter().map(row).collect();
        self.manifest.sides.clear();
        self.manifest.image = image;
        self.manifest.thinned = thinned;
        fs.sync_dir(to).map_err(|error| StoreError::io(format!("syncing {}", to.display()), error))?;
        self.manifest.write(fs, to)
    }
}

impl DamagedLog {
    /// Reads all segments, shows `witness` every transaction, and writes to `to` what can be read.
    /// The log goes on behind the position `at_least`.
    pub fn copy(
        self,
        to: &Path,
        at_least: u64,
        witness: &mut dyn Witness,
        each: OnTransaction<'_>,
        advance: Advance<'_>,
    ) -> Result<CopiedLog, StoreError> {
        let mut copied = CopiedLog {
            segments: Vec::with_capacity(self.segments.len()),
            lost: self.lost.clone(),
            notes: self.notes.clone(),
            transactions: 0,
            blobs: 0,
            manifest: self.manifest.clone(),
            placed: HashSet::new(),
        };
        // No position is given twice, also if its segment is missing.
        let lost_to = self.lost.iter().map(|lost| lost.positions.end).max().unwrap_or(0);
        let at_least = at_least.max(lost_to);
        let mut nonsense = 0;
        for source in &self.segments {
            let mut visit = |run: &RunAround<'_>| {
                for frame in run.frames.iter().filter(|frame| frame.kind == FrameKind::Transaction) {
                    nonsense += u64::from(!show(frame, witness, &mut copied.placed));
                    each(frame.position, frame.body)?;
                }
                Ok::<(), StoreErrorOrIo>(())
            };
            let around = self.around(source, &mut visit).map_err(|StoreErrorOrIo(error)| error)?;
            advance(source.limit)?;
            copied.transactions += around.transactions;
            copied.blobs += around.blobs;
            let name = segment::file_name(source.segment.number);
            for lost in &around.lost {
                copied.lost.push(self.describe(source, &name, lost, witness)?);
            }
            if let Some(at) = around.torn_at.filter(|_| source.next_base.is_none()) {
                copied
                    .notes
                    .push(format!("{name} ends with a torn group at byte {at} that nobody was told about"));
            }
            let is_last = source.next_base.is_none();
            let end = source.next_base.unwrap_or(around.end).max(if is_last { at_least } else { 0 });
            copied.segments.push(self.carry(source, &around, end, to)?);
        }
        if nonsense > 0 && nonsense * 2 > copied.transactions && self.sealer.is_none() {
            let detail = "transactions make no sense: the store is sealed, and its keys went with the manifest; \
                          restore MANIFEST or the whole store from a backup";
            let file = self.dir.join(crate::manifest::NAME);
            return Err(StoreError::Damaged(cairn_seam::DamagedAt {
                file,
                offset: 0,
                detail: detail.into(),
            }));
        }
        if nonsense > 0 {
            copied.notes.push(format!("{nonsense} transactions verify and make no sense"));
        }
        Ok(copied)
    }

    pub(super) fn around<E: From<io::Error>>(
        &self,
        source: &Source,
        visit: &mut dyn FnMut(&RunAround<'_>) -> Result<(), E>,
    ) -> Result<Around, E> {
        let sealer = self.sealer.as_deref();
        read_around(&*source.file, &source.segment, source.limit, sealer, source.durable_to, visit)
    }

    /// Copies a segment, or writes what is left of it. It ends at the position `end`.
    fn carry(&self, source: &Source, around: &Around, end: u64, to: &Path) -> Result<Segment, StoreError> {
        let Segment { number, base, salt, packed, .. } = source.segment;
        let name = segment::file_name(number);
        let path = to.join(&name);
        let failed = |error| StoreError::io(format!("writing {}", path.display()), error);
        let new = self.fs.create(&path).map_err(failed)?;
        let is_whole = source.header.is_some()
            && around.lost.is_empty()
            && !around.has_dirty_padding
            && around.end.max(base + segment::HEADER_BYTES as u64) == end
            && has_table(source).map_err(failed)?;
        if is_whole {
            let bytes = if packed > 0 { source.file.len().map_err(failed)? } else { end - base };
            copy_bytes(&*source.file, &*new, bytes).map_err(failed)?;
            return Ok(Segment { number, base, salt, bytes: end - base, packed });
        }
        let salt = self.entropy.next_u64();
        let mut out = SegmentOut::new(new, number, base, salt, self.sealer.clone());
        let mut visit = |run: &RunAround<'_>| out.run(run);
        self.around::<io::Error>(source, &mut visit).map_err(failed)?;
        let created_ms = source.header.map_or_else(|| self.clock.now_ms(), |header| header.created_ms);
        out.finish(end, created_ms).map_err(failed)
    }

    /// What is known of lost bytes. Shows `witness` what can be made out in them.
    fn describe(
        &self,
        source: &Source,
        name: &str,
        lost: &Lost,
        witness: &mut dyn Witness,
    ) -> Result<LostRange, StoreError> {
        let failed = |error| StoreError::io(format!("reading {name}"), error);
        let claims = claims::read(&*source.file, lost, self.sealer.is_none()).map_err(failed)?;
        let mut tenants: Vec<TenantId> = Vec::new();
        for claim in &claims {
            if claim.tenant != TenantId::NODE && !tenants.contains(&claim.tenant) {
                tenants.push(claim.tenant);
            }
            for op in Ops::new(&claim.transaction).map_while(Result::ok) {
                if let Some(trace) = trace(&op) {
                    witness.saw(
                        Certainty::Doubtful,
                        Position::from_stored(claim.position),
                        claim.tenant,
                        trace,
                    );
                }
            }
        }
        let (offset, bytes) = (lost.offset.start, lost.offset.end - lost.offset.start);
        let detail = if bytes == 0 { "the file ends too early" } else { "not a valid frame" };
        let (file, positions) = (name.to_owned(), lost.position.clone());
        Ok(LostRange { file, offset, bytes, positions, tenants, detail: detail.into() })
    }
}

/// Errors of a visitor and of reading, until both are told to the caller.
struct StoreErrorOrIo(StoreError);

impl From<io::Error> for StoreErrorOrIo {
    fn from(error: io::Error) -> Self {
        StoreErrorOrIo(StoreError::io("reading a segment", error))
    }
}

impl From<StoreError> for StoreErrorOrIo {
    fn from(error: StoreError) -> Self {
        StoreErrorOrIo(error)
    }
}

/// Shows a transaction to a witness; `false` when it makes no sense.
fn show(frame: &Frame<'_>, witness: &mut dyn Witness, placed: &mut HashSet<HashedName>) -> bool {
    for op in Ops::new(frame.body) {
        let Ok(op) = op else { return false };
        if let Some(trace) = trace(&op) {
            witness.saw(Certainty::Proven, Position::from_stored(frame.position), frame.tenant, trace);
        }
        if let Op::Hashed { name, value, .. } = op {
            match BlobPlace::from_value(value).map(|place| place.at) {
                Some(BlobAt::File { .. }) => drop(placed.insert(name)),
                Some(BlobAt::Gone) => drop(placed.remove(&name)),
                Some(BlobAt::Log { .. }) | None => {}
            }
        }
    }
    true
}

fn trace<'a>(op: &Op<'a>) -> Option<Trace<'a>> {
    match *op {
        Op::Put { keyspace, key, value } => Some(Trace::Put { keyspace, key, value }),
        Op::Delete { keyspace, key } => Some(Trace::Delete { keyspace, key }),
        Op::Event { kind, body } => Some(Trace::Event { kind, body }),
        Op::Hashed { .. } => None,
    }
}

/// Whether the table behind the frames of a packed segment is whole.
fn has_table(source: &Source) -> io::Result<bool> {
    let packed = source.segment.packed;
    if packed == 0 {
        return Ok(true);
    }
    let len = usize::try_from(source.file.len()?.saturating_sub(packed)).unwrap_or(0);
    let mut table = vec![0; len];
    source.file.read_at(&mut table, packed)?;
    let Some((rows, crc)) = len.checked_sub(4).map(|at| table.split_at(at)) else { return Ok(false) };
    Ok(crc32c::crc32c(rows) == u32_at(crc, 0))
}

fn copy_bytes(from: &dyn File, to: &dyn File, bytes: u64) -> io::Result<()> {
    let mut buffer = vec![0; COPY_BYTES];
    let mut at = 0;
    while at < bytes {
        let len = usize::try_from(bytes - at).unwrap_or(COPY_BYTES).min(COPY_BYTES);
        from.read_at(&mut buffer[..len], at)?;
        to.write_at(&buffer[..len], at)?;
        at += len as u64;
    }
    to.sync_data()
}

/// Copies a file of the store that is not a segment, byte for byte.
pub(super) fn copy_file(from: &Arc<dyn File>, to: &dyn File) -> io::Result<()> {
    copy_bytes(&**from, to, from.len()?)
}
