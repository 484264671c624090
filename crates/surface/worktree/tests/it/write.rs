//! Writing files of a tree.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use cairn_worktree::{Replaces, TreeWriter, WriteProblem};

use crate::repo::Repo;

#[test]
fn a_file_is_written_whole_and_replaced_only_as_expected() {
    let repo = Repo::new();
    let writer = TreeWriter::open(&repo.root).unwrap();
    let path = repo.root.join("a/b/c.md");
    let content = || fs::read_to_string(&path).unwrap();
    writer.write("a/b/c.md", b"one", Replaces::Nothing).unwrap();
    assert_eq!(content(), "one");
    let exists = writer.write("a/b/c.md", b"two", Replaces::Nothing).unwrap_err();
    assert!(matches!(exists, WriteProblem::Exists));
    for other in [&b"on"[..], b"one more", b"two"] {
        let changed = writer.write("a/b/c.md", b"two", Replaces::Content(other)).unwrap_err();
        assert!(matches!(changed, WriteProblem::Changed), "{changed}");
    }
    assert_eq!(content(), "one");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    writer.write("a/b/c.md", b"two", Replaces::Content(b"one")).unwrap();
    assert_eq!(content(), "two");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    writer.write("a/b/c.md", b"three", Replaces::Anything).unwrap();
    assert_eq!(content(), "three");
    assert!(writer.write("gone.md", b"x", Replaces::Content(b"was there")).is_err());
    // Nothing unfinished is left.
    let names: Vec<_> =
        fs::read_dir(repo.root.join("a/b")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["c.md"]);
    assert!(!repo.root.join("gone.md").exists());
}

#[test]
fn nothing_is_written_outside_of_the_tree() {
    let repo = Repo::new();
    fs::create_dir(repo.beside("out")).unwrap();
    fs::write(repo.beside("out/file.md"), "theirs").unwrap();
    symlink(repo.beside("out"), repo.root.join("link")).unwrap();
    symlink(repo.beside("out/file.md"), repo.root.join("file.md")).unwrap();
    symlink(repo.beside("out/new.md"), repo.root.join("dangling.md")).unwrap();
    repo.write("plain", "x");
    let writer = TreeWriter::open(&repo.root).unwrap();
    for path in [
        "link/x.md",
        "link/sub/x.md",
        "../x.md",
        "/etc/x.md",
        "a/../../x.md",
        ".git/x",
        "a/.git/x",
        "plain/x",
        "",
    ] {
        assert!(writer.write(path, b"x", Replaces::Anything).is_err(), "{path}");
    }
    for replaces in [Replaces::Nothing, Replaces::Content(b"theirs")] {
        assert!(writer.write("file.md", b"mine", replaces).is_err());
        assert!(writer.write("dangling.md", b"mine", replaces).is_err());
    }
    // The link itself is replaced, and not what it leads to.
    writer.write("file.md", b"mine", Replaces::Anything).unwrap();
    assert_eq!(fs::read(repo.beside("out/file.md")).unwrap(), b"theirs");
    assert_eq!(fs::read_dir(repo.beside("out")).unwrap().count(), 1);
    assert_eq!(fs::read(repo.root.join("file.md")).unwrap(), b"mine");
}
