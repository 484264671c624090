//! Reading an image: checksums, the order of keys, their count.

use std::io;

use cairn_base::fs::File;
use cairn_log::{ImageRow, Op, Ops, Sealer, TAG_BYTES};

use crate::image::{self, Seal, Stamp};

/// Called with keyspace, key and value.
pub(crate) type OnKey<'a> = &'a mut dyn FnMut(u16, &[u8], &[u8]);

/// Reads an image block by block.
pub(crate) struct ImageReader<'a> {
    file: &'a dyn File,
    stamp: Stamp,
    /// Opens what is sealed.
    seal: Option<Seal>,
    /// Of the block that is looked at.
    offset: u64,
    /// Blocks before it.
    blocks: u64,
    count: u64,
    last: Option<(u16, Vec<u8>)>,
}

impl<'a> ImageReader<'a> {
    pub(crate) fn new(file: &'a dyn File) -> Self {
        ImageReader { file, stamp: Stamp::Unbound, seal: None, offset: 0, blocks: 0, count: 0, last: None }
    }

    /// Offset of the block that is read next.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Checks the header of the image that this row lists.
    pub(crate) fn header(&mut self, image: ImageRow, sealer: Option<&Sealer>) -> Result<(), String> {
        let mut format = [0; 4];
        self.read(&mut format, image::FORMAT_AT)?;
        let is_bound = u32::from_le_bytes(format) != image::FORMAT_UNBOUND;
        let has_salt = is_bound || sealer.is_some();
        let mut found = vec![0; image::HEADER_BYTES + if has_salt { image::SALT_BYTES } else { 0 }];
        self.read(&mut found, 0)?;
        let salt = found[image::HEADER_BYTES..].first_chunk().map(|salt| u64::from_le_bytes(*salt));
        let expected = match is_bound {
            true => image::header(image.position, salt.unwrap_or(0)),
            false => image::unbound_header(image.position, salt),
        };
        if found != expected {
            return Err("the image's header is wrong".into());
        }
        if is_bound {
            self.stamp = Stamp::of(image.number, salt.unwrap_or(0));
        }
        self.seal = sealer.zip(salt).map(|(sealer, salt)| Seal::new(sealer, image.number, salt));
        self.offset = found.len() as u64;
        Ok(())
    }

    /// Reads the next block; `false` when it was the end.
    pub(crate) fn block(&mut self, visit: OnKey<'_>) -> Result<bool, String> {
        let mut head = [0; 8];
        self.read(&mut head, self.offset)?;
        let [len, crc] =
            [0, 4].map(|at| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]));
        let is_end = len == 0;
        let body_len = if is_end { self.end_bytes() } else { len as usize };
        if body_len > image::BLOCK_BYTES_MAX {
            return Err("a block's length is wrong".into());
        }
        let mut body = vec![0; body_len];
        self.read(&mut body, self.offset + 8)?;
        if self.stamp.checksum(self.blocks, &body) != crc {
            return Err("a block's checksum is wrong".into());
        }
        if self.seal.as_ref().is_some_and(|seal| seal.open(self.blocks, is_end, &mut body).is_none()) {
            return Err("a block does not open with the store's key".into());
        }
        self.blocks += 1;
        if is_end {
            return self.end(&body).map(|()| false);
        }
        for op in Ops::new(&body) {
            let Ok(Op::Put { keyspace, key, value }) = op else {
                return Err("a block holds something else than keys".into());
            };
            self.in_order(keyspace, key)?;
            visit(keyspace, key, value);
            self.count += 1;
        }
        self.offset += 8 + body_len as u64;
        Ok(true)
    }

    /// Bytes of the count at the end, as it is stored.
    fn end_bytes(&self) -> usize {
        8 + if self.seal.is_some() { TAG_BYTES } else { 0 }
    }

    fn in_order(&mut self, keyspace: u16, key: &[u8]) -> Result<(), String> {
        if self.last.as_ref().is_some_and(|(last_in, last)| (*last_in, &last[..]) >= (keyspace, key)) {
            return Err("keys are out of order".into());
        }
        let last = self.last.get_or_insert_default();
        last.0 = keyspace;
        last.1.clear();
        last.1.extend_from_slice(key);
        Ok(())
    }

    fn end(&self, count: &[u8]) -> Result<(), String> {
        if count != self.count.to_le_bytes() {
            return Err("keys are missing".into());
        }
        let len = self.file.len().map_err(|error| format!("it cannot be read: {error}"))?;
        if len == self.offset + 8 + self.end_bytes() as u64 {
            Ok(())
        } else {
            Err("bytes follow the end of the image".into())
        }
    }

    fn read(&self, bytes: &mut [u8], offset: u64) -> Result<(), String> {
        self.file.read_at(bytes, offset).map_err(|error| {
            if error.kind() == io::ErrorKind::UnexpectedEof {
                return "the image ends early".into();
            }
            format!("it cannot be read: {error}")
        })
    }
}
