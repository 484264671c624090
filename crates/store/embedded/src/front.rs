//! redb's header page in a sealed index.
//!
//! Page 0 is the only one that redb writes in place. Sealed as a whole it could not be torn by a power cut
//! and still be read, so it has two homes in front of all groups, written in turn:
//!
//! ```text
//! | home 8192 | home 8192 |
//! home: count u64 | root u32 | reserved u32 | nonce 12 | tag 16 | sealed page 4096 | unused
//! ```
//!
//! A home that was synced last is never written to: whatever happens to the other one, it can be read. The
//! home with the higher count counts.

use std::io;

use cairn_base::fs::File;
use cairn_log::{NONCE_BYTES, Sealer, TAG_BYTES};
use parking_lot::Mutex;

use crate::guard::{GROUP_PAGES, PAGE_LEN};

const HOME_BYTES: u64 = 8192;
const COUNT_BYTES: usize = 8;
const HEAD_BYTES: usize = COUNT_BYTES + 4 + 4 + NONCE_BYTES + TAG_BYTES;
/// No group of pages has this number, so no other page has its key.
const KEY_GROUP: u64 = u64::MAX / GROUP_PAGES;

/// Bytes in front of the first group.
pub(crate) const BYTES: u64 = 2 * HOME_BYTES;

#[derive(Debug)]
pub(crate) struct Front(Mutex<State>);

#[derive(Debug)]
struct State {
    page: Box<[u8; PAGE_LEN]>,
    /// How often it was written.
    count: u64,
    /// Where it was written last.
    home: u64,
    /// Whether that home is on disk.
    is_synced: bool,
}

impl Front {
    /// Reads the newest header that is whole; zeroes when there is none, which redb refuses.
    pub(crate) fn open(file: &dyn File, sealer: &Sealer) -> io::Result<Self> {
        let (newest, stored) = newest_in(file, sealer)?;
        if let Some(stored) = stored {
            // It may only be in memory so far, with an older one on disk in the home that is written next.
            file.write_at(&stored, newest.home * HOME_BYTES)?;
            file.sync_data()?;
        }
        Ok(Front(Mutex::new(newest)))
    }

    /// The header that an opening would find in the file now, and the offset of the one written last if
    /// that is another one.
    pub(crate) fn stored(
        &self,
        file: &dyn File,
        sealer: &Sealer,
    ) -> io::Result<([u8; PAGE_LEN], Option<u64>)> {
        let (found, _) = newest_in(file, sealer)?;
        let state = self.0.lock();
        let is_same = found.count == state.count && found.page == state.page;
        Ok((*found.page, (!is_same).then_some(state.home * HOME_BYTES)))
    }

    pub(crate) fn read(&self) -> [u8; PAGE_LEN] {
        *self.0.lock().page
    }

    /// Writes the page to the home that is not the last durable one.
    pub(crate) fn write(&self, file: &dyn File, sealer: &Sealer, page: &[u8]) -> io::Result<()> {
        let mut state = self.0.lock();
        let home = if state.is_synced { 1 - state.home } else { state.home };
        let count = state.count + 1;
        file.write_at(&seal_home(count, sealer, page)?, home * HOME_BYTES)?;
        state.page.copy_from_slice(page);
        (state.count, state.home, state.is_synced) = (count, home, false);
        Ok(())
    }

    /// Which write a sync that begins now will make durable.
    pub(crate) fn count(&self) -> u64 {
        self.0.lock().count
    }

    /// Says that this write is on disk.
    pub(crate) fn synced(&self, count: u64) {
        let mut state = self.0.lock();
        state.is_synced |= state.count == count;
    }
}

/// The newest header of a file that is whole, and its bytes as they are stored; zeroes when there is none.
fn newest_in(file: &dyn File, sealer: &Sealer) -> io::Result<(State, Option<[u8; HEAD_BYTES + PAGE_LEN]>)> {
    // As if home 1 held it: the first write goes to home 0.
    let mut newest = State { page: Box::new([0; PAGE_LEN]), count: 0, home: 1, is_synced: true };
    let mut stored = None;
    if file.len()? < BYTES {
        return Ok((newest, stored));
    }
    for home in 0..2 {
        let mut bytes = [0; HEAD_BYTES + PAGE_LEN];
        file.read_at(&mut bytes, home * HOME_BYTES)?;
        let found = open_home(&bytes, sealer).filter(|(count, _)| *count > newest.count);
        if let Some((count, page)) = found {
            newest = State { page, count, home, is_synced: true };
            stored = Some(bytes);
        }
    }
    Ok((newest, stored))
}

fn seal_home(count: u64, sealer: &Sealer, page: &[u8]) -> io::Result<Vec<u8>> {
    let root = sealer.newest_root();
    let cipher = sealer.of_index_group(root, KEY_GROUP).ok_or_else(|| io::Error::other("no root key"))?;
    let nonce = sealer.new_nonce();
    let mut bytes = vec![0; HEAD_BYTES + PAGE_LEN];
    let (head, sealed) = bytes.split_at_mut(HEAD_BYTES);
    sealed.copy_from_slice(page);
    head[..8].copy_from_slice(&count.to_le_bytes());
    head[8..12].copy_from_slice(&root.to_le_bytes());
    head[16..16 + NONCE_BYTES].copy_from_slice(&nonce);
    let tag = cipher.seal(nonce, &count.to_le_bytes(), sealed);
    head[16 + NONCE_BYTES..].copy_from_slice(&tag);
    Ok(bytes)
}

fn open_home(bytes: &[u8], sealer: &Sealer) -> Option<(u64, Box<[u8; PAGE_LEN]>)> {
    let (head, sealed) = bytes.split_at_checked(HEAD_BYTES)?;
    let count = u64::from_le_bytes(*head.first_chunk()?);
    let root = u32::from_le_bytes(*head.get(8..)?.first_chunk()?);
    let nonce = *head.get(16..)?.first_chunk()?;
    let tag = *head.last_chunk()?;
    let mut page: Box<[u8; PAGE_LEN]> = Box::new(sealed.try_into().ok()?);
    let cipher = sealer.of_index_group(root, KEY_GROUP)?;
    cipher.open(nonce, &count.to_le_bytes(), &mut *page, tag).ok()?;
    Some((count, page))
}
