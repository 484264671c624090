//! Gathering the hashed entries of a segment from its frames.

use std::collections::BTreeMap;

use cairn_seam::StoreError;

use crate::batch::{BadBatch, Op, Ops};
use crate::blob_frame::BlobFrame;
use crate::frame::{Frame, FrameKind};
use crate::hashed::{BLOB_PLACES, HashKey, HashedEntry, HashedName};
use crate::log::{Log, Segment};
use crate::place::{BlobAt, BlobPlace};
use crate::salvage::Lost;
use crate::segment;

impl Log {
    /// Every hashed entry of a complete segment, the newest of each name. Fails on damage.
    pub(crate) fn gather_segment(
        &self,
        segment: &Segment,
    ) -> Result<BTreeMap<HashedName, HashedEntry>, StoreError> {
        let (entries, lost) = self.gather_around(segment)?;
        match lost.first() {
            None => Ok(entries),
            Some(lost) => {
                let name = segment::file_name(segment.number);
                Err(self.damaged(&name, lost.offset.start, "not a valid frame"))
            }
        }
    }

    /// Every hashed entry of a complete segment that can be read, and what cannot.
    pub(crate) fn gather_around(
        &self,
        segment: &Segment,
    ) -> Result<(BTreeMap<HashedName, HashedEntry>, Vec<Lost>), StoreError> {
        let (segment, file) = self.segment_and_file(segment.number)?;
        let name = segment::file_name(segment.number);
        let limit = self.readable_to(&segment, &*file)?;
        let mut entries = BTreeMap::new();
        let around = self.read_around(&*file, &segment, limit, segment.end(), &mut |run| {
            for frame in &run.frames {
                gather_hashed(&self.hash_key, frame, &mut entries).map_err(|BadBatch| {
                    let detail = format!("the transaction at position {} makes no sense", frame.position);
                    self.damaged(&name, 0, detail)
                })?;
            }
            Ok(())
        })?;
        Ok((entries, around.lost))
    }
}

/// Adds the hashed entries that one frame sets.
pub(crate) fn gather_hashed(
    key: &HashKey,
    frame: &Frame<'_>,
    entries: &mut impl Extend<(HashedName, HashedEntry)>,
) -> Result<(), BadBatch> {
    match frame.kind {
        FrameKind::Blob => {
            let blob = BlobFrame::decode(frame.body).ok_or(BadBatch)?;
            let body_bytes = u32::try_from(frame.body.len()).map_err(|_| BadBatch)?;
            let at = BlobAt::Log { position: frame.position, body_bytes };
            let place = BlobPlace { uploaded_s: blob.uploaded_s, at };
            entries.extend([(key.name(BLOB_PLACES, frame.tenant, blob.hash.as_bytes()), place.to_entry())]);
        }
        FrameKind::Transaction => {
            for op in Ops::new(frame.body) {
                if let Op::Hashed { name, expires_at_ms, value } = op? {
                    entries.extend([(name, HashedEntry { expires_at_ms, value: value.into() })]);
                }
            }
        }
        FrameKind::Commit | FrameKind::Gap => {}
    }
    Ok(())
}
