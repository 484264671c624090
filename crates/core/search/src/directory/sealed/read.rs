//! Reading a sealed file.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cairn_seam::{DerivedSeal, FileSeal};
use tantivy::HasLen;
use tantivy::directory::{FileHandle, OwnedBytes};

use super::cache::Blocks;
use super::layout::{self, BLOCK_BYTES, HEADER_BYTES, Layout};
use crate::directory::IndexFileError;
use crate::directory::damage::DamageNote;

/// What spans more blocks than this is read past the cache: it would push out what is read often, and
/// whoever reads so much keeps it.
const CACHED_BLOCKS_MAX: u64 = 4;

/// A sealed file, open. It stays readable when its name is removed.
pub(in crate::directory) struct SealedFile {
    name: PathBuf,
    file: File,
    seal: Box<dyn FileSeal>,
    salt: [u8; 16],
    layout: Layout,
    blocks: Arc<Blocks>,
    damage: DamageNote,
}

impl SealedFile {
    /// Opens the file at a path, which was sealed under this name.
    ///
    /// Its last block is opened right away, and never taken from the cache: only then it is certain that
    /// this file has this name, this stamp and this length.
    pub(super) fn open(
        path: &Path,
        name: &Path,
        seal: &dyn DerivedSeal,
        blocks: &Arc<Blocks>,
        damage: &DamageNote,
    ) -> io::Result<Self> {
        let file = File::open(path)?;
        let file_bytes = file.metadata()?.len();
        let too_short = || IndexFileError::Length { file: name.to_owned(), file_bytes };
        if file_bytes < HEADER_BYTES as u64 {
            return Err(too_short().into());
        }
        let mut header = [0; HEADER_BYTES];
        file.read_exact_at(&mut header, 0).map_err(|error| IndexFileError::unread(name, 0, 0, &error))?;
        let stamp = layout::parse_header(&header, name)?;
        let layout = Layout::of(file_bytes).ok_or_else(too_short)?;
        let seal = seal
            .of_file(name.as_os_str().as_encoded_bytes(), &stamp)
            .ok_or_else(|| IndexFileError::AnotherKey { file: name.to_owned() })?;
        let opened = SealedFile {
            name: name.to_owned(),
            file,
            seal,
            salt: stamp.salt,
            layout,
            blocks: Arc::clone(blocks),
            damage: damage.clone(),
        };
        opened.open_and_keep(layout.last())?;
        Ok(opened)
    }

    /// All of it.
    pub(in crate::directory) fn read_whole(&self) -> io::Result<OwnedBytes> {
        self.read_bytes(0..self.layout.content_bytes)
    }

    /// Opens every block, none of them from the cache.
    pub(super) fn verify(&self) -> io::Result<()> {
        let mut block = Vec::new();
        (0..=self.layout.last()).try_for_each(|number| {
            block.clear();
            self.append_block(number, &mut block)
        })
    }

    /// Appends a block to what was read.
    fn append_block(&self, number: u64, to: &mut Vec<u8>) -> io::Result<()> {
        let start = to.len();
        to.resize(start + self.layout.sealed_bytes(number), 0);
        let offset = layout::offset(number);
        let unread = |error| IndexFileError::unread(&self.name, number, offset, &error);
        self.file.read_exact_at(&mut to[start..], offset).map_err(unread)?;
        let damaged = |_| IndexFileError::Damaged { file: self.name.clone(), block: number, offset };
        let content_bytes = self.seal.open(self.layout.place(number), &mut to[start..]).map_err(damaged)?;
        to.truncate(start + content_bytes);
        Ok(())
    }

    fn open_and_keep(&self, number: u64) -> io::Result<Arc<[u8]>> {
        let mut block = Vec::with_capacity(self.layout.sealed_bytes(number));
        self.append_block(number, &mut block)?;
        let block: Arc<[u8]> = block.into();
        self.blocks.keep(&self.salt, number, &block);
        Ok(block)
    }

    fn read_through_cache(&self, range: Range<usize>) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(range.len());
        let mut at = range.start;
        while at < range.end {
            let (number, start) = layout::find(at);
            let block = match self.blocks.get(&self.salt, number) {
                Some(block) => block,
                None => self.open_and_keep(number)?,
            };
            let end = block.len().min(start + range.end - at);
            bytes.extend_from_slice(&block[start..end]);
            at += end - start;
        }
        Ok(bytes)
    }

    fn read_past_cache(&self, first: u64, last: u64) -> io::Result<Vec<u8>> {
        let before_last = usize::try_from(last - first).unwrap_or(0) * BLOCK_BYTES;
        let mut bytes = Vec::with_capacity(before_last + self.layout.sealed_bytes(last));
        for number in first..=last {
            self.append_block(number, &mut bytes)?;
        }
        Ok(bytes)
    }
}

impl FileHandle for SealedFile {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        let content_bytes = self.layout.content_bytes;
        if range.start > range.end || range.end > content_bytes {
            let text = format!("bytes {range:?} of {}, which has {content_bytes}", self.name.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        if range.is_empty() {
            return Ok(OwnedBytes::empty());
        }
        let ((first, start), (last, _)) = (layout::find(range.start), layout::find(range.end - 1));
        if last - first < CACHED_BLOCKS_MAX {
            return Ok(OwnedBytes::new(self.damage.note(self.read_through_cache(range))?));
        }
        let blocks = OwnedBytes::new(self.damage.note(self.read_past_cache(first, last))?);
        Ok(blocks.slice(start..start + range.len()))
    }
}

impl HasLen for SealedFile {
    fn len(&self) -> usize {
        self.layout.content_bytes
    }
}

impl std::fmt::Debug for SealedFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SealedFile").field("name", &self.name).finish_non_exhaustive()
    }
}
