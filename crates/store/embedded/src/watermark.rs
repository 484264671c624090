//! The watermark of the index: a position that it had reached for good.
//!
//! redb's header leads to everything else in the index, and is written in place. If a write of it is lost,
//! an older header is whole, leads to pages that were used again since, and nothing in the file gives that
//! away. So each durable commit of the index is followed by a note beside it, and an index that is behind
//! its note is rebuilt. A note that is lost, stale or damaged says less, and never anything wrong.
//!
//! ```text
//! | slot 512 | slot 512 |
//! slot: CAIRNWMK | id of the store 16 | position u64 | crc32c of the bytes before it u32 | zeroes
//! ```
//!
//! Slots are written in turn: a torn one leaves the other.

use std::io;
use std::path::Path;
use std::sync::Arc;

use cairn_base::fs::{File, FileSystem};
use parking_lot::Mutex;

/// The name of the file.
pub(crate) const FILE: &str = "index.watermark";
const MAGIC: &[u8; 8] = b"CAIRNWMK";
const SLOT_BYTES: usize = 512;
const NOTE_BYTES: usize = 8 + 16 + 8;

#[derive(Debug)]
pub(crate) struct Watermark {
    store: [u8; 16],
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Made by the first note.
    file: Option<Arc<dyn File>>,
    position: u64,
    /// The slot that the next note goes to.
    next: u64,
}

impl Watermark {
    /// Reads what is noted; 0 when there is no note of this store that can be read.
    pub(crate) fn open(fs: &dyn FileSystem, dir: &Path, store: [u8; 16]) -> Self {
        let mut state = State { file: fs.open(&dir.join(FILE)).ok(), position: 0, next: 0 };
        for slot in 0..2 {
            let mut bytes = [0; SLOT_BYTES];
            let file = state.file.as_ref();
            let is_read = file.is_some_and(|file| file.read_at(&mut bytes, slot * SLOT_BYTES as u64).is_ok());
            let noted = is_read.then(|| position_in(&bytes, &store)).flatten();
            if let Some(position) = noted.filter(|position| *position >= state.position) {
                state.position = position;
                state.next = 1 - slot;
            }
        }
        Watermark { store, state: Mutex::new(state) }
    }

    /// The position that the index had reached for good.
    pub(crate) fn position(&self) -> u64 {
        self.state.lock().position
    }

    /// Notes a position that the index has on disk.
    pub(crate) fn raise(&self, fs: &dyn FileSystem, dir: &Path, position: u64) -> io::Result<()> {
        let mut state = self.state.lock();
        if position <= state.position {
            return Ok(());
        }
        let file = match &state.file {
            Some(file) => Arc::clone(file),
            None => {
                let file = fs.create(&dir.join(FILE))?;
                file.write_at(&[0; 2 * SLOT_BYTES], 0)?;
                fs.sync_dir(dir)?;
                state.file = Some(Arc::clone(&file));
                file
            }
        };
        file.write_at(&slot(&self.store, position), state.next * SLOT_BYTES as u64)?;
        file.sync_data()?;
        state.position = position;
        state.next = 1 - state.next;
        Ok(())
    }
}

fn slot(store: &[u8; 16], position: u64) -> [u8; SLOT_BYTES] {
    let mut slot = [0; SLOT_BYTES];
    slot[..8].copy_from_slice(MAGIC);
    slot[8..24].copy_from_slice(store);
    slot[24..32].copy_from_slice(&position.to_le_bytes());
    let crc = crc32c::crc32c(&slot[..NOTE_BYTES]);
    slot[NOTE_BYTES..NOTE_BYTES + 4].copy_from_slice(&crc.to_le_bytes());
    slot
}

fn position_in(bytes: &[u8; SLOT_BYTES], store: &[u8; 16]) -> Option<u64> {
    let position = u64::from_le_bytes(*bytes[24..].first_chunk()?);
    (*bytes == slot(store, position)).then_some(position)
}

#[cfg(test)]
mod tests {
    use cairn_base::fs::SimulatedFs;

    use super::*;

    #[test]
    fn the_newest_note_that_is_whole_counts() {
        let fs = SimulatedFs::new(1);
        let dir = Path::new("");
        let position = |store: [u8; 16]| Watermark::open(&fs, dir, store).position();
        assert_eq!(position([1; 16]), 0);
        let watermark = Watermark::open(&fs, dir, [1; 16]);
        for noted in [5, 9, 7] {
            watermark.raise(&fs, dir, noted).unwrap();
        }
        assert_eq!((position([1; 16]), position([2; 16])), (9, 0), "never lower, never another store's");
        fs.flip(FILE, SLOT_BYTES as u64 + 24);
        assert_eq!(position([1; 16]), 5, "the older one is left");
        Watermark::open(&fs, dir, [1; 16]).raise(&fs, dir, 12).unwrap();
        assert_eq!(position([1; 16]), 12, "a damaged slot is written next");
        fs.flip(FILE, 3);
        fs.flip(FILE, SLOT_BYTES as u64 + 3);
        assert_eq!(position([1; 16]), 0);
    }
}
