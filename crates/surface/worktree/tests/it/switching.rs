//! Reading while branches are switched.

use std::fmt::Write as _;
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use cairn_worktree::BranchSource;

use crate::repo::{Repo, git_with_input};

const BRANCHES: usize = 40;
const COMMITS_OF_BRANCH: usize = 50;

fn name(n: usize) -> String {
    let n = n % BRANCHES;
    if n.is_multiple_of(3) { format!("team/{n}/work") } else { format!("branch-{n}") }
}

/// A repository of 40 branches and 2,000 commits.
fn generated() -> Repo {
    let repo = Repo::empty();
    let mut stream = String::new();
    for n in 0..BRANCHES {
        for commit in 0..COMMITS_OF_BRANCH {
            let data = format!("{n} {commit}\n");
            write!(
                stream,
                "commit refs/heads/{}\ncommitter a <a@example.org> {} +0000\ndata 1\nx\nM 644 inline f\ndata {}\n{data}\n",
                name(n),
                1_700_000_000 + n * 1000 + commit,
                data.len(),
            )
            .unwrap();
        }
    }
    git_with_input(&repo.root, &["fast-import", "--quiet"], stream.as_bytes());
    repo.git(&["checkout", "-q", &name(0)]);
    repo
}

/// Calls `switch` with 1 to `count` while other threads read; each must see a branch that was checked out during its
/// call: the one of the last switch that had ended before, or of one that had begun since.
fn check(repo: &Repo, count: usize, switch: impl Fn(usize)) {
    let (begun, ended, done) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
    let read = || {
        let workspace = repo.workspace();
        let mut reads = 0_usize;
        while !done.load(Ordering::SeqCst) || reads == 0 {
            let first = ended.load(Ordering::SeqCst);
            let active = workspace.branch().unwrap();
            let last = begun.load(Ordering::SeqCst);
            assert_eq!(active.source, BranchSource::Head);
            let was_there = (first..=last).any(|n| name(n) == active.branch.as_str());
            assert!(was_there, "{} between {first} and {last}", active.branch);
            reads += 1;
        }
    };
    thread::scope(|scope| {
        let readers = [scope.spawn(read), scope.spawn(read)];
        for n in 1..=count {
            begun.store(n, Ordering::SeqCst);
            switch(n);
            ended.store(n, Ordering::SeqCst);
        }
        done.store(true, Ordering::SeqCst);
        readers.into_iter().for_each(|reader| reader.join().unwrap());
    });
}

#[test]
fn each_read_sees_a_branch_that_git_had_checked_out() {
    let repo = generated();
    assert_eq!(repo.git(&["rev-list", "--all", "--count"]), "2000");
    assert_eq!(repo.names().len(), BRANCHES);
    check(&repo, 120, |n| {
        repo.git(&["switch", "-q", &name(n)]);
        match n % 20 {
            5 => repo.commit(),
            15 => drop(repo.git(&["pack-refs", "--all", "--prune"])),
            _ => {}
        }
    });
    assert_eq!(repo.names().len(), BRANCHES);
}

#[test]
fn each_read_sees_a_whole_head_while_it_is_replaced() {
    let repo = Repo::empty();
    let write = |n: usize| {
        repo.write(".git/HEAD.lock", format!("ref: refs/heads/{}\n", name(n)));
        fs::rename(repo.root.join(".git/HEAD.lock"), repo.root.join(".git/HEAD")).unwrap();
    };
    write(0);
    check(&repo, 5_000, write);
}

#[test]
fn the_list_is_whole_while_refs_are_packed() {
    let repo = generated();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let workspace = repo.workspace();
            let mut reads = 0_usize;
            while !done.load(Ordering::SeqCst) || reads == 0 {
                assert_eq!(workspace.branches().unwrap().len(), BRANCHES);
                reads += 1;
            }
        });
        for n in 0..20 {
            repo.git(&["pack-refs", "--all", "--prune"]);
            repo.git(&["update-ref", &format!("refs/heads/{}", name(n)), &name(n + 1)]);
        }
        done.store(true, Ordering::SeqCst);
        reader.join().unwrap();
    });
}
