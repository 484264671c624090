//! Verifying the image: checksums, the order of keys, their count.

use std::io;
use std::sync::Arc;

use cairn_base::fs::File;
use cairn_log::{Findings, Fold, ImageRow, Op, Ops, Sealer, TAG_BYTES, Watch, image_name};
use cairn_seam::StoreError;

use super::Subject;
use crate::image::{BLOCK_BYTES_MAX, HEADER_BYTES, SALT_BYTES, Seal, header};
use crate::shared::Shared;

/// Called with keyspace, key and value.
type OnKey<'a> = &'a mut dyn FnMut(u16, &[u8], &[u8]);

/// The newest image.
pub(crate) struct ImageCheck {
    row: Option<ImageRow>,
    /// Held open: a newer image may replace it meanwhile.
    file: Option<Arc<dyn File>>,
    /// Whether it is listed and cannot be used.
    pub(super) is_bad: bool,
}

impl ImageCheck {
    pub(crate) fn open(shared: &Shared, findings: &mut Findings) -> Self {
        loop {
            let Some(row) = shared.log.image() else {
                return ImageCheck { row: None, file: None, is_bad: false };
            };
            let name = image_name(row.number);
            match shared.options.fs.open_to_scan(&shared.dir.join(&name)) {
                Ok(file) => return ImageCheck { row: Some(row), file: Some(file), is_bad: false },
                // A newer one has taken its place.
                Err(error) if error.kind() == io::ErrorKind::NotFound && shared.log.image() != Some(row) => {}
                Err(error) => {
                    findings.add(name, 0, format!("the file cannot be opened: {error}"));
                    return ImageCheck { row: Some(row), file: None, is_bad: true };
                }
            }
        }
    }

    /// Everything up to here is in the image; 0 when there is none that can be used.
    pub(super) fn position(&self) -> u64 {
        self.row.filter(|_| !self.is_bad).map_or(0, |row| row.position)
    }

    /// Its name, if there is one.
    pub(crate) fn name(&self) -> Option<String> {
        self.row.map(|row| image_name(row.number))
    }
}

impl Subject<'_> {
    /// Reads the image and adds its keys to `fold`.
    pub(super) fn check_image(
        &mut self,
        fold: &mut Fold,
        findings: &mut Findings,
        watch: &mut Watch<'_>,
    ) -> Result<(), StoreError> {
        let before = findings.count();
        self.read_image(findings, watch, &mut |keyspace, key, value| fold.put(keyspace, key, value))?;
        if findings.count() > before {
            self.image.is_bad = true;
            // Half of an image is no ground to build on.
            *fold = self.first_fold();
        }
        Ok(())
    }

    /// Calls `visit` with every key of the image, if there is one, and writes down what is wrong with it.
    pub(super) fn read_image(
        &self,
        findings: &mut Findings,
        watch: &mut Watch<'_>,
        visit: OnKey<'_>,
    ) -> Result<(), StoreError> {
        self.image.read(self.shared, findings, watch, visit)
    }
}

impl ImageCheck {
    /// Reads the image to its end, calls `visit` with every key, and writes down what is wrong with it.
    pub(crate) fn read(
        &self,
        shared: &Shared,
        findings: &mut Findings,
        watch: &mut Watch<'_>,
        visit: OnKey<'_>,
    ) -> Result<(), StoreError> {
        let (Some(row), Some(file)) = (self.row, &self.file) else { return Ok(()) };
        let name = image_name(row.number);
        watch.begin("reading the image", file.len().unwrap_or(0))?;
        let mut reader = Reader { file: &**file, seal: None, offset: 0, blocks: 0, count: 0, last: None };
        let checked = reader.header(row, shared.log.sealer().map(|sealer| &**sealer));
        let mut outcome = checked.map(|()| true);
        while let Ok(true) = outcome {
            let start = reader.offset;
            outcome = reader.block(visit);
            watch.advance(reader.offset - start)?;
        }
        if let Err(detail) = outcome {
            findings.add(name, reader.offset, detail);
        }
        Ok(())
    }
}

struct Reader<'a> {
    file: &'a dyn File,
    /// Opens what is sealed.
    seal: Option<Seal>,
    /// Of the block that is looked at.
    offset: u64,
    /// Blocks before it.
    blocks: u64,
    count: u64,
    last: Option<(u16, Vec<u8>)>,
}

impl Reader<'_> {
    fn header(&mut self, image: ImageRow, sealer: Option<&Sealer>) -> Result<(), String> {
        let mut found = vec![0; HEADER_BYTES + if sealer.is_some() { SALT_BYTES } else { 0 }];
        self.read(&mut found, 0)?;
        let salt = found[HEADER_BYTES..].first_chunk().map(|salt| u64::from_le_bytes(*salt));
        if found != header(image.position, salt) {
            return Err("the image's header is wrong".into());
        }
        self.seal = sealer.zip(salt).map(|(sealer, salt)| Seal::new(sealer, image.number, salt));
        self.offset = found.len() as u64;
        Ok(())
    }

    /// Reads the next block; `false` when it was the end.
    fn block(&mut self, visit: OnKey<'_>) -> Result<bool, String> {
        let mut head = [0; 8];
        self.read(&mut head, self.offset)?;
        let [len, crc] =
            [0, 4].map(|at| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]));
        let is_end = len == 0;
        let body_len = if is_end { self.end_bytes() } else { len as usize };
        if body_len > BLOCK_BYTES_MAX {
            return Err("a block's length is wrong".into());
        }
        let mut body = vec![0; body_len];
        self.read(&mut body, self.offset + 8)?;
        if crc32c::crc32c(&body) != crc {
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
