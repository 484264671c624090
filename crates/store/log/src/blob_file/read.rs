//! Reading a blob file, all of it or a part.

use std::path::PathBuf;
use std::sync::Arc;

use cairn_base::fs::File;
use cairn_base::{ContentHash, TenantId};
use cairn_seam::{BlobReader, DamagedAt, StoreError, limits, unpack};
use parking_lot::Mutex;

use super::tree::{self, Value};
use super::{FOOTER_BYTES, FORMAT, HASH_BYTES, HEADER_BYTES, MAGIC, PACKED, ROW_BYTES};
use crate::frame::{u32_at, u64_at};
use crate::seal::{Cipher, FileKind, Sealer, TAG_BYTES, counted};

const CHUNK: u64 = limits::BLOB_CHUNK_BYTES as u64;

/// An open blob file whose table gives the hash it holds.
#[derive(Debug)]
pub(crate) struct BlobFile {
    path: PathBuf,
    file: Arc<dyn File>,
    tenant: TenantId,
    hash: ContentHash,
    cipher: Option<Cipher>,
    bytes: u64,
    rows: Vec<Row>,
    /// The chunk that was read last: readers with small buffers come back for it.
    last: Mutex<Option<(usize, Vec<u8>)>>,
}

#[derive(Debug)]
struct Row {
    offset: u64,
    stored_bytes: usize,
    packed: bool,
    value: Value,
}

impl BlobFile {
    /// Opens a blob file, whichever blob it holds.
    pub(crate) fn open(
        path: PathBuf,
        file: Arc<dyn File>,
        sealer: Option<&Sealer>,
    ) -> Result<Self, StoreError> {
        let hash = ContentHash::from_bytes([0; HASH_BYTES]);
        let (tenant, cipher, last) = (TenantId::NODE, None, Mutex::new(None));
        let mut blob = BlobFile { path, file, tenant, hash, cipher, bytes: 0, rows: Vec::new(), last };
        let len = blob.file.len().map_err(blob.io())?;
        let room = len.checked_sub((HEADER_BYTES + FOOTER_BYTES) as u64);
        let room = room.ok_or_else(|| blob.damaged(len, "the file is too short for a blob"))?;
        let (mut header, mut footer) = ([0; HEADER_BYTES], [0; FOOTER_BYTES]);
        blob.file.read_at(&mut header, 0).map_err(blob.io())?;
        blob.file.read_at(&mut footer, len - FOOTER_BYTES as u64).map_err(blob.io())?;
        if !is_closed(&header) || &header[..8] != MAGIC || u32_at(&header, 8) != FORMAT {
            return Err(blob.damaged(0, "the header of the blob is damaged"));
        }
        let tag_bytes = if sealer.is_some() { TAG_BYTES } else { 0 };
        let chunks = u32_at(&footer, 8);
        let table_bytes = u64::from(chunks) * ROW_BYTES as u64 + (HASH_BYTES + tag_bytes) as u64;
        if !is_closed(&footer) || table_bytes > room {
            return Err(blob.damaged(len - FOOTER_BYTES as u64, "the end of the blob is damaged"));
        }
        blob.tenant = TenantId(u32_at(&header, 12));
        blob.cipher =
            sealer.map(|sealer| sealer.of_file(FileKind::Blob, u64_at(&header, 16), u64_at(&header, 24)));
        blob.bytes = u64_at(&footer, 0);
        let table_at = len - FOOTER_BYTES as u64 - table_bytes;
        let mut table = vec![0; usize::try_from(table_bytes).unwrap_or(usize::MAX)];
        blob.file.read_at(&mut table, table_at).map_err(blob.io())?;
        let bad_table = || blob.damaged(table_at, "the table of the blob is damaged");
        if crc32c::crc32c(&table) != u32_at(&footer, 12) {
            return Err(bad_table());
        }
        let table = blob.unseal(u64::from(chunks), table).ok_or_else(bad_table)?;
        let (table, hash) = table.split_at(table.len() - HASH_BYTES);
        let mut offset = HEADER_BYTES as u64;
        let rows: Vec<Row> = table
            .chunks_exact(ROW_BYTES)
            .map(|row| {
                let length = u32_at(row, 0);
                let stored_bytes = (length & !PACKED) as usize;
                let value = std::array::from_fn(|at| row[4 + at]);
                let row = Row { offset, stored_bytes, packed: length & PACKED != 0, value };
                offset += stored_bytes as u64;
                row
            })
            .collect();
        let hash = ContentHash::from_bytes(std::array::from_fn(|at| hash[at]));
        let values: Vec<Value> = rows.iter().map(|row| row.value).collect();
        let is_whole = offset == table_at
            && rows.iter().all(|row| row.stored_bytes <= limits::BLOB_CHUNK_BYTES + TAG_BYTES)
            && tree::hash_of(&values, blob.bytes) == Some(hash);
        if !is_whole {
            return Err(bad_table());
        }
        Ok(BlobFile { rows, hash, ..blob })
    }

    /// Whose blob it is, and which.
    pub(crate) fn owner(&self) -> (TenantId, ContentHash) {
        (self.tenant, self.hash)
    }

    /// The content of a chunk, or of the table behind the last one; `None` when it does not open.
    fn unseal(&self, number: u64, mut stored: Vec<u8>) -> Option<Vec<u8>> {
        if let Some(cipher) = &self.cipher {
            let bytes = cipher.open_tagged(counted(number), &[], &mut stored).ok()?;
            stored.truncate(bytes);
        }
        Some(stored)
    }

    /// Reads and verifies every chunk, one at a time. `visit` is called with the stored bytes of each, and
    /// with what is wrong with it; an error that it returns ends the work.
    pub(crate) fn verify(
        &self,
        visit: &mut dyn FnMut(u64, Option<StoreError>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        for (at, row) in self.rows.iter().enumerate() {
            visit(row.stored_bytes as u64, self.chunk(at).err())?;
        }
        Ok(())
    }

    /// Reads and verifies one chunk.
    fn chunk(&self, at: usize) -> Result<Vec<u8>, StoreError> {
        let row = &self.rows[at];
        let mut stored = vec![0; row.stored_bytes];
        self.file.read_at(&mut stored, row.offset).map_err(self.io())?;
        let start = at as u64 * CHUNK;
        let plain_bytes = usize::try_from(CHUNK.min(self.bytes - start)).expect("a chunk is small");
        let stored = self.unseal(at as u64, stored);
        let plain = if row.packed { stored.and_then(|stored| unpack(&stored, plain_bytes)) } else { stored };
        plain
            .filter(|plain| plain.len() == plain_bytes && tree::value_of(plain, start) == row.value)
            .ok_or_else(|| self.damaged(row.offset, "a chunk of the blob does not verify"))
    }

    fn io(&self) -> impl Fn(std::io::Error) -> StoreError + use<> {
        let doing = format!("reading {}", self.path.display());
        move |error| StoreError::io(doing.clone(), error)
    }

    fn damaged(&self, offset: u64, detail: &str) -> StoreError {
        StoreError::Damaged(DamagedAt { file: self.path.clone(), offset, detail: detail.into() })
    }
}

impl BlobReader for BlobFile {
    fn len(&self) -> u64 {
        self.bytes
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, StoreError> {
        let mut done = 0;
        while done < buffer.len() && offset + (done as u64) < self.bytes {
            let from = offset + done as u64;
            let at = usize::try_from(from / CHUNK).expect("a row in memory");
            let mut last = self.last.lock();
            if last.as_ref().is_none_or(|(known, _)| *known != at) {
                *last = Some((at, self.chunk(at)?));
            }
            let chunk = last.as_ref().map_or(&[][..], |(_, chunk)| chunk);
            let rest = &chunk[usize::try_from(from % CHUNK).expect("a chunk is small")..];
            let bytes = rest.len().min(buffer.len() - done);
            buffer[done..done + bytes].copy_from_slice(&rest[..bytes]);
            done += bytes;
        }
        Ok(done)
    }
}

/// The number of a blob file; `None` when its header is damaged.
pub(crate) fn number_of(file: &dyn File) -> std::io::Result<Option<u64>> {
    let mut header = [0; HEADER_BYTES];
    match file.read_at(&mut header, 0) {
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    Ok((is_closed(&header) && &header[..8] == MAGIC).then(|| u64_at(&header, 16)))
}

fn is_closed(block: &[u8; 64]) -> bool {
    crc32c::crc32c(&block[..60]) == u32_at(block, 60)
}
