//! Listing files of a tree.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use cairn_worktree::{SkipReason, Walk, WalkBounds, WalkOptions, Workspace};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::repo::{Repo, find};

fn walk(workspace: &Workspace, options: &WalkOptions) -> Walk {
    workspace.walk(options).unwrap()
}

fn files(walk: &Walk) -> Vec<&str> {
    walk.files.iter().map(|file| file.path.as_str()).collect()
}

fn skipped(walk: &Walk) -> Vec<(&str, &str)> {
    walk.skipped.iter().map(|skipped| (skipped.path.as_str(), skipped.reason.as_str())).collect()
}

fn all(repo: &Repo) -> Walk {
    walk(&repo.workspace(), &WalkOptions::default())
}

#[test]
fn files_are_listed_in_the_order_of_bytes_of_their_paths() {
    let repo = Repo::new();
    for path in ["b/x", "b.md", "b-c", "a", "Z", ".hidden", "b/.deep/y", "größe"] {
        repo.write(path, path);
    }
    let walk = all(&repo);
    assert_eq!(files(&walk), [".hidden", "Z", "a", "b-c", "b.md", "b/.deep/y", "b/x", "größe"]);
    assert_eq!(walk.files[7].bytes, 7);
    assert_eq!(skipped(&walk), [(".git", "hard_deny")]);
    assert!(!walk.is_cut());
}

#[test]
fn the_nearest_gitignore_decides() {
    let repo = Repo::new();
    repo.write(".gitignore", "*.log\n/secret/\nnested/*.md\n");
    repo.write("a.log", "");
    repo.write("secret/x", "");
    repo.write("b/secret/x", "");
    repo.write("nested/.gitignore", "!keep.log\n!two.md\n/inner/\n");
    for path in ["nested/keep.log", "nested/other.log", "nested/one.md", "nested/two.md", "nested/inner/x"] {
        repo.write(path, "");
    }
    repo.write("inner/x", "");
    // Paths of rules count from the folder that the file is in.
    repo.write(".git/info/exclude", "/b/local\n*.tmp\n!a.log\n");
    repo.write("b/local", "");
    repo.write("local", "");
    repo.write("nested/x.tmp", "");
    let walk = all(&repo);
    assert_eq!(
        files(&walk),
        [
            ".gitignore",
            "b/secret/x",
            "inner/x",
            "local",
            "nested/.gitignore",
            "nested/keep.log",
            "nested/two.md"
        ]
    );
    assert_eq!(
        skipped(&walk),
        [
            (".git", "hard_deny"),
            ("a.log", "gitignored"),
            ("b/local", "git_info_exclude"),
            ("nested/inner", "gitignored"),
            ("nested/one.md", "gitignored"),
            ("nested/other.log", "gitignored"),
            ("nested/x.tmp", "git_info_exclude"),
            ("secret", "gitignored"),
        ]
    );
}

/// The same files are ignored as git ignores.
#[test]
fn git_agrees() {
    let repo = Repo::new();
    repo.write(
        ".gitignore",
        "*.o\n!keep.o\n/top\ndoc/**/gen\nfoo/\n\\!bang\ntrailing \n**/x/y\na?c\n[ab].z\n",
    );
    repo.write("sub/.gitignore", "*\n!*.rs\n!.gitignore\n");
    repo.write(".git/info/exclude", "excluded\nkeep.o\n");
    for path in [
        "a.o",
        "keep.o",
        "d/keep.o",
        "top",
        "d/top",
        "doc/gen",
        "doc/a/gen",
        "doc/a/b/gen/x",
        "foo/x",
        "d/foo",
        "!bang",
        "trailing",
        "m/x/y",
        "m/x/z",
        "abc",
        "ac",
        "a.z",
        "c.z",
        "sub/a.rs",
        "sub/b.txt",
        "sub/in/a.rs",
        "excluded",
        "d/excluded/x",
    ] {
        repo.write(path, "");
    }
    let listed = repo.git(&["ls-files", "--others", "--exclude-standard"]);
    // Git puts names that are not plain into quotes.
    let mut expected: Vec<&str> = listed.lines().collect();
    expected.sort_unstable();
    assert_eq!(files(&all(&repo)), expected);
}

#[test]
fn rules_above_the_root_hold_and_global_excludes_do_not() {
    let repo = Repo::new();
    repo.write(".gitignore", "*.log\n/sub/deep/generated/\n/c.md\n!keep.log\n");
    repo.write("sub/.gitignore", "deep/x.md\n!near.log\n");
    repo.write("sub/deep/cairn-kb.toml", "");
    for path in ["a.md", "b.md", "c.md", "x.md", "generated/y.md", "z.log", "keep.log", "near.log"] {
        repo.write(&format!("sub/deep/{path}"), "");
    }
    repo.write(".git/info/exclude", "/sub/deep/b.md\n/a.md\n");
    repo.write("global", "*.toml\n");
    repo.git(&["config", "core.excludesFile", repo.root.join("global").to_str().unwrap()]);
    let workspace = find(&repo.root.join("sub/deep"), &[]).unwrap();
    let walk = walk(&workspace, &WalkOptions::default());
    assert_eq!(files(&walk), ["a.md", "c.md", "cairn-kb.toml", "keep.log", "near.log"]);
    let ignored = [
        ("b.md", "git_info_exclude"),
        ("generated", "gitignored"),
        ("x.md", "gitignored"),
        ("z.log", "gitignored"),
    ];
    assert_eq!(skipped(&walk), ignored);
}

#[test]
fn repositories_inside_of_the_tree_are_left_out() {
    let repo = Repo::new();
    repo.write("a.md", "");
    repo.git(&["worktree", "add", "-q", "-b", "two", "trees/two"]);
    repo.write("trees/two/b.md", "");
    repo.git(&["init", "-q", "clone"]);
    repo.write("clone/c.md", "");
    let walk = all(&repo);
    assert_eq!(files(&walk), ["a.md"]);
    let left_out =
        [(".git", "hard_deny"), ("clone", "nested_repository"), ("trees/two", "nested_repository")];
    assert_eq!(skipped(&walk), left_out);
}

#[test]
fn a_linked_worktree_has_the_excludes_of_its_clone() {
    let repo = Repo::new();
    repo.git(&["worktree", "add", "-q", "-b", "two", "../two"]);
    repo.write(".git/info/exclude", "local\n");
    fs::write(repo.beside("two/local"), "").unwrap();
    fs::write(repo.beside("two/a"), "").unwrap();
    let walk = walk(&find(&repo.beside("two"), &[]).unwrap(), &WalkOptions::default());
    assert_eq!(files(&walk), ["a"]);
    assert_eq!(skipped(&walk), [(".git", "hard_deny"), ("local", "git_info_exclude")]);
}

#[test]
fn outside_of_git_rules_hold_too() {
    let repo = Repo::plain();
    repo.write(".gitignore", "x\n");
    repo.write("x", "");
    repo.write("y", "");
    let workspace = find(&repo.root, &[("CAIRN_BRANCH", "main")]).unwrap();
    assert_eq!(files(&walk(&workspace, &WalkOptions::default())), [".gitignore", "y"]);
    assert_eq!(workspace.stamp().unwrap(), workspace.stamp().unwrap());
}

#[test]
fn denied_folders_cannot_be_allowed() {
    let repo = Repo::new();
    repo.write(".gitignore", "!vendor\n!node_modules/\n!target\n");
    for path in ["vendor/a", "x/node_modules/b", ".kb/c", ".cairn/d", "target/e", "dist/f", "x/y"] {
        repo.write(path, "");
    }
    assert_eq!(files(&all(&repo)), [".gitignore", "dist/f", "target/e", "x/y"]);
    let discovery = WalkOptions { discovery: true, ..WalkOptions::default() };
    assert_eq!(files(&walk(&repo.workspace(), &discovery)), [".gitignore", "x/y"]);
}

#[test]
fn only_regular_files_inside_the_tree_are_listed() {
    let repo = Repo::new();
    fs::create_dir(repo.beside("out")).unwrap();
    fs::write(repo.beside("out/secret.md"), "secret").unwrap();
    repo.write("docs/a.md", "");
    repo.write("big.md", vec![b'x'; 11]);
    repo.write("ten.md", vec![b'x'; 10]);
    symlink(repo.beside("out"), repo.root.join("docs/out")).unwrap();
    symlink("../../out/secret.md", repo.root.join("docs/secret.md")).unwrap();
    symlink("a.md", repo.root.join("docs/again.md")).unwrap();
    symlink("..", repo.root.join("docs/up")).unwrap();
    mknodat(CWD, repo.root.join("pipe.md"), FileType::Fifo, Mode::RWXU, 0).unwrap();
    let _socket = UnixListener::bind(repo.root.join("socket.md")).unwrap();
    fs::write(repo.root.join(std::ffi::OsStr::from_bytes(b"bad\xff.md")), "").unwrap();
    repo.write("line\nbreak.md", "");
    let options = WalkOptions { file_bytes_max: Some(10), ..WalkOptions::default() };
    let walk = walk(&repo.workspace(), &options);
    assert_eq!(files(&walk), ["docs/a.md", "ten.md"]);
    assert_eq!(
        skipped(&walk),
        [
            (".git", "hard_deny"),
            ("bad\u{fffd}.md", "not_text"),
            ("big.md", "too_large"),
            ("docs/again.md", "not_a_file"),
            ("docs/out", "outside_workspace"),
            ("docs/secret.md", "outside_workspace"),
            ("docs/up", "not_a_file"),
            ("line\nbreak.md", "not_text"),
            ("pipe.md", "not_a_file"),
            ("socket.md", "not_a_file"),
        ]
    );
}

#[test]
fn a_walk_below_folders_looks_at_nothing_else() {
    let repo = Repo::new();
    repo.write(".gitignore", "gen\n");
    for path in
        ["docs/req/a.md", "docs/req/in/b.md", "docs/req2/c.md", "docs/gen/d.md", "symbols.yaml", "src/e"]
    {
        repo.write(path, "");
    }
    let below = ["docs/req", "docs/gen", "symbols.yaml", "nowhere"].map(str::to_owned).to_vec();
    // Other entries do not count.
    let bounds = WalkBounds { entries_max: 7, ..WalkBounds::default() };
    let walk = walk(&repo.workspace(), &WalkOptions { below, bounds, ..WalkOptions::default() });
    assert_eq!(files(&walk), ["docs/req/a.md", "docs/req/in/b.md", "symbols.yaml"]);
    assert_eq!(skipped(&walk), [("docs/gen", "gitignored")]);
}

#[test]
fn a_link_in_place_of_a_folder_on_the_way_is_named() {
    let repo = Repo::new();
    repo.write("docs2/req/a.md", "");
    symlink("docs2", repo.root.join("docs")).unwrap();
    symlink("/tmp", repo.root.join("more")).unwrap();
    symlink("docs2", repo.root.join("other")).unwrap();
    let below = ["docs/req", "more/req"].map(str::to_owned).to_vec();
    let walk = walk(&repo.workspace(), &WalkOptions { below, ..WalkOptions::default() });
    assert_eq!(skipped(&walk), [("docs", "not_a_file"), ("more", "outside_workspace")]);
    assert!(walk.files.is_empty());
}

#[test]
fn single_paths_are_ignored_as_in_a_walk() {
    let repo = Repo::new();
    repo.write(".gitignore", "*.log\n/secret/\nnested/*.md\n");
    repo.write("nested/.gitignore", "!two.md\n/inner/\n");
    repo.write(".git/info/exclude", "*.tmp\n");
    repo.write("module/.git", "gitdir: elsewhere\n");
    symlink("nested", repo.root.join("link")).unwrap();
    let mut rules = repo.workspace().ignore_rules().unwrap();
    let mut check = |path: &str, expected: Option<SkipReason>| {
        assert_eq!(rules.skips(path).unwrap(), expected, "{path}");
    };
    check("a.md", None);
    check("a.log", Some(SkipReason::Gitignored));
    check("new/folder/a.log", Some(SkipReason::Gitignored));
    check("new/folder/a.md", None);
    check("secret/deep/a.md", Some(SkipReason::Gitignored));
    check("new/secret/a.md", None);
    check("nested/one.md", Some(SkipReason::Gitignored));
    check("nested/two.md", None);
    check("nested/inner/two.md", Some(SkipReason::Gitignored));
    check("a.tmp", Some(SkipReason::GitInfoExclude));
    check("module/a.md", Some(SkipReason::NestedRepository));
    check("node_modules/a.md", Some(SkipReason::HardDeny));
    check("link/one.md", None);
}

#[test]
fn a_walk_ends_at_its_bounds_and_names_what_is_left_out() {
    let repo = Repo::new();
    for n in 0..4 {
        repo.write(&format!("a/{n}"), "");
        repo.write(&format!("b/{n}"), "");
        repo.write(&format!("c/{n}"), "");
    }
    let bounds = WalkBounds { folder_entries_max: 4, ..WalkBounds::default() };
    let of = |bounds| walk(&repo.workspace(), &WalkOptions { bounds, ..WalkOptions::default() });
    assert_eq!(of(bounds).files.len(), 12);
    repo.write("b/4", "");
    let cut = of(bounds);
    assert_eq!((cut.files.len(), cut.is_cut()), (8, true));
    assert_eq!(skipped(&cut), [(".git", "hard_deny"), ("b", "too_many")]);
    // Four entries of the root, four files of `a`, two of `b`.
    let cut = of(WalkBounds { entries_max: 10, ..WalkBounds::default() });
    assert_eq!(files(&cut), ["a/0", "a/1", "a/2", "a/3", "b/0", "b/1"]);
    assert_eq!(skipped(&cut), [(".git", "hard_deny"), ("b", "too_many"), ("c", "too_many")]);
    assert_eq!(cut, of(WalkBounds { entries_max: 10, ..WalkBounds::default() }));
    repo.write("d/e/f", "");
    let of_depth = |parts_max| of(WalkBounds { parts_max, ..WalkBounds::default() });
    assert!(files(&of_depth(3)).contains(&"d/e/f"));
    assert_eq!(skipped(&of_depth(2))[1..], [("d/e", "too_many")]);
}

#[test]
fn a_folder_whose_rules_cannot_be_read_is_skipped() {
    let repo = Repo::new();
    repo.write("a/.gitignore", "#\n".repeat(100_000));
    repo.write("a/secret", "");
    repo.write("b/x", "");
    fs::create_dir(repo.root.join("b/.gitignore")).unwrap();
    repo.write("c/ignored", "ignored");
    symlink("ignored", repo.root.join("c/.gitignore")).unwrap();
    let walk = all(&repo);
    assert_eq!(files(&walk), ["b/x", "c/ignored"]);
    assert_eq!(skipped(&walk), [(".git", "hard_deny"), ("a", "too_large"), ("c/.gitignore", "not_a_file")]);
    // Many patterns are compiled, or refused.
    let many: String = (0..8000).map(|n| format!("*a{n}*b\n")).collect();
    repo.write("b/y/.gitignore", many);
    repo.write("b/y/a7b", "");
    assert!(!files(&all(&repo)).contains(&"b/y/a7b"));
}

#[test]
fn deep_folders_end_the_walk_there() {
    let repo = Repo::new();
    let deep = "d/".repeat(300);
    repo.write(&format!("{deep}x"), "");
    let walk = all(&repo);
    assert!(walk.files.is_empty());
    assert_eq!(walk.skipped[1].reason, SkipReason::TooMany);
    assert_eq!(walk.skipped[1].path, "d/".repeat(128).trim_end_matches('/'));
}

#[test]
fn files_are_read_inside_of_the_tree_only() {
    let repo = Repo::new();
    fs::write(repo.beside("secret"), "secret").unwrap();
    repo.write("a/b", "text");
    repo.write("a/zero", "te\0xt");
    repo.write("a/binary", b"\xff\xfe");
    symlink("../secret", repo.root.join("out")).unwrap();
    symlink("a", repo.root.join("in")).unwrap();
    mknodat(CWD, repo.root.join("pipe"), FileType::Fifo, Mode::RWXU, 0).unwrap();
    let sparse = fs::File::create(repo.root.join("huge")).unwrap();
    sparse.set_len(1 << 30).unwrap();
    let reader = repo.workspace().reader().unwrap();
    assert_eq!(reader.read_text("a/b", 4).unwrap(), "text");
    assert_eq!(reader.read("a/binary", 2).unwrap(), b"\xff\xfe");
    let check = |path: &str, reason: SkipReason| {
        let problem = reader.read_text(path, 1000).unwrap_err();
        assert_eq!(SkipReason::from(&problem), reason, "{path}: {problem}");
    };
    check("a/zero", SkipReason::NotText);
    check("a/binary", SkipReason::NotText);
    check("a/missing", SkipReason::Unreadable);
    check("out", SkipReason::NotAFile);
    check("pipe", SkipReason::NotAFile);
    check("a", SkipReason::NotAFile);
    check("huge", SkipReason::TooLarge);
    check("../secret", SkipReason::Unreadable);
    check("a/../../secret", SkipReason::Unreadable);
    check("/etc/passwd", SkipReason::Unreadable);
    assert!(reader.read("in/b", 10).is_err());
    // A folder that is replaced by a link after it was opened leads nowhere else.
    fs::rename(repo.root.join("a"), repo.root.join("c")).unwrap();
    symlink(repo.root.parent().unwrap(), repo.root.join("a")).unwrap();
    assert!(reader.read("a/secret", 10).is_err());
}

#[test]
fn a_folder_with_many_entries_is_listed_or_named() {
    let repo = Repo::new();
    let many = repo.root.join("many");
    fs::create_dir(&many).unwrap();
    for n in 0..100_000 {
        mknodat(CWD, many.join(n.to_string()), FileType::RegularFile, Mode::RUSR, 0).unwrap();
    }
    assert_eq!(all(&repo).files.len(), 100_000);
    fs::write(many.join("one more"), "").unwrap();
    let walk = all(&repo);
    assert!(walk.files.is_empty());
    assert_eq!(skipped(&walk), [(".git", "hard_deny"), ("many", "too_many")]);
}

#[test]
fn a_stamp_changes_with_every_step_of_git() {
    let repo = Repo::new();
    let stamp = || repo.workspace().stamp().unwrap();
    let mut last = stamp();
    assert_eq!(last, stamp());
    assert!(!last.is_busy());
    let steps: [&[&str]; 4] = [
        &["checkout", "-q", "-b", "two"],
        &["pack-refs", "--all"],
        &["add", "a"],
        &["checkout", "-q", "main"],
    ];
    repo.write("a", "");
    for step in steps {
        repo.git(step);
        assert_ne!(stamp(), last, "{step:?}");
        last = stamp();
    }
    repo.write(".git/index.lock", "");
    assert!(stamp().is_busy());
}
