//! The image of a damaged store as a source of records: every block of it that verifies.

use std::io;
use std::sync::Arc;

use cairn_base::fs::{File, FileSystem};
use cairn_log::{DamagedLog, ImageRow, Op, Ops, PatientFile, Sealer, TAG_BYTES};
use cairn_seam::LostRange;

use super::span::{Emit, KeyAt, Span};
use crate::image::{self, BLOCK_BYTES, BLOCK_BYTES_MAX, HEADER_BYTES, SALT_BYTES, Seal, Stamp};

/// Blocks that may be lost in one place: each is bound to its number.
const SKIPPED_MAX: u64 = 64;

/// An image that can be read at least in part.
pub(super) struct ImageSource {
    pub(super) row: ImageRow,
    file: Arc<dyn File>,
    stamp: Stamp,
    seal: Option<Seal>,
    blocks: Vec<Block>,
    /// Stretches of keys that cannot be read.
    pub(super) unread: Vec<Span>,
    /// Bytes that cannot be read.
    pub(super) lost: Vec<LostRange>,
}

#[derive(Debug, Clone, Copy)]
struct Block {
    offset: u64,
    bytes: usize,
    number: u64,
}

impl ImageSource {
    /// Opens the newest image that can be read at all; `None` when there is none.
    pub(super) fn open(fs: &dyn FileSystem, log: &DamagedLog, notes: &mut Vec<String>) -> Option<Self> {
        let images = log.images().unwrap_or_default();
        for (number, row) in images {
            let path = log.image_path(number);
            let opened = fs.open_to_read(&path).and_then(|file| {
                let file: Arc<dyn File> = Arc::new(PatientFile(file));
                Self::read(file, number, row, log.sealer().map(|sealer| &**sealer))
            });
            match opened {
                Ok(Some(image)) => return Some(image),
                Ok(None) => notes.push(format!("nothing of {} can be read", cairn_log::image_name(number))),
                Err(error) => {
                    notes.push(format!("{} cannot be read: {error}", cairn_log::image_name(number)))
                }
            }
        }
        None
    }

    fn read(
        file: Arc<dyn File>,
        number: u64,
        row: Option<ImageRow>,
        sealer: Option<&Sealer>,
    ) -> io::Result<Option<Self>> {
        let len = file.len()?;
        let mut found = vec![0; HEADER_BYTES + SALT_BYTES];
        file.read_at(&mut found, 0)?;
        let position = found[16..].first_chunk().map_or(0, |position| u64::from_le_bytes(*position));
        let salt = found[HEADER_BYTES..].first_chunk().map(|salt| u64::from_le_bytes(*salt));
        let unbound_salt = salt.filter(|_| sealer.is_some());
        let unbound = image::unbound_header(position, unbound_salt);
        let is_bound = !found.starts_with(&unbound);
        let is_whole = !is_bound || found == image::header(position, salt.unwrap_or(0));
        if !is_bound {
            found.truncate(unbound.len());
        }
        let salt = if is_bound { salt } else { unbound_salt };
        let stamp = if is_bound { Stamp::of(number, salt.unwrap_or(0)) } else { Stamp::Unbound };
        let row = match row {
            Some(row) => row,
            None if is_whole => ImageRow { number, position },
            // Of which position it is nobody knows.
            None => return Ok(None),
        };
        let seal = sealer.zip(salt).map(|(sealer, salt)| Seal::new(sealer, number, salt));
        let (blocks, unread, lost) = (Vec::new(), Vec::new(), Vec::new());
        let mut source = ImageSource { row, file, stamp, seal, blocks, unread, lost };
        if !is_whole || row.position != position {
            source.lose(0, found.len() as u64, "the header is damaged");
        }
        source.survey(found.len() as u64, len)?;
        Ok((!source.blocks.is_empty() || source.unread.is_empty()).then_some(source))
    }

    /// Finds the blocks that can be read, and the keys between them that cannot.
    fn survey(&mut self, start: u64, len: u64) -> io::Result<()> {
        let (mut at, mut number) = (start, 0);
        let mut last: KeyAt = (0, Vec::new());
        let mut bad_from: Option<u64> = None;
        loop {
            let found = self.block(at, number, len)?;
            let block = match found {
                Some(Found::Block(block)) => block,
                Some(Found::End) if bad_from.is_none() => return Ok(()),
                Some(Found::End) => break,
                None => {
                    let from = *bad_from.get_or_insert(at);
                    match self.next_block(at, from, number, len)? {
                        Some(block) => block,
                        None => break,
                    }
                }
            };
            let Some((first, behind)) = self.keys_of(&block)? else {
                // It verifies and holds something else: as good as damaged.
                bad_from.get_or_insert(at);
                at = block.offset + 8 + block.bytes as u64;
                number = block.number + 1;
                continue;
            };
            if let Some(from) = bad_from.take() {
                self.unread.push(Span { after: last, before: Some(first) });
                self.lose(from, block.offset - from, "a block does not verify");
            }
            last = behind;
            at = block.offset + 8 + block.bytes as u64;
            number = block.number + 1;
            self.blocks.push(block);
        }
        let from = bad_from.unwrap_or(at);
        self.unread.push(Span { after: last, before: None });
        self.lose(from, len.saturating_sub(from), "a block does not verify, or the image ends early");
        Ok(())
    }

    fn lose(&mut self, offset: u64, bytes: u64, detail: &str) {
        let (file, detail) = (cairn_log::image_name(self.row.number), detail.to_owned());
        self.lost.push(LostRange { file, offset, bytes, positions: 0..0, tenants: Vec::new(), detail });
    }

    /// The block at an offset, if it verifies.
    fn block(&self, offset: u64, number: u64, len: u64) -> io::Result<Option<Found>> {
        let mut head = [0; 8];
        if offset + 8 > len {
            return Ok(None);
        }
        self.file.read_at(&mut head, offset)?;
        let claimed = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let is_end = claimed == 0;
        let end_bytes = 8 + if self.seal.is_some() { TAG_BYTES } else { 0 };
        let bytes = if is_end { end_bytes } else { claimed };
        if bytes > BLOCK_BYTES_MAX || offset + 8 + bytes as u64 > len {
            return Ok(None);
        }
        let mut body = vec![0; bytes];
        self.file.read_at(&mut body, offset + 8)?;
        let verifies = |number: u64| {
            self.stamp.checksum(number, &body).to_le_bytes() == head[4..]
                && self
                    .seal
                    .as_ref()
                    .is_none_or(|seal| seal.open(number, is_end, &mut body.clone()).is_some())
        };
        let number = (number..number + SKIPPED_MAX).find(|number| verifies(*number));
        let block = |number| Found::Block(Block { offset, bytes, number });
        Ok(number.map(|number| if is_end { Found::End } else { block(number) }))
    }

    /// The next block behind a bad place. Every block but the last has at least so many bytes.
    fn next_block(&self, at: u64, from: u64, number: u64, len: u64) -> io::Result<Option<Block>> {
        // Where the bad one says it ends, if its length is not what is damaged.
        let mut head = [0; 8];
        if at == from && at + 8 <= len {
            self.file.read_at(&mut head, at)?;
            let claimed = u64::from(u32::from_le_bytes([head[0], head[1], head[2], head[3]]));
            if claimed > 0
                && claimed <= BLOCK_BYTES_MAX as u64
                && let Some(Found::Block(block)) = self.block(at + 8 + claimed, number + 1, len)?
            {
                return Ok(Some(block));
            }
        }
        let mut window = Vec::new();
        let mut offset = at + 1;
        while offset + 16 <= len {
            window.resize(usize::try_from((len - offset).min(1 << 20)).unwrap_or(0), 0);
            self.file.read_at(&mut window, offset)?;
            for (place, head) in window.windows(9).enumerate() {
                let claimed = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
                let is_likely = (BLOCK_BYTES..=BLOCK_BYTES_MAX).contains(&claimed)
                    && (self.seal.is_some() || head[8] == 1);
                if is_likely
                    && let Some(Found::Block(block)) = self.block(offset + place as u64, number, len)?
                {
                    return Ok(Some(block));
                }
            }
            offset += (window.len() as u64).saturating_sub(8).max(1);
        }
        Ok(None)
    }

    fn body(&self, block: &Block) -> io::Result<Vec<u8>> {
        let mut body = vec![0; block.bytes];
        self.file.read_at(&mut body, block.offset + 8)?;
        if let Some(seal) = &self.seal {
            seal.open(block.number, false, &mut body).ok_or(io::ErrorKind::InvalidData)?;
        }
        Ok(body)
    }

    /// The first and the last key of a block; `None` when it makes no sense.
    fn keys_of(&self, block: &Block) -> io::Result<Option<(KeyAt, KeyAt)>> {
        let body = self.body(block)?;
        let mut ends: Option<(KeyAt, KeyAt)> = None;
        for op in Ops::new(&body) {
            let Ok(Op::Put { keyspace, key, .. }) = op else { return Ok(None) };
            let at = (keyspace, key.to_vec());
            ends = Some(ends.map_or_else(|| (at.clone(), at.clone()), |(first, _)| (first, at.clone())));
        }
        Ok(ends)
    }

    /// Calls `visit` with every key that can be read, in order.
    pub(super) fn each(&self, visit: Emit<'_>) -> io::Result<()> {
        for block in &self.blocks {
            for op in Ops::new(&self.body(block)?) {
                if let Ok(Op::Put { keyspace, key, value }) = op {
                    visit(keyspace, key, value)?;
                }
            }
        }
        Ok(())
    }
}

enum Found {
    Block(Block),
    End,
}
