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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use cairn_base::fs::{FileSystem, SimulatedFs};

    use super::*;
    use crate::container::WHOLE;

    /// A file of which one block cannot be read.
    #[derive(Debug)]
    struct Worn {
        bytes: Mutex<Vec<u8>>,
        bad: u64,
    }

    impl File for Worn {
        fn len(&self) -> io::Result<u64> {
            Ok(self.bytes.lock().len() as u64)
        }

        fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
            if (offset..offset + buffer.len() as u64).contains(&self.bad) {
                return Err(io::Error::other("worn out"));
            }
            let start = usize::try_from(offset).unwrap();
            buffer.copy_from_slice(&self.bytes.lock()[start..start + buffer.len()]);
            Ok(())
        }

        fn write_at(&self, _: &[u8], _: u64) -> io::Result<()> {
            unreachable!("a source is not written")
        }

        fn set_len(&self, _: u64) -> io::Result<()> {
            unreachable!("a source is not written")
        }

        fn sync_data(&self) -> io::Result<()> {
            unreachable!("a source is not written")
        }
    }

    const HEAD_BYTES: usize = 24 + 16 + 1;

    fn content(bytes: usize) -> Vec<u8> {
        (0..bytes).map(|at| (at % 251) as u8).collect()
    }

    fn tee(bytes: Vec<u8>, bad: u64) -> (SimulatedFs, Arc<Worn>, Tee) {
        let fs = SimulatedFs::new(1);
        fs.create_dir(Path::new("d")).unwrap();
        let mut writer = ContainerWriter::create(&fs, Path::new("d/c"), WHOLE, 7).unwrap();
        let len = bytes.len() as u64;
        writer.begin_file("f", len).unwrap();
        let source = Arc::new(Worn { bytes: Mutex::new(bytes), bad });
        let tee = Tee::new(Arc::clone(&source) as Arc<dyn File>, len, Arc::new(Mutex::new(writer)));
        (fs, source, tee)
    }

    /// What was copied, without checksums.
    fn copied(fs: &SimulatedFs) -> Vec<u8> {
        let bytes = fs.read_all("d/c").unwrap();
        bytes[HEAD_BYTES..].chunks(4 + CHUNK_BYTES).flat_map(|chunk| chunk[4..].to_vec()).collect()
    }

    #[test]
    fn whatever_the_order_of_reads_every_byte_is_copied_once_and_in_order() {
        let all = content(3 * CHUNK_BYTES + 100);
        let (fs, _, tee) = tee(all.clone(), u64::MAX);
        let read = |offset: usize, len: usize| {
            let mut buffer = vec![0; len];
            tee.read_at(&mut buffer, offset as u64).unwrap();
            assert!(buffer == all[offset..offset + len], "{len} bytes at {offset}");
        };
        read(0, 64);
        read(all.len() - 64, 64);
        read(2 * CHUNK_BYTES - 5, 10);
        read(64, 100_000);
        read(CHUNK_BYTES - 10, 20);
        read(0, all.len());
        read(5, 5);
        assert!(tee.read_at(&mut [0; 2], all.len() as u64 - 1).is_err(), "behind the end");
        assert!(tee.finish().unwrap().is_empty());
        assert!(copied(&fs) == all);
    }

    #[test]
    fn what_was_read_before_its_turn_is_what_is_copied() {
        let all = content(2 * CHUNK_BYTES);
        let (fs, source, tee) = tee(all.clone(), u64::MAX);
        let mut tail = [0; 100];
        tee.read_at(&mut tail, all.len() as u64 - 100).unwrap();
        source.bytes.lock()[2 * CHUNK_BYTES - 50] ^= 1;
        tee.finish().unwrap();
        assert!(copied(&fs) == all, "the bytes that were verified");
    }

    #[test]
    fn a_block_that_cannot_be_read_is_named_and_copied_as_zeroes() {
        let mut all = content(CHUNK_BYTES + 9000);
        let bad = CHUNK_BYTES + BLOCK_BYTES;
        let (fs, _, tee) = tee(all.clone(), bad as u64 + 7);
        let unreadable = tee.finish().unwrap();
        let expected = (bad as u64..(bad + BLOCK_BYTES) as u64, "worn out".to_owned());
        assert_eq!(unreadable, [expected]);
        all[bad..bad + BLOCK_BYTES].fill(0);
        assert!(copied(&fs) == all);
    }
}
