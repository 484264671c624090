//! Images: a sorted dump of all keys at one position. Truth, like the log; rebuilding starts from one.
//!
//! ```text
//! | CAIRNIMG | format u32 | crc32c u32 | position u64 | salt u64 | block … | end block |
//!
//! block: body bytes u32 | crc32c u32 | put entries as in a transaction's body
//! end:   0 u32 | crc32c u32 of the count | count of keys u64
//! ```
//!
//! In a sealed store each body is sealed and ends with its tag: lengths and checksums are those of the
//! sealed bytes. The checksum of a block is seeded with the number of the file, the salt and the number of
//! the block, so that a block of another image, or of another place in this one, does not verify. Keys are
//! in their order, from the first block to the last.
//!
//! Images of format 1 have unbound checksums, and a salt only in a sealed store.

use std::cell::RefCell;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use cairn_base::fs::File;
use cairn_log::{Cipher, FileKind, ImageRow, Op, Progress, Sealer, counted, image_name};
use cairn_seam::{DamagedAt, StoreError};
use redb::ReadableTable;

use crate::generation::Generation;
use crate::image_reader::{ImageReader, OnKey};
use crate::index::{Applied, Index, IndexPlace, IndexView};
use crate::options::EmbeddedOptions;
use crate::shared::Shared;

const MAGIC: &[u8; 8] = b"CAIRNIMG";
/// Checksums of blocks are bound to their file and place.
const FORMAT: u32 = 2;
/// Checksums of bytes alone.
pub(crate) const FORMAT_UNBOUND: u32 = 1;
/// Where the format stands in the header.
pub(crate) const FORMAT_AT: u64 = 8;
/// Without the salt.
pub(crate) const HEADER_BYTES: usize = 24;
pub(crate) const SALT_BYTES: usize = 8;
pub(crate) const BLOCK_BYTES: usize = 256 << 10;
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
        let salt = self.options.entropy.next_u64();
        let sealer = self.log.sealer().map(|sealer| &**sealer);
        let identity = Identity::new(ImageRow { number, position }, salt, sealer);
        let written = self.write_image_file(&path, &identity, &view.index);
        if written.is_err() {
            // A half-written image is of no use to anybody and takes room.
            let _ = self.options.fs.remove(&path);
        }
        let count = written?;
        // It may become the only place that has what it holds.
        check(&self.options, &self.place, ImageRow { number, position }).inspect_err(|_| {
            let _ = self.options.fs.remove(&path);
        })?;
        self.log.set_image(ImageRow { number, position })?;
        Ok(format!("wrote an image of {count} keys"))
    }

    fn write_image_file(
        &self,
        path: &Path,
        identity: &Identity,
        index: &IndexView,
    ) -> Result<u64, StoreError> {
        let failed = |error| StoreError::io(format!("writing {}", path.display()), error);
        self.check_space_for(self.index().bytes())?;
        let file = self.options.fs.create(path).map_err(failed)?;
        let count = write_keys(&*file, identity, index, &|error| self.place.failed_read(error))?;
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
    identity: &Identity,
    index: &IndexView,
    failed_index: &dyn Fn(redb::StorageError) -> StoreError,
) -> Result<u64, StoreError> {
    let failed = |error| StoreError::io("writing an image", error);
    let mut out = Blocks::begin(file, identity).map_err(failed)?;
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

/// The header of an image.
pub(crate) fn header(position: u64, salt: u64) -> Vec<u8> {
    header_of(FORMAT, position, Some(salt))
}

/// The header of an image of format 1.
pub(crate) fn unbound_header(position: u64, salt: Option<u64>) -> Vec<u8> {
    header_of(FORMAT_UNBOUND, position, salt)
}

fn header_of(format: u32, position: u64, salt: Option<u64>) -> Vec<u8> {
    let mut header = vec![0; HEADER_BYTES];
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&format.to_le_bytes());
    header[16..].copy_from_slice(&position.to_le_bytes());
    header.extend(salt.iter().flat_map(|salt| salt.to_le_bytes()));
    let crc = crc32c::crc32c_append(crc32c::crc32c(&header[..12]), &header[16..]);
    header[12..16].copy_from_slice(&crc.to_le_bytes());
    header
}

/// What makes a file the image it is.
pub(crate) struct Identity {
    position: u64,
    /// Random.
    salt: u64,
    stamp: Stamp,
    seal: Option<Seal>,
}

impl Identity {
    pub(crate) fn new(image: ImageRow, salt: u64, sealer: Option<&Sealer>) -> Self {
        let ImageRow { number, position } = image;
        let seal = sealer.map(|sealer| Seal::new(sealer, number, salt));
        Identity { position, salt, stamp: Stamp::of(number, salt), seal }
    }
}

/// What the checksums of blocks are bound to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stamp {
    /// Format 1: nothing.
    Unbound,
    /// A number that follows from the file.
    Bound(u32),
}

impl Stamp {
    pub(crate) fn of(number: u64, salt: u64) -> Self {
        Stamp::Bound(crc32c::crc32c_append(crc32c::crc32c(&number.to_le_bytes()), &salt.to_le_bytes()))
    }

    /// The checksum of a block, counted from 0.
    pub(crate) fn checksum(self, block: u64, body: &[u8]) -> u32 {
        match self {
            Stamp::Unbound => crc32c::crc32c(body),
            Stamp::Bound(seed) => {
                crc32c::crc32c_append(crc32c::crc32c_append(seed, &block.to_le_bytes()), body)
            }
        }
    }
}

/// What an image of a sealed store is sealed with.
pub(crate) struct Seal {
    cipher: Cipher,
}

impl Seal {
    pub(crate) fn new(sealer: &Sealer, number: u64, salt: u64) -> Self {
        Seal { cipher: sealer.of_file(FileKind::Image, number, salt) }
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

/// An image that is being written.
pub(crate) struct Blocks<'a> {
    file: &'a dyn File,
    offset: u64,
    body: Vec<u8>,
    identity: &'a Identity,
    /// Blocks written so far.
    count: u64,
}

impl<'a> Blocks<'a> {
    /// Starts an image of a position.
    pub(crate) fn begin(file: &'a dyn File, identity: &'a Identity) -> io::Result<Self> {
        let header = header(identity.position, identity.salt);
        file.write_at(&header, 0)?;
        Ok(Blocks { file, offset: header.len() as u64, body: Vec::new(), identity, count: 0 })
    }

    /// Adds a key. Keys come sorted by keyspace and key.
    pub(crate) fn key(&mut self, keyspace: u16, key: &[u8], value: &[u8]) -> io::Result<()> {
        Op::Put { keyspace, key, value }.encode(&mut self.body);
        if self.body.len() < BLOCK_BYTES {
            return Ok(());
        }
        let body = std::mem::take(&mut self.body);
        self.put(body, false)
    }

    /// Ends an image of so many keys and makes it durable.
    pub(crate) fn finish(mut self, count: u64) -> io::Result<()> {
        self.flush()?;
        self.end(count)
    }

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
        if let Some(seal) = &self.identity.seal {
            seal.close(self.count, is_end, &mut body);
        }
        let crc = self.identity.stamp.checksum(self.count, &body);
        self.count += 1;
        let len = u32::try_from(body.len()).expect("a block is at most two values");
        let mut block = Vec::with_capacity(8 + body.len());
        block.extend_from_slice(&if is_end { 0 } else { len }.to_le_bytes());
        block.extend_from_slice(&crc.to_le_bytes());
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
    let applied = Applied::to(image.position);
    let generation = RefCell::new(Generation::default());
    let mut on_key = |keyspace: u16, key: &[u8], value: &[u8]| {
        let change = [(Arc::from(key), Some(Arc::from(value)))];
        generation.borrow_mut().insert(keyspace, image.position, change);
    };
    read(options, dir, image, index.place.sealer.as_deref(), &mut on_key, &mut |progress| {
        if generation.borrow().bytes() >= options.apply_bytes {
            index.load(&generation.take(), None)?;
            options.report("rebuilding the index from the image", progress);
        }
        Ok(())
    })?;
    index.load(&generation.into_inner(), Some(applied))
}

/// Whether an image can be loaded; touches nothing.
pub(crate) fn check(
    options: &EmbeddedOptions,
    place: &IndexPlace,
    image: ImageRow,
) -> Result<(), StoreError> {
    read(options, &place.dir, image, place.sealer.as_deref(), &mut |_, _, _| (), &mut |progress| {
        options.report("verifying the image", progress);
        Ok(())
    })
}

/// Called after each block with how far reading is.
type OnBlock<'a> = &'a mut dyn FnMut(Progress) -> Result<(), StoreError>;

/// Calls `on_key` with every key of an image, and `on_block` after each block.
fn read(
    options: &EmbeddedOptions,
    dir: &Path,
    image: ImageRow,
    sealer: Option<&Sealer>,
    on_key: OnKey<'_>,
    on_block: OnBlock<'_>,
) -> Result<(), StoreError> {
    let path = dir.join(image_name(image.number));
    let failed = |error| StoreError::io(format!("reading {}", path.display()), error);
    let damaged =
        |offset: u64, detail: String| StoreError::Damaged(DamagedAt { file: path.clone(), offset, detail });
    let file = match options.fs.open_to_read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(damaged(0, "the image is missing".into()));
        }
        opened => opened.map_err(failed)?,
    };
    let total = file.len().map_err(failed)?;
    let mut reader = ImageReader::new(&*file);
    reader.header(image, sealer).map_err(|detail| damaged(0, detail))?;
    loop {
        let offset = reader.offset();
        if !reader.block(on_key).map_err(|detail| damaged(offset, detail))? {
            return Ok(());
        }
        on_block(Progress { done: reader.offset(), total })?;
    }
}
