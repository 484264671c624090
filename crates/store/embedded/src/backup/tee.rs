//! A file that is copied into the backup by being read, so that what is verified is what is copied.

use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use cairn_base::fs::File;
use cairn_seam::StoreError;
use parking_lot::Mutex;

use crate::container::{CHUNK_BYTES, ContainerWriter};

/// Chunks kept in memory behind the place up to which the file is copied.
const KEPT_CHUNKS: usize = 2;
/// What the disk cannot read is left out in blocks of this size.
const BLOCK_BYTES: usize = 4096;
const CHUNK: u64 = CHUNK_BYTES as u64;

/// The container that is being written, shared with the file that is being read.
pub(super) type Target = Arc<Mutex<ContainerWriter>>;

/// A source file whose bytes go into the container in order, as somebody reads them.
///
/// Reads that go forward are served from the chunks that were copied. A read beyond the place up to which
/// the file is copied (the table at the end of a blob) is remembered, and copied when its turn comes. A
/// block that the disk cannot read is copied as zeroes, and named.
#[derive(Debug)]
pub(super) struct Tee {
    source: Arc<dyn File>,
    len: u64,
    target: Target,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    copied_to: u64,
    /// The chunks that were copied last, with their offsets.
    kept: VecDeque<(u64, Vec<u8>)>,
    /// What was read before its turn.
    ahead: Vec<(u64, Vec<u8>)>,
    unreadable: Vec<(Range<u64>, String)>,
    /// Why the container cannot be written.
    error: Option<StoreError>,
}

impl Tee {
    /// Copies the first `len` bytes of `source`; the container has the file's header already.
    pub(super) fn new(source: Arc<dyn File>, len: u64, target: Target) -> Self {
        Tee { source, len, target, state: Mutex::default() }
    }

    /// Copies what nobody has read. Returns the ranges that the disk could not read, with its words.
    pub(super) fn finish(&self) -> Result<Vec<(Range<u64>, String)>, StoreError> {
        let mut state = self.state.lock();
        while state.error.is_none() && state.copied_to < self.len {
            self.copy_chunk(&mut state);
        }
        match state.error.take() {
            Some(error) => Err(error),
            None => Ok(std::mem::take(&mut state.unreadable)),
        }
    }

    fn copy_chunk(&self, state: &mut State) {
        let offset = state.copied_to;
        let len = usize::try_from(CHUNK.min(self.len - offset)).expect("at most one chunk");
        let mut chunk = vec![0; len];
        self.read_source(&mut chunk, offset, &mut state.unreadable);
        for (at, bytes) in &state.ahead {
            overlay(&mut chunk, offset, bytes, *at);
        }
        if let Err(error) = self.target.lock().put_chunk(&chunk) {
            state.error = Some(error);
            return;
        }
        state.copied_to += len as u64;
        state.kept.push_back((offset, chunk));
        if state.kept.len() > KEPT_CHUNKS {
            state.kept.pop_front();
        }
    }

    /// Fills a buffer; blocks that cannot be read become zeroes.
    fn read_source(&self, buffer: &mut [u8], offset: u64, unreadable: &mut Vec<(Range<u64>, String)>) {
        if self.source.read_at(buffer, offset).is_ok() {
            return;
        }
        for (at, block) in (offset..).step_by(BLOCK_BYTES).zip(buffer.chunks_mut(BLOCK_BYTES)) {
            let Err(error) = self.source.read_at(block, at) else { continue };
            block.fill(0);
            let end = at + block.len() as u64;
            match unreadable.last_mut() {
                Some((range, _)) if range.end == at => range.end = end,
                _ => unreadable.push((at..end, error.to_string())),
            }
        }
    }

    /// Serves a part of a read from the chunks in memory; returns how many bytes.
    fn serve(&self, state: &State, buffer: &mut [u8], offset: u64) -> usize {
        let holds = |(at, chunk): &&(u64, Vec<u8>)| (*at..*at + chunk.len() as u64).contains(&offset);
        let Some((at, chunk)) = state.kept.iter().find(holds) else { return 0 };
        let rest = &chunk[usize::try_from(offset - at).expect("inside of a chunk")..];
        let len = rest.len().min(buffer.len());
        buffer[..len].copy_from_slice(&rest[..len]);
        len
    }
}

/// Copies the common part of two ranges of a file.
fn overlay(chunk: &mut [u8], chunk_at: u64, bytes: &[u8], at: u64) {
    let start = chunk_at.max(at);
    let end = (chunk_at + chunk.len() as u64).min(at + bytes.len() as u64);
    if start < end {
        let within = |from: u64, of: u64| usize::try_from(from - of).expect("inside of a buffer");
        chunk[within(start, chunk_at)..within(end, chunk_at)]
            .copy_from_slice(&bytes[within(start, at)..within(end, at)]);
    }
}

impl File for Tee {
    fn len(&self) -> io::Result<u64> {
        Ok(self.len)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        if offset.checked_add(buffer.len() as u64).is_none_or(|end| end > self.len) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut state = self.state.lock();
        if offset > state.copied_to {
            let mut unreadable = Vec::new();
            self.read_source(buffer, offset, &mut unreadable);
            state.unreadable.append(&mut unreadable);
            state.ahead.push((offset, buffer.to_vec()));
            return Ok(());
        }
        let mut done = 0;
        while done < buffer.len() {
            let at = offset + done as u64;
            if at == state.copied_to {
                self.copy_chunk(&mut state);
                if let Some(error) = &state.error {
                    return Err(io::Error::other(error.clone()));
                }
            }
            match self.serve(&state, &mut buffer[done..], at) {
                // It was copied too long ago to be in memory.
                0 => {
                    let len = usize::try_from(state.copied_to - at)
                        .map_or(buffer.len() - done, |len| len.min(buffer.len() - done));
                    self.source.read_at(&mut buffer[done..done + len], at)?;
                    done += len;
                }
                served => done += served,
            }
        }
        Ok(())
    }

    fn write_at(&self, _: &[u8], _: u64) -> io::Result<()> {
        Err(io::ErrorKind::PermissionDenied.into())
    }

    fn set_len(&self, _: u64) -> io::Result<()> {
        Err(io::ErrorKind::PermissionDenied.into())
    }

    fn sync_data(&self) -> io::Result<()> {
        Err(io::ErrorKind::PermissionDenied.into())
    }
}
