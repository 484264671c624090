//! Images: a sorted dump of all keys at one position. Truth, like the log; rebuilding starts from one.
//!
//! ```text
//! | CAIRNIMG | format u32 | crc32c u32 | position u64 | block … | end block |
//!
//! block: body bytes u32 | crc32c u32 | put entries as in a transaction's body
//! end:   0 u32 | crc32c u32 of the count | count of keys u64
//! ```
//!
//! In a sealed store a salt u64 follows the position, and each body is sealed and ends with its tag:
//! lengths and checksums are those of the sealed bytes.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use cairn_base::fs::File;
use cairn_log::{Cipher, FileKind, ImageRow, Op, Ops, Progress, Sealer, TAG_BYTES, counted, image_name};
use cairn_seam::{DamagedAt, StoreError};
use redb::ReadableTable;

use crate::generation::Generation;
use crate::index::{Applied, Index, IndexPlace, IndexView};
use crate::options::EmbeddedOptions;
use crate::shared::Shared;

const MAGIC: &[u8; 8] = b"CAIRNIMG";
const FORMAT: u32 = 1;
pub(crate) const HEADER_BYTES: usize = 24;
pub(crate) const SALT_BYTES: usize = 8;
const BLOCK_BYTES: usize = 256 << 10;
pub(crate) const BLOCK_BYTES_MAX: usize = 1 << 20;

impl Shared {
    /// Writes an image when the log has grown enough since the last one.
    pub(crate) fn write_image_when_due(&self) -> Result<Option<String>, StoreError> {
        let last = self.log.image().map_or(self.log.horizon(), |image| image.position);
        // After a failure the log has to grow by as much again before the next attempt.
        let tried = self.counters.image_tried.load(Ordering::Relaxed);
        let position = self.view().position;
        if position.saturating_sub(last.max(tried)) < self.options.image_every_bytes {
            return Ok(None);
        }
        self.counters.image_tried.store(position, Ordering::Relaxed);
        self.write_image().map(Some)
    }

    /// Dumps every key as of now, and makes later rebuilds start from there.
    pub(crate) fn write_image(&self) -> Result<String, StoreError> {
        let _one_at_a_time = self.imaging.lock();
        self.apply()?;
        let (view, position) = {
            let _index_stays_as_it_is = self.applying.lock();
            // Without a frozen generation the index holds everything up to the position that the last
            // apply recorded; what came since is in the active one and in the log. The view keeps what it
            // shows while the applier goes on: writers never wait for an image.
            (self.view(), self.counters.applied_to.load(Ordering::Relaxed))
        };
        let number = self.log.next_file_number();
        let path = self.dir.join(image_name(number));
        let seal = self.log.sealer().map(|sealer| Seal::new(sealer, number, sealer.new_salt()));
        let written = self.write_image_file(&path, position, &view.index, seal.as_ref());
        if written.is_err() {
            // A half-written image is of no use to anybody and takes room.
            let _ = self.options.fs.remove(&path);
        }
        let count = written?;
        self.log.set_image(ImageRow { number, position })?;
        Ok(format!("wrote an image of {count} keys"))
    }

    fn write_image_file(
        &self,
        path: &Path,
        position: u64,
        index: &IndexView,
        seal: Option<&Seal>,
    ) -> Result<u64, StoreError> {
        let failed = |error| StoreError::io(format!("writing {}", path.display()), error);
        self.check_space_for(self.index.bytes())?;
        let file = self.options.fs.create(path).map_err(failed)?;
        let count = write_keys(&*file, position, index, seal, &|error| self.index.place.failed(error))?;
        self.options.fs.sync_dir(&self.dir).map_err(failed)?;
        Ok(count)
    }
}

/// Bytes of an image; 0 when it cannot be measured.
pub(crate) fn bytes(options: &EmbeddedOptions, dir: &Path, row: ImageRow) -> u64 {
    let file = options.fs.open_to_read(&dir.join(image_name(row.number)));
    file.and_then(|file| file.len()).unwrap_or(0)
}

fn write_keys(
    file: &dyn File,
    position: u64,
    index: &IndexView,
    seal: Option<&Seal>,
    failed_index: &dyn Fn(redb::StorageError) -> StoreError,
) -> Result<u64, StoreError> {
    let failed = |error| StoreError::io("writing an image", error);
    let header = header(position, seal.map(|seal| seal.salt));
    file.write_at(&header, 0).map_err(failed)?;
    let mut out = Blocks { file, offset: header.len() as u64, body: Vec::new(), seal, count: 0 };
    let mut count = 0u64;
    for (keyspace, table) in index.tables() {
        for entry in table.iter().map_err(failed_index)? {
            let (key, value) = entry.map_err(failed_index)?;
            Op::Put { keyspace, key: key.value(), value: value.value() }.encode(&mut out.body);
            count += 1;
            if out.body.len() >= BLOCK_BYTES {
                out.flush().map_err(failed)?;
            }
        }
    }
    out.flush().map_err(failed)?;
    out.end(count).map_err(failed)?;
    Ok(count)
}

pub(crate) fn header(position: u64, salt: Option<u64>) -> Vec<u8> {
    let mut header = vec![0; HEADER_BYTES];
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&FORMAT.to_le_bytes());
    header[16..].copy_from_slice(&position.to_le_bytes());
    header.extend(salt.iter().flat_map(|salt| salt.to_le_bytes()));
    let crc = crc32c::crc32c_append(crc32c::crc32c(&header[..12]), &header[16..]);
    header[12..16].copy_from_slice(&crc.to_le_bytes());
    header
}

/// What an image of a sealed store is sealed with.
pub(crate) struct Seal {
    cipher: Cipher,
    salt: u64,
}

impl Seal {
    pub(crate) fn new(sealer: &Sealer, number: u64, salt: u64) -> Self {
        Seal { cipher: sealer.of_file(FileKind::Image, number, salt), salt }
    }

    /// Seals the body of a block, counted from 0, and adds its tag.
    fn close(&self, block: u64, is_end: bool, body: &mut Vec<u8>) {
        let tag = self.cipher.seal(counted(block), &[u8::from(is_end)], body);
        body.extend_from_slice(&tag);
    }

    /// Opens a body; `None` when it is not that of this block.
    pub(crate) fn open(&self, block: u64, is_end: bool, body: &mut Vec<u8>) -> Option<()> {
        let len = self.cipher.open_tagged(counted(block), &[u8::from(is_end)], body).ok()?;
        body.truncate(len);
        Some(())
    }
}

struct Blocks<'a> {
    file: &'a dyn File,
    offset: u64,
    body: Vec<u8>,
    seal: Option<&'a Seal>,
    /// Blocks written so far.
    count: u64,
}

impl Blocks<'_> {
    fn flush(&mut self) -> io::Result<()> {
        if self.body.is_empty() {
            return Ok(());
        }
        let body = std::mem::take(&mut self.body);
        self.put(body, false)?;
        // In slices, so that commits to the log do not wait for all of it at the end.
        self.file.sync_data()
    }

    fn end(&mut self, count: u64) -> io::Result<()> {
        self.put(count.to_le_bytes().to_vec(), true)?;
        self.file.sync_data()
    }

    fn put(&mut self, mut body: Vec<u8>, is_end: bool) -> io::Result<()> {
        if let Some(seal) = self.seal {
            seal.close(self.count, is_end, &mut body);
        }
        self.count += 1;
        let len = u32::try_from(body.len()).expect("a block is at most two values");
        let mut block = Vec::with_capacity(8 + body.len());
        block.extend_from_slice(&if is_end { 0 } else { len }.to_le_bytes());
        block.extend_from_slice(&crc32c::crc32c(&body).to_le_bytes());
        block.extend_from_slice(&body);
        self.file.write_at(&block, self.offset)?;
        self.offset += block.len() as u64;
        Ok(())
    }
}

/// Loads an image into a new index.
pub(crate) fn load(
    options: &EmbeddedOptions,
    dir: &Path,
    image: ImageRow,
    index: &Index,
) -> Result<(), StoreError> {
    let applied = Applied { position: image.position, synced_to: image.position };
    let mut generation = Generation::default();
    read(options, dir, image, index.place.sealer.as_deref(), &mut |block, progress| {
        for op in Ops::new(block) {
            let Ok(Op::Put { keyspace, key, value }) = op else { continue };
            generation.insert(keyspace, image.position, [(Arc::from(key), Some(Arc::from(value)))]);
        }
        if generation.bytes() >= options.apply_bytes {
            index.load(&std::mem::take(&mut generation), None)?;
            options.report("rebuilding the index from the image", progress);
        }
        Ok(())
    })?;
    index.load(&generation, Some(applied))
}

/// Whether an image can be loaded; touches nothing.
pub(crate) fn check(
    options: &EmbeddedOptions,
    place: &IndexPlace,
    image: ImageRow,
) -> Result<(), StoreError> {
    read(options, &place.dir, image, place.sealer.as_deref(), &mut |_, progress| {
        options.report("verifying the image", progress);
        Ok(())
    })
}

/// Called with a block's body and how far reading is.
type OnBlock<'a> = &'a mut dyn FnMut(&[u8], Progress) -> Result<(), StoreError>;

/// Calls `visit` with every block of an image, which holds puts alone.
fn read(
    options: &EmbeddedOptions,
    dir: &Path,
    image: ImageRow,
    sealer: Option<&Sealer>,
    visit: OnBlock<'_>,
) -> Result<(), StoreError> {
    let path = dir.join(image_name(image.number));
    let failed = |error| StoreError::io(format!("reading {}", path.display()), error);
    let damaged = |offset: u64, detail: &str| {
        StoreError::Damaged(DamagedAt { file: path.clone(), offset, detail: detail.into() })
    };
    let file = match options.fs.open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(damaged(0, "the image is missing"));
        }
        opened => opened.map_err(failed)?,
    };
    let total = file.len().map_err(failed)?;
    let mut found = vec![0; HEADER_BYTES + if sealer.is_some() { SALT_BYTES } else { 0 }];
    file.read_at(&mut found, 0).map_err(|_| damaged(0, "the image ends early"))?;
    let salt = found[HEADER_BYTES..].first_chunk().map(|salt| u64::from_le_bytes(*salt));
    if found != header(image.position, salt) {
        return Err(damaged(0, "the image's header is wrong"));
    }
    let seal = sealer.zip(salt).map(|(sealer, salt)| Seal::new(sealer, image.number, salt));
    let end_len = 8 + if seal.is_some() { TAG_BYTES } else { 0 };
    let (mut offset, mut count) = (found.len() as u64, 0u64);
    for block in 0.. {
        let mut head = [0; 8];
        file.read_at(&mut head, offset).map_err(|_| damaged(offset, "the image ends early"))?;
        let len = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let crc = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
        let body_len = if len == 0 { end_len } else { len };
        if body_len > BLOCK_BYTES_MAX {
            return Err(damaged(offset, "a block's length is wrong"));
        }
        let mut body = vec![0; body_len];
        file.read_at(&mut body, offset + 8).map_err(|_| damaged(offset, "the image ends early"))?;
        if crc32c::crc32c(&body) != crc {
            return Err(damaged(offset, "a block's checksum is wrong"));
        }
        if seal.as_ref().is_some_and(|seal| seal.open(block, len == 0, &mut body).is_none()) {
            return Err(damaged(offset, "a block does not open with the store's key"));
        }
        if len == 0 {
            let is_whole = body == count.to_le_bytes();
            return if is_whole { Ok(()) } else { Err(damaged(offset, "keys are missing")) };
        }
        for op in Ops::new(&body) {
            if !matches!(op, Ok(Op::Put { .. })) {
                return Err(damaged(offset, "a block holds something else than keys"));
            }
            count += 1;
        }
        offset += 8 + body_len as u64;
        visit(&body, Progress { done: offset, total })?;
    }
    Err(damaged(offset, "the image has no end"))
}
