//! A large repository whose branches are switched while others upsert: no upsert lands on a wrong branch.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use serde_json::{Value, json};

use crate::program::Server;
use crate::project::{Project, ids, said};

const BRANCHES: usize = 40;
const COMMITS: usize = 2_000;
const WRITERS: usize = 6;
/// Upserts of one writer, a process each.
const EACH: usize = 20;
/// Upserts between two switches.
const PACE: usize = 2;

fn name(branch: usize) -> String {
    if branch.is_multiple_of(2) { format!("feature/{branch:02}") } else { format!("fix-{branch:02}") }
}

/// Every branch is a line of commits of its own from the first one.
fn generate(project: &Project) {
    let mut script = String::new();
    let mut commit = |branch: &str, number: usize, from: Option<&str>| {
        let (text, file) = (format!("{number}\n"), format!("file-{}", number % 7));
        let message = format!("commit {number}");
        let _ = writeln!(script, "commit refs/heads/{branch}");
        let _ = writeln!(script, "committer Ada <ada@example.org> {} +0000", 1_700_000_000 + number);
        let _ = writeln!(script, "data {}\n{message}", message.len());
        if let Some(from) = from {
            let _ = writeln!(script, "from {from}");
        }
        let _ = writeln!(script, "M 100644 inline {file}\ndata {}\n{text}", text.len());
    };
    commit("main", 0, None);
    let branches: Vec<String> = (1..BRANCHES).map(name).collect();
    for number in 1..COMMITS {
        let branch = &branches[(number - 1) % branches.len()];
        commit(branch, number, (number <= branches.len()).then_some("refs/heads/main"));
    }
    let mut import = project.git_command(&["fast-import", "--quiet"]);
    let mut import = import.stdin(Stdio::piped()).spawn().expect("git is there");
    import.stdin.take().expect("it is piped").write_all(script.as_bytes()).expect("it reads");
    assert!(import.wait().expect("it ends").success());
    project.git(&["reset", "-q", "--hard", "main"]);
    assert_eq!(project.git(&["rev-list", "--all", "--count"]), COMMITS.to_string());
    project.git(&["pack-refs", "--all"]);
}

/// The number of the space in which something was stored.
fn space(snapshot_id: &Value) -> String {
    let text = snapshot_id.as_str().expect("a text");
    text.split('.').next().expect("a number").to_owned()
}

/// One upsert: the switches that were begun before it ended, of those the ones that were done when it began, and the
/// space in which it was stored.
struct Upsert {
    id: String,
    done_before: usize,
    begun_after: usize,
    space: String,
}

#[test]
fn no_upsert_lands_on_a_wrong_branch_while_branches_are_switched() {
    let project = Project::plain();
    project.git(&["init", "-q", "-b", "main"]);
    generate(&project);
    let data = project.root.join(".cairn");
    // A server that logs no requests: nobody reads what it prints.
    let mut command = project.command(&project.root, &["serve", "--json", "--http", "127.0.0.1:0"]);
    command.env("CAIRN_LOG_LEVEL", "warn").env("CAIRN_DATA_DIR", &data);
    let _server = Server::spawn(command);
    // All of them begin empty, so that an entity is on one branch and not on copies of it.
    project.said(&["kb", "init"]);
    let order: Vec<String> =
        (1..=WRITERS * EACH / PACE).map(|turn| name(1 + turn * 7 % (BRANCHES - 1))).collect();
    for branch in 1..BRANCHES {
        project.said(&["kb", "branch", "create", &name(branch), "--from", "main"]);
    }
    let list = project.json(&["kb", "branch", "list"]);
    let list = list["branches"].as_array().expect("branches");
    assert_eq!(list.len(), BRANCHES);
    let spaces: BTreeMap<String, String> = list
        .iter()
        .map(|branch| (space(&branch["snapshotId"]), branch["branch"].as_str().expect("a name").to_owned()))
        .collect();
    assert_eq!(spaces.len(), BRANCHES);

    let (begun, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let (tell, told) = mpsc::channel::<()>();
    let upserts: Vec<Upsert> = thread::scope(|scope| {
        let (project, order, begun, done) = (&project, &order, &begun, &done);
        scope.spawn(move || {
            for branch in order {
                if told.iter().take(PACE).count() < PACE {
                    return;
                }
                begun.fetch_add(1, Ordering::SeqCst);
                project.git(&["switch", "-q", branch]);
                done.fetch_add(1, Ordering::SeqCst);
            }
        });
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let tell = tell.clone();
                scope.spawn(move || {
                    let upsert = |number: usize| {
                        let id = format!("REQ-{writer}-{number}");
                        let done_before = done.load(Ordering::SeqCst);
                        let seen = done_before.checked_sub(1).map_or("main", |last| order[last].as_str());
                        let arguments = [
                            "kb", "upsert", "req", &id, "--title", "T", "--status", "open", "--tag", seen,
                            "--json",
                        ];
                        let text = said(&mut project.command(&project.root, &arguments));
                        let begun_after = begun.load(Ordering::SeqCst);
                        // Nobody switches any more when all switches are done.
                        let _ = tell.send(());
                        let said: Value = serde_json::from_str(&text).expect("JSON");
                        Upsert { id, done_before, begun_after, space: space(&said["snapshotId"]) }
                    };
                    (0..EACH).map(upsert).collect::<Vec<_>>()
                })
            })
            .collect();
        drop(tell);
        writers.into_iter().flat_map(|writer| writer.join().expect("every upsert is stored")).collect()
    });

    // The branch of each is one that was checked out while it ran.
    let mut expected: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut undisturbed = 0;
    for Upsert { id, done_before, begun_after, space } in upserts {
        let branch = &spaces[&space];
        let checked_out: Vec<&str> = (done_before..=begun_after)
            .map(|switches| switches.checked_sub(1).map_or("main", |last| order[last].as_str()))
            .collect();
        assert!(
            checked_out.contains(&branch.as_str()),
            "{id} is on {branch}, and not on any of {checked_out:?}"
        );
        undisturbed += usize::from(done_before == begun_after);
        expected.entry(branch.clone()).or_default().push(id);
    }
    assert!(expected.len() > BRANCHES / 4, "it was switched: {}", expected.len());
    for branch in spaces.values() {
        let mut expected = expected.remove(branch).unwrap_or_default();
        expected.sort();
        let page = project.json(&["kb", "query", "--limit", "1000", "--branch", branch]);
        assert_eq!(ids(&page), expected, "{branch}, {undisturbed} undisturbed");
    }
    assert_eq!(project.json(&["kb", "gc"])["gone"], json!([]), "git has all of them");
}
