//! Reading a blob file, all of it or a part.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use cairn_base::fs::File;
use cairn_base::{ContentHash, TenantId, limits};
use cairn_seam::{BlobReader, DamagedAt, StoreError, unpack};
use parking_lot::Mutex;

use super::tree::{self, Value};
use super::{FOOTER_BYTES, FORMAT, HEADER_BYTES, MAGIC, PACKED, ROW_BYTES};
use crate::frame::{u32_at, u64_at};

const CHUNK: u64 = limits::BLOB_CHUNK_BYTES as u64;

/// An open blob file whose table gives the blob's hash.
#[derive(Debug)]
pub(crate) struct BlobFile {
    path: PathBuf,
    file: Arc<dyn File>,
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
    /// Opens the file of a blob.
    pub(crate) fn open(path: PathBuf, file: Arc<dyn File>, hash: &ContentHash) -> Result<Self, StoreError> {
        let mut blob = BlobFile { path, file, bytes: 0, rows: Vec::new(), last: Mutex::new(None) };
        let len = blob.file.len().map_err(blob.io())?;
        let room = len.checked_sub((HEADER_BYTES + FOOTER_BYTES) as u64);
        let room = room.ok_or_else(|| blob.damaged(len, "the file is too short for a blob"))?;
        let (mut header, mut footer) = ([0; HEADER_BYTES], [0; FOOTER_BYTES]);
        blob.file.read_at(&mut header, 0).map_err(blob.io())?;
        blob.file.read_at(&mut footer, len - FOOTER_BYTES as u64).map_err(blob.io())?;
        if !is_closed(&header) || &header[..8] != MAGIC || u32_at(&header, 8) != FORMAT {
            return Err(blob.damaged(0, "the header of the blob is damaged"));
        }
        let chunks = u64::from(u32_at(&footer, 8));
        let table_bytes = chunks * ROW_BYTES as u64;
        if !is_closed(&footer) || table_bytes > room {
            return Err(blob.damaged(len - FOOTER_BYTES as u64, "the end of the blob is damaged"));
        }
        blob.bytes = u64_at(&footer, 0);
        let table_at = len - FOOTER_BYTES as u64 - table_bytes;
        let mut table = vec![0; usize::try_from(table_bytes).unwrap_or(usize::MAX)];
        blob.file.read_at(&mut table, table_at).map_err(blob.io())?;
        let mut offset = HEADER_BYTES as u64;
        for row in table.chunks_exact(ROW_BYTES) {
            let length = u32_at(row, 0);
            let stored_bytes = (length & !PACKED) as usize;
            let value = std::array::from_fn(|at| row[4 + at]);
            blob.rows.push(Row { offset, stored_bytes, packed: length & PACKED != 0, value });
            offset += stored_bytes as u64;
        }
        let values: Vec<Value> = blob.rows.iter().map(|row| row.value).collect();
        let is_whole = crc32c::crc32c(&table) == u32_at(&footer, 12)
            && offset == table_at
            && blob.rows.iter().all(|row| row.stored_bytes <= limits::BLOB_CHUNK_BYTES)
            && tree::hash_of(&values, blob.bytes).as_ref() == Some(hash);
        if is_whole { Ok(blob) } else { Err(blob.damaged(table_at, "the table of the blob is damaged")) }
    }

    /// Reads and verifies one chunk.
    fn chunk(&self, at: usize) -> Result<Vec<u8>, StoreError> {
        let row = &self.rows[at];
        let mut stored = vec![0; row.stored_bytes];
        self.file.read_at(&mut stored, row.offset).map_err(self.io())?;
        let start = at as u64 * CHUNK;
        let plain_bytes = usize::try_from(CHUNK.min(self.bytes - start)).expect("a chunk is small");
        let plain = if row.packed { unpack(&stored, plain_bytes) } else { Some(stored) };
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

/// Whose blob a file says it holds, and which; `None` when it is damaged.
pub(super) fn owner_of(file: &dyn File) -> io::Result<Option<(TenantId, ContentHash)>> {
    let len = file.len()?;
    let (mut header, mut footer) = ([0; HEADER_BYTES], [0; FOOTER_BYTES]);
    if len < (HEADER_BYTES + FOOTER_BYTES) as u64 {
        return Ok(None);
    }
    file.read_at(&mut header, 0)?;
    file.read_at(&mut footer, len - FOOTER_BYTES as u64)?;
    let hash = ContentHash::from_bytes(std::array::from_fn(|at| footer[16 + at]));
    let is_whole = is_closed(&header) && is_closed(&footer);
    Ok(is_whole.then(|| (TenantId(u32_at(&header, 12)), hash)))
}

fn is_closed(block: &[u8; 64]) -> bool {
    crc32c::crc32c(&block[..60]) == u32_at(block, 60)
}
