//! Writing a blob file from bytes that come in pieces.

use std::io;
use std::sync::Arc;

use cairn_base::fs::File;
use cairn_base::{ContentHash, TenantId};
use cairn_seam::Packer;
use cairn_seam::limits;

use super::tree::{self, Value};
use super::{FORMAT, HEADER_BYTES, MAGIC, PACKED};
use crate::seal::{Cipher, FileKind, Sealer, counted};

/// Bytes written between two syncs: the log's own syncs never wait for more of ours.
const SYNC_EVERY_BYTES: u64 = 4 << 20;
/// After a chunk that does not shrink, so many are stored as they are before the next attempt.
const SKIP_PACKING: u32 = 15;

pub(super) struct BlobFileWriter {
    file: Arc<dyn File>,
    at: u64,
    synced: u64,
    chunk: Vec<u8>,
    rows: Vec<(u32, Value)>,
    bytes: u64,
    packer: Packer,
    skip: u32,
    cipher: Option<Cipher>,
}

impl BlobFileWriter {
    /// Starts a file; `number` was never given to another one.
    pub(super) fn new(
        file: Arc<dyn File>,
        tenant: TenantId,
        number: u64,
        sealer: Option<&Sealer>,
    ) -> io::Result<Self> {
        let mut header = [0; HEADER_BYTES];
        header[..8].copy_from_slice(MAGIC);
        header[8..12].copy_from_slice(&FORMAT.to_le_bytes());
        header[12..16].copy_from_slice(&tenant.0.to_le_bytes());
        let salt = sealer.map_or(0, Sealer::new_salt);
        header[16..24].copy_from_slice(&number.to_le_bytes());
        header[24..32].copy_from_slice(&salt.to_le_bytes());
        close(&mut header);
        file.write_at(&header, 0)?;
        Ok(BlobFileWriter {
            file,
            at: HEADER_BYTES as u64,
            synced: 0,
            chunk: Vec::with_capacity(limits::BLOB_CHUNK_BYTES),
            rows: Vec::new(),
            bytes: 0,
            packer: Packer::default(),
            skip: 0,
            cipher: sealer.map(|sealer| sealer.of_file(FileKind::Blob, number, salt)),
        })
    }

    pub(super) fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            if self.chunk.len() == limits::BLOB_CHUNK_BYTES {
                self.write_chunk()?;
            }
            let room = limits::BLOB_CHUNK_BYTES - self.chunk.len();
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            self.chunk.extend_from_slice(now);
            bytes = later;
        }
        Ok(())
    }

    fn write_chunk(&mut self) -> io::Result<()> {
        let value = tree::value_of(&self.chunk, self.bytes);
        let packed = if self.skip == 0 { self.packer.pack(&self.chunk) } else { None };
        self.skip = match (&packed, self.skip) {
            (None, 0) => SKIP_PACKING,
            (_, skip) => skip.saturating_sub(1),
        };
        self.bytes += self.chunk.len() as u64;
        let flag = if packed.is_some() { PACKED } else { 0 };
        let mut stored = packed.unwrap_or_else(|| std::mem::take(&mut self.chunk));
        seal(self.cipher.as_ref(), self.rows.len(), &mut stored);
        self.file.write_at(&stored, self.at)?;
        let bytes = u32::try_from(stored.len()).expect("a chunk is small");
        self.rows.push((bytes | flag, value));
        self.at += u64::from(bytes);
        // Its memory is used for the next one, whichever it was.
        self.chunk = stored;
        self.chunk.clear();
        if self.at - self.synced >= SYNC_EVERY_BYTES {
            self.file.sync_data()?;
            self.synced = self.at;
        }
        Ok(())
    }

    /// Writes the rest and syncs; the hash of everything and its length.
    pub(super) fn finish(mut self) -> io::Result<(ContentHash, u64)> {
        if !self.chunk.is_empty() {
            self.write_chunk()?;
        }
        let values: Vec<Value> = self.rows.iter().map(|(_, value)| *value).collect();
        let hash = tree::hash_of(&values, self.bytes).ok_or(io::ErrorKind::InvalidInput)?;
        let mut end: Vec<u8> = Vec::new();
        for (bytes, value) in &self.rows {
            end.extend_from_slice(&bytes.to_le_bytes());
            end.extend_from_slice(value);
        }
        end.extend_from_slice(hash.as_bytes());
        seal(self.cipher.as_ref(), self.rows.len(), &mut end);
        let table_crc = crc32c::crc32c(&end);
        let mut footer = [0; super::FOOTER_BYTES];
        footer[..8].copy_from_slice(&self.bytes.to_le_bytes());
        let chunks = u32::try_from(self.rows.len()).expect("limited by the size of a blob");
        footer[8..12].copy_from_slice(&chunks.to_le_bytes());
        footer[12..16].copy_from_slice(&table_crc.to_le_bytes());
        close(&mut footer);
        end.extend_from_slice(&footer);
        self.file.write_at(&end, self.at)?;
        self.file.sync_data()?;
        Ok((hash, self.bytes))
    }
}

/// Seals a chunk, or the table, and puts the tag behind it.
fn seal(cipher: Option<&Cipher>, number: usize, bytes: &mut Vec<u8>) {
    if let Some(cipher) = cipher {
        let tag = cipher.seal(counted(number as u64), &[], bytes);
        bytes.extend_from_slice(&tag);
    }
}

/// Sets the checksum at the end of a header or footer.
fn close(block: &mut [u8; 64]) {
    let crc = crc32c::crc32c(&block[..60]);
    block[60..].copy_from_slice(&crc.to_le_bytes());
}
