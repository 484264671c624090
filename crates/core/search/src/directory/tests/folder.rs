//! What a directory promises about its files as a whole.

use std::os::unix::fs::PermissionsExt;

use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{INDEX_WRITER_LOCK, META_LOCK};

use super::super::open_directory;
use super::*;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn files_are_made_once_and_read_until_nobody_reads_them() {
    for protection in both() {
        let dir = tempfile::tempdir().unwrap();
        let directory = fresh(dir.path(), &protection);
        let name = Path::new("file");
        assert!(!directory.exists(name).unwrap());
        assert!(matches!(directory.open_read(name), Err(OpenReadError::FileDoesNotExist(_))));
        assert!(matches!(directory.delete(name), Err(DeleteError::FileDoesNotExist(_))));

        write(&directory, "file", &noise(100_000));
        assert!(directory.exists(name).unwrap());
        assert!(matches!(directory.open_write(name), Err(OpenWriteError::FileAlreadyExists(_))));
        let held = directory.open_read(name).unwrap();
        directory.delete(name).unwrap();
        assert!(!directory.exists(name).unwrap());
        write(&directory, "file", b"another one");
        assert!(held.read_bytes().unwrap().as_slice() == noise(100_000));
        assert_eq!(read(&directory, "file").unwrap(), b"another one");
    }
}

#[test]
fn a_file_without_its_end_does_not_open() {
    for protection in both() {
        let dir = tempfile::tempdir().unwrap();
        let directory = fresh(dir.path(), &protection);
        for content in [&b"little"[..], &noise(100_000)] {
            let mut writer = directory.open_write(Path::new("file")).unwrap();
            writer.write_all(content).unwrap();
            writer.flush().unwrap();
            drop(writer);
            assert!(directory.exists(Path::new("file")).unwrap());
            assert_eq!(read(&directory, "file"), None);
            directory.delete(Path::new("file")).unwrap();
        }
    }
}

#[test]
fn a_file_is_replaced_as_a_whole_with_another_salt() {
    for protection in both() {
        let dir = tempfile::tempdir().unwrap();
        let directory = fresh(dir.path(), &protection);
        let name = Path::new("meta.json");
        assert!(matches!(directory.atomic_read(name), Err(OpenReadError::FileDoesNotExist(_))));
        let mut stored = Vec::new();
        // What a crash may have left behind.
        fs::write(dir.path().join("meta.json.new"), noise(1000)).unwrap();
        for content in [&b"one"[..], b"one", b"", &noise(50_000)] {
            directory.atomic_write(name, content).unwrap();
            assert!(directory.atomic_read(name).unwrap() == content);
            directory.sync_directory().unwrap();
            stored.push(fs::read(dir.path().join(name)).unwrap());
        }
        assert_ne!(stored[0], stored[1], "the same twice");
        assert_eq!(files(dir.path()).len(), 1, "nothing else stays");
    }
}

#[test]
fn only_names_inside_the_folder_are_files() {
    for protection in both() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("outside"), b"mine").unwrap();
        let directory = fresh(&dir.path().join("index"), &protection);
        fs::create_dir(dir.path().join("index")).unwrap();
        for name in ["../outside", "/etc/hostname", "a/b", "..", "."] {
            let name = Path::new(name);
            assert!(directory.open_write(name).is_err() && directory.open_read(name).is_err());
            assert!(directory.delete(name).is_err() && directory.atomic_write(name, b"yours").is_err());
            assert!(directory.exists(name).is_err());
        }
        assert_eq!(fs::read(dir.path().join("outside")).unwrap(), b"mine");
    }
}

#[test]
fn a_lock_has_one_holder_and_ends_with_it() {
    for protection in both() {
        let dir = tempfile::tempdir().unwrap();
        let [one, two] = [(); 2].map(|()| fresh(dir.path(), &protection));
        // Left behind by a process that was killed.
        fs::write(dir.path().join(&INDEX_WRITER_LOCK.filepath), b"").unwrap();
        let held = one.acquire_lock(&INDEX_WRITER_LOCK).unwrap();
        assert!(matches!(one.acquire_lock(&INDEX_WRITER_LOCK), Err(LockError::LockBusy)));
        assert!(matches!(two.acquire_lock(&INDEX_WRITER_LOCK), Err(LockError::LockBusy)));
        drop(two.acquire_lock(&META_LOCK).unwrap());
        drop(held);
        drop(two.acquire_lock(&INDEX_WRITER_LOCK).unwrap());
        drop(one.acquire_lock(&META_LOCK).unwrap());
    }
}

#[test]
fn folder_and_files_are_private() {
    let dir = tempfile::tempdir().unwrap();
    for (name, protection) in ["checked", "sealed"].into_iter().zip(both()) {
        let path = dir.path().join(name);
        let directory = open_directory(&path, protection).unwrap().directory();
        write(&*directory, "written", b"content");
        directory.atomic_write(Path::new("replaced"), b"content").unwrap();
        drop(directory.acquire_lock(&META_LOCK).unwrap());
        assert_eq!(mode(&path), 0o700);
        for file in files(&path) {
            assert_eq!(mode(&file), 0o600, "{}", file.display());
        }
    }
}
