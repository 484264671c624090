//! The reserve file: disk space that is kept for what has to work on a full disk.
//!
//! Its bytes mean nothing; that they take room is all. When a deletion or revocation is to be written and the
//! disk is nearly full, a piece of the file is cut off and the log gets as many blocks. Any length is a valid
//! one, so that a crash in between loses no more than a piece of the reserve, and it is filled up again
//! before ordinary writes are taken.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cairn_base::fs::{File, FileSystem, is_full};
use parking_lot::Mutex;

/// The name of the file.
pub(crate) const FILE: &str = "RESERVE";

/// Bytes written between two syncs, so that the log's own syncs never wait for many.
const SLICE_BYTES: u64 = 512 << 10;

#[derive(Debug)]
pub(crate) struct Reserve {
    fs: Arc<dyn FileSystem>,
    dir: PathBuf,
    /// Its length when it is whole; with 0 there is none.
    size: u64,
    file: Mutex<Option<Held>>,
}

#[derive(Debug)]
struct Held {
    file: Arc<dyn File>,
    bytes: u64,
}

impl Reserve {
    /// Looks for the file, and makes none.
    pub(crate) fn open(fs: &Arc<dyn FileSystem>, dir: &Path, size: u64) -> io::Result<Self> {
        let held = match fs.open(&dir.join(FILE)) {
            Ok(file) => Some(Held { bytes: file.len()?, file }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        Ok(Reserve { fs: Arc::clone(fs), dir: dir.to_owned(), size, file: Mutex::new(held) })
    }

    /// Its length when it is whole.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Bytes that are left in it.
    pub(crate) fn bytes(&self) -> u64 {
        self.file.lock().as_ref().map_or(0, |held| held.bytes.min(self.size))
    }

    /// Bytes that were used and not filled up again; none if the file was never made.
    pub(crate) fn used(&self) -> u64 {
        self.file.lock().as_ref().map_or(0, |held| self.size.saturating_sub(held.bytes))
    }

    /// Bytes that it would take to make it whole.
    pub(crate) fn missing(&self) -> u64 {
        self.size - self.bytes()
    }

    /// Gives bytes back to the disk. There must be as many.
    pub(crate) fn give_back(&self, bytes: u64) -> io::Result<()> {
        let mut held = self.file.lock();
        let Some(held) = held.as_mut() else { return Err(io::ErrorKind::NotFound.into()) };
        let left = held.bytes.checked_sub(bytes).ok_or(io::ErrorKind::InvalidInput)?;
        held.file.set_len(left)?;
        held.bytes = left;
        // Some systems free the blocks only then.
        held.file.sync_data()
    }

    /// Makes the file whole, or as long as the setting says now. The disk has room for what is missing;
    /// if it has not after all, the file stays as it was. Says whether anything was done.
    pub(crate) fn refill(&self) -> io::Result<bool> {
        let mut held = self.file.lock();
        let before = held.as_ref().map_or(0, |held| held.bytes);
        if before == self.size {
            return Ok(false);
        }
        let file = match &*held {
            Some(held) => Arc::clone(&held.file),
            None => {
                let file = self.fs.create(&self.dir.join(FILE))?;
                self.fs.sync_dir(&self.dir)?;
                *held = Some(Held { file: Arc::clone(&file), bytes: 0 });
                file
            }
        };
        let filled = fill(&*file, before, self.size);
        if filled.as_ref().is_err_and(is_full) {
            file.set_len(before)?;
            return Ok(false);
        }
        filled?;
        if let Some(held) = held.as_mut() {
            held.bytes = self.size;
        }
        Ok(true)
    }
}

/// Gives a file this length, with bytes that no file system packs into fewer blocks.
fn fill(file: &dyn File, from: u64, to: u64) -> io::Result<()> {
    if to < from {
        file.set_len(to)?;
    }
    let mut noise = 0x9e37_79b9_7f4a_7c15u64;
    let mut at = from;
    while at < to {
        let slice = SLICE_BYTES.min(to - at);
        let mut bytes = vec![0; usize::try_from(slice).map_err(io::Error::other)?];
        for word in bytes.chunks_mut(8) {
            noise ^= noise << 13;
            noise ^= noise >> 7;
            noise ^= noise << 17;
            word.copy_from_slice(&noise.to_le_bytes()[..word.len()]);
        }
        file.write_at(&bytes, at)?;
        file.sync_data()?;
        at += slice;
    }
    file.sync_data()
}

#[cfg(test)]
mod tests {
    use cairn_base::fs::SimulatedFs;

    use super::*;

    const SIZE: u64 = 1 << 20;

    fn open(fs: &SimulatedFs, size: u64) -> Reserve {
        fs.create_dir(Path::new("d")).unwrap();
        Reserve::open(&(Arc::new(fs.clone()) as Arc<dyn FileSystem>), Path::new("d"), size).unwrap()
    }

    #[test]
    fn what_is_given_back_is_free_and_filled_up_again() {
        let fs = SimulatedFs::new(1);
        let reserve = open(&fs, SIZE);
        assert_eq!((reserve.bytes(), reserve.used(), reserve.missing()), (0, 0, SIZE));
        assert!(reserve.refill().unwrap() && !reserve.refill().unwrap());
        fs.leave_free(0);
        reserve.give_back(64 << 10).unwrap();
        assert_eq!(fs.free_bytes(Path::new("d")).unwrap(), 64 << 10);
        let reserve = open(&fs, SIZE);
        assert_eq!((reserve.used(), reserve.missing()), (64 << 10, 64 << 10), "it is known after a restart");
        assert!(reserve.refill().unwrap());
        assert_eq!((reserve.used(), fs.free_bytes(Path::new("d")).unwrap()), (0, 0));
        assert!(reserve.give_back(SIZE + 1).is_err());
        assert!(open(&fs, SIZE / 2).refill().unwrap());
        assert_eq!(open(&fs, SIZE).bytes(), SIZE / 2, "it is as long as the setting says");
    }

    #[test]
    fn a_disk_without_room_keeps_what_there_is() {
        let fs = SimulatedFs::new(1);
        let reserve = open(&fs, SIZE);
        reserve.refill().unwrap();
        reserve.give_back(512 << 10).unwrap();
        fs.leave_free(128 << 10);
        assert!(!reserve.refill().unwrap());
        assert_eq!((reserve.bytes(), fs.free_bytes(Path::new("d")).unwrap()), (512 << 10, 128 << 10));
    }
}
