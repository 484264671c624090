//! A group in the making: what one write to the log and one sync will carry.

use std::sync::Arc;

use cairn_base::TenantId;
use cairn_base::fs::File;
use cairn_seam::Blob;

use crate::blob_frame::{self, BlobFrame};
use crate::frame::{self, CommitBody, FrameKind};
use crate::place::{BlobAt, BlobPlace};
use crate::seal::{Cipher, Sealer, TAG_BYTES};
use crate::segment::{self, SegmentHeader};

/// Where a group goes.
#[derive(Debug, Clone)]
pub(crate) struct GroupPlace {
    pub(crate) segment: u64,
    pub(crate) file: Arc<dyn File>,
    /// Position of the segment's first byte.
    pub(crate) base: u64,
    pub(crate) salt: u64,
    /// Where in the file; at 0 the group opens the segment and carries its header.
    pub(crate) offset: u64,
}

/// Frames of one group, with their final positions and checksums.
#[derive(Debug)]
pub struct Group {
    pub(crate) bytes: Vec<u8>,
    pub(crate) place: GroupPlace,
    /// Position of `bytes[0]`.
    start: u64,
    /// Position of the first frame: behind the segment header, if the group opens a segment.
    run_start: u64,
    salt: u64,
    sealer: Option<Arc<Sealer>>,
}

impl Group {
    pub(crate) fn new(mut bytes: Vec<u8>, place: GroupPlace, sealer: Option<Arc<Sealer>>) -> Self {
        bytes.clear();
        if place.offset == 0 {
            // The header says what is on disk, which is known when the group is written.
            bytes.resize(segment::HEADER_BYTES, 0);
        }
        let start = place.base + place.offset;
        Group { start, run_start: start + bytes.len() as u64, salt: place.salt, place, bytes, sealer }
    }

    /// Where the next frame will stand.
    pub fn position(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    /// Bytes gathered so far.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether no transaction and no blob was added.
    pub fn is_empty(&self) -> bool {
        self.position() == self.run_start
    }

    /// Adds a blob; `None` when it has a file of its own.
    pub fn blob(&mut self, tenant: TenantId, blob: &Blob, uploaded_s: u32) -> Option<BlobPlace> {
        let (header, stored) = blob_frame::encode(blob, uploaded_s)?;
        let position = self.position();
        self.push(position, FrameKind::Blob, tenant, &[&header, stored]);
        let body_bytes = u32::try_from(header.len() + stored.len()).expect("blobs in commits are small");
        Some(BlobPlace { uploaded_s, at: BlobAt::Log { position, body_bytes } })
    }

    /// Adds a transaction's body; its position is the transaction's place in history.
    pub fn transaction(&mut self, tenant: TenantId, body: &[u8]) -> u64 {
        let position = self.position();
        self.push(position, FrameKind::Transaction, tenant, &[body]);
        position
    }

    /// Bytes that a transaction with a body of this length would add.
    pub fn transaction_bytes(&self, body: usize) -> u64 {
        let tag_bytes = if self.sealer.is_some() { TAG_BYTES } else { 0 };
        frame::stored_bytes(body + tag_bytes) as u64
    }

    /// Frames that are cut off again were sealed in vain: nobody saw them, so that sealing another one at
    /// their position gives nothing away.
    fn push(&mut self, position: u64, kind: FrameKind, tenant: TenantId, parts: &[&[u8]]) {
        let cipher = self.cipher(tenant);
        frame::encode(&mut self.bytes, self.salt, position, kind, tenant, parts, cipher.as_deref());
    }

    fn cipher(&self, tenant: TenantId) -> Option<Arc<Cipher>> {
        self.sealer.as_ref().map(|sealer| sealer.of_frames(self.place.segment, self.salt, tenant))
    }

    /// Hands out a tenant's blob of this group; `None` when the position is not in it.
    pub fn blob_at<T>(
        &self,
        tenant: TenantId,
        position: u64,
        body_bytes: u32,
        visit: impl FnOnce(&[u8]) -> T,
    ) -> Option<T> {
        let offset = usize::try_from(position.checked_sub(self.start)?).ok()?;
        let body = self.bytes.get(offset..)?.get(frame::HEADER_BYTES..)?;
        let len = body_bytes as usize;
        let Some(cipher) = self.cipher(tenant) else {
            return BlobFrame::decode(body.get(..len)?)?.with_plain(visit);
        };
        let mut body = body.get(..len + TAG_BYTES)?.to_vec();
        frame::open(&mut body, &cipher, position, FrameKind::Blob, tenant).ok()?;
        BlobFrame::decode(&body[..len])?.with_plain(visit)
    }

    /// Cuts everything off behind a length that [`Group::len`] returned earlier.
    pub fn truncate(&mut self, len: usize) {
        self.bytes.truncate(len);
    }

    /// Bytes the group takes in the log once it is closed.
    pub(crate) fn closed_bytes(&self) -> u64 {
        (self.bytes.len() + frame::stored_bytes(CommitBody::BYTES)) as u64
    }

    /// Whether the group is the first of its segment.
    pub(crate) fn opens_segment(&self) -> bool {
        self.place.offset == 0
    }

    /// Closes the run with its commit frame; everything before `synced_to` is on disk.
    pub(crate) fn close(&mut self, synced_to: u64, now_ms: u64) {
        if self.opens_segment() {
            let GroupPlace { segment: number, base, salt, .. } = self.place;
            let header = SegmentHeader { number, base, salt, synced_to, created_ms: now_ms, packed: 0 };
            self.bytes[..segment::HEADER_BYTES].copy_from_slice(&header.encode());
        }
        let position = self.position();
        let body = CommitBody { synced_to, run_start: self.run_start }.encode();
        frame::encode(
            &mut self.bytes,
            self.salt,
            position,
            FrameKind::Commit,
            TenantId::NODE,
            &[&body],
            None,
        );
    }
}
