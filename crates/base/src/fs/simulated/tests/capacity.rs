//! A disk that fills up.

use std::io;

use super::{bytes_of, create_synced, dir, disk, disk_with, path};
use crate::fs::{FileSystem, Locked, is_full};

const BLOCK: u64 = 4096;

#[test]
fn writing_uses_the_capacity_up_and_what_does_not_fit_is_written_in_part() {
    let (fs, file) = disk_with(1, "a", &[1; 100]);
    fs.leave_free(2 * BLOCK);
    assert_eq!(fs.free_bytes(dir()).unwrap(), 2 * BLOCK);
    file.write_at(&[2; 200], 50).unwrap();
    assert_eq!(fs.free_bytes(dir()).unwrap(), 2 * BLOCK, "inside a block that is there");
    let error = file.write_at(&[3; 4 * 4096], 1000).unwrap_err();
    assert!(is_full(&error) && error.kind() == io::ErrorKind::StorageFull);
    assert_eq!(file.len().unwrap(), 3 * BLOCK, "the leading part is there");
    assert_eq!(fs.free_bytes(dir()).unwrap(), 0);
    file.write_at(&[4; 4096], BLOCK).unwrap();
    file.set_len(BLOCK).unwrap();
    assert_eq!(fs.free_bytes(dir()).unwrap(), 2 * BLOCK, "what is cut off is free again");
    fs.remove(&path("a")).unwrap();
    assert_eq!(fs.free_bytes(dir()).unwrap(), 3 * BLOCK);
}

#[test]
fn holes_take_no_room_until_they_are_written() {
    let (fs, file) = disk_with(1, "a", b"kept");
    fs.leave_free(BLOCK);
    file.set_len(100 * BLOCK).unwrap();
    file.write_at(b"x", 50 * BLOCK).unwrap();
    assert!(is_full(&file.write_at(b"x", 60 * BLOCK).unwrap_err()));
    file.write_at(b"y", 50 * BLOCK + 7).unwrap();
}

#[test]
fn a_lock_is_taken_on_a_full_disk_and_names_and_removals_work() {
    let fs = disk(1);
    create_synced(&fs, "a", &[1; 4096]);
    fs.leave_free(0);
    assert!(matches!(fs.lock(&path("LOCK"), "me").unwrap(), Locked::Acquired(_)));
    assert_eq!(bytes_of(&fs, "LOCK"), Some(Vec::new()));
    fs.create(&path("b")).unwrap();
    fs.rename(&path("b"), &path("a")).unwrap();
    assert_eq!(fs.free_bytes(dir()).unwrap(), BLOCK, "the file that was replaced is gone");
}
