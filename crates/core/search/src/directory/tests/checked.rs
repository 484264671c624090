//! Checked files: what is verified, when, and against what.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;

use super::super::IndexFileError;
use super::super::checked::layout::{BLOCK_BYTES, FOOTER_BYTES, SUM_BYTES};
use super::*;

const BLOCKS: usize = 5;
const NAME: &str = "file";

/// Changes bytes of a file in place, as a disk does.
fn overwrite(path: &Path, at: usize, bytes: &[u8]) {
    let file = OpenOptions::new().write(true).open(path).unwrap();
    file.write_all_at(bytes, at as u64).unwrap();
}

fn written(dir: &Path) -> Folder {
    let folder = fresh(dir, &checked());
    write(&folder, NAME, &noise(BLOCKS * BLOCK_BYTES));
    folder
}

fn read_part(folder: &Folder, at: usize) -> Result<(), IndexFileError> {
    let handle = folder.get_file_handle(Path::new(NAME)).unwrap();
    let read = handle.read_bytes(at..at + 10);
    read.map(|bytes| assert!(bytes.as_slice() == &noise(BLOCKS * BLOCK_BYTES)[at..at + 10]))
        .map_err(|error| error.downcast().unwrap())
}

#[test]
fn only_what_is_read_is_verified() {
    let dir = tempfile::tempdir().unwrap();
    drop(written(dir.path()));
    overwrite(&dir.path().join(NAME), 2 * BLOCK_BYTES + 77, b"damage");
    let folder = fresh(dir.path(), &checked());
    for block in [0, 1, 3, 4] {
        assert_eq!(read_part(&folder, block * BLOCK_BYTES + 5), Ok(()));
    }
    assert_eq!(folder.damage(), None);
    let offset = 2 * BLOCK_BYTES as u64;
    let damaged = IndexFileError::Damaged { file: NAME.into(), block: 2, offset };
    for at in [2 * BLOCK_BYTES, 2 * BLOCK_BYTES - 5, 3 * BLOCK_BYTES - 1] {
        assert_eq!(read_part(&folder, at), Err(damaged.clone()), "{at}");
    }
    assert_eq!(folder.damage(), Some(&damaged));
    assert_eq!(folder.verify(Path::new(NAME)).unwrap_err().downcast::<IndexFileError>().unwrap(), damaged);
}

#[test]
fn what_was_verified_once_is_not_verified_by_the_next_who_opens_it() {
    let dir = tempfile::tempdir().unwrap();
    let folder = written(dir.path());
    let held = folder.get_file_handle(Path::new(NAME)).unwrap();
    assert_eq!(held.read_bytes(0..10).unwrap().as_slice(), &noise(BLOCKS * BLOCK_BYTES)[..10]);
    // The table was read when the file was opened: without it nothing else could be verified.
    let path = dir.path().join(NAME);
    overwrite(&path, BLOCKS * BLOCK_BYTES, &[0; SUM_BYTES]);
    assert_eq!(read_part(&folder, 5), Ok(()));
    assert_eq!(read_part(&folder, 3 * BLOCK_BYTES), Ok(()));
    assert!(folder.verify(Path::new(NAME)).is_err(), "the whole file is read again");
    drop(held);
    assert!(folder.get_file_handle(Path::new(NAME)).is_err(), "and when nobody has it open");
}

#[test]
fn nothing_checked_is_at_the_place_of_another() {
    let dir = tempfile::tempdir().unwrap();
    let folder = written(dir.path());
    let path = dir.path().join(NAME);
    let stored = fs::read(&path).unwrap();
    write(&folder, "other", &noise(BLOCKS * BLOCK_BYTES));
    folder.atomic_write(Path::new("replaced"), &noise(2 * BLOCK_BYTES)).unwrap();
    let older = fs::read(dir.path().join("replaced")).unwrap();
    folder.atomic_write(Path::new("replaced"), &noise(2 * BLOCK_BYTES + 1)[1..]).unwrap();
    let newer = fs::read(dir.path().join("replaced")).unwrap();
    let is_read = |name: &str, bytes: &[u8]| {
        fs::write(dir.path().join(name), bytes).unwrap();
        read(&fresh(dir.path(), &checked()), name).is_some()
    };
    let table = BLOCKS * BLOCK_BYTES;
    let block = |number: usize| number * BLOCK_BYTES..(number + 1) * BLOCK_BYTES;
    let sum = |number: usize| table + number * SUM_BYTES..table + (number + 1) * SUM_BYTES;

    let mut swapped = stored.clone();
    swapped[block(1)].copy_from_slice(&stored[block(2)]);
    swapped[block(2)].copy_from_slice(&stored[block(1)]);
    assert!(!is_read(NAME, &swapped), "in another order");
    swapped[sum(1)].copy_from_slice(&stored[sum(2)]);
    swapped[sum(2)].copy_from_slice(&stored[sum(1)]);
    assert!(!is_read(NAME, &swapped), "in another order, with their checksums");
    let other = fs::read(dir.path().join("other")).unwrap();
    assert_eq!(other[..table], stored[..table]);
    assert_ne!(other[sum(1)], stored[sum(1)], "the same content in another file");
    assert!(!is_read(NAME, &other), "another file");
    let mut mixed = stored.clone();
    mixed[table..].copy_from_slice(&other[table..]);
    assert!(!is_read(NAME, &mixed), "the checksums of another file");
    for at in [0, BLOCK_BYTES] {
        let mut mixed = newer.clone();
        mixed[at..at + BLOCK_BYTES].copy_from_slice(&older[at..at + BLOCK_BYTES]);
        assert!(!is_read("replaced", &mixed), "a block of an older file of the same name");
    }
    let mut mixed = newer.clone();
    mixed[2 * BLOCK_BYTES..].copy_from_slice(&older[2 * BLOCK_BYTES..]);
    assert!(!is_read("replaced", &mixed), "the checksums of an older file of the same name");
    assert!(is_read(NAME, &stored) && is_read("replaced", &newer));
    assert_eq!(stored.len(), table + BLOCKS * SUM_BYTES + FOOTER_BYTES);
}
