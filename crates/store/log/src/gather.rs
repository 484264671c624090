//! Gathering the hashed entries of a segment from its frames.

use std::collections::BTreeMap;

use cairn_seam::StoreError;

use crate::batch::{BadBatch, Op, Ops};
use crate::frame::{Frame, FrameKind};
use crate::group::BLOB_HEADER_BYTES;
use crate::hashed::{BLOB_PLACES, BlobPlace, HashKey, HashedEntry, HashedName};
use crate::log::{Log, Segment};
use crate::runs::{RunReader, Step};
use crate::segment;

impl Log {
    /// Every hashed entry of a complete segment, the newest of each name.
    pub(crate) fn gather_segment(
        &self,
        segment: &Segment,
    ) -> Result<BTreeMap<HashedName, HashedEntry>, StoreError> {
        let file = self.segment_file(segment.number)?;
        let name = segment::file_name(segment.number);
        let mut reader = RunReader::new(&*file, segment, segment.bytes, self.sealer.as_deref());
        let mut entries = BTreeMap::new();
        loop {
            let offset = reader.offset();
            match reader.next().map_err(self.io("reading", &name))? {
                Step::Run(run) => {
                    for frame in run.frames() {
                        gather_hashed(&self.hash_key, &frame, &mut entries).map_err(|BadBatch| {
                            self.damaged(&name, offset, "a transaction makes no sense")
                        })?;
                    }
                }
                Step::End { bad_at } if bad_at < segment.bytes => {
                    return Err(self.damaged(&name, bad_at, "not a valid frame"));
                }
                Step::End { .. } => return Ok(entries),
            }
        }
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
            let Some((hash, _)) = frame.body.split_at_checked(BLOB_HEADER_BYTES) else {
                return Err(BadBatch);
            };
            let body_bytes = u32::try_from(frame.body.len()).map_err(|_| BadBatch)?;
            let place = BlobPlace { position: frame.position, body_bytes };
            entries.extend([(key.name(BLOB_PLACES, frame.tenant, hash), place.to_entry())]);
        }
        FrameKind::Transaction => {
            for op in Ops::new(frame.body) {
                if let Op::Hashed { name, expires_at_ms, value } = op? {
                    entries.extend([(name, HashedEntry { expires_at_ms, value: value.into() })]);
                }
            }
        }
        FrameKind::Commit => {}
    }
    Ok(())
}
