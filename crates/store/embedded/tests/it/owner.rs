//! Who owns a data directory, with real processes: the test runs itself as the other one.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;

use cairn_base::{Position, TenantId};
use cairn_embedded::{EmbeddedOptions, EmbeddedStore};
use cairn_seam::{Blob, Keyspace, Store, StoreError, get, write};

const ROLE: &str = "CAIRN_TEST_STORE_DIR";
const PAIRS: Keyspace = Keyspace::new(1, "pairs");
const TENANT: TenantId = TenantId(1);
const WRITERS: u32 = 4;
const ROUNDS: u32 = 10;

fn key(side: u8, writer: u32, count: u32) -> Vec<u8> {
    [&TENANT.0.to_be_bytes()[..], &[side], &writer.to_be_bytes(), &count.to_be_bytes()].concat()
}

fn blob(writer: u32, count: u32) -> Blob {
    Blob::new(format!("blob {writer} {count} ").repeat(40).into_bytes()).unwrap()
}

/// A child process that runs only the test below, as the writer.
fn spawn_writer(dir: &std::path::Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "owner::the_other_process", "--nocapture", "--test-threads=1"])
        .env(ROLE, dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Not a test of its own: what the child does. Writes until it is killed, and says what was
/// acknowledged.
#[test]
fn the_other_process() {
    let Some(dir) = std::env::var_os(ROLE) else { return };
    let options =
        EmbeddedOptions { segment_bytes: 256 << 10, reserve_bytes: 0, ..EmbeddedOptions::default() };
    let store = Arc::new(EmbeddedStore::open(dir.as_ref(), options).unwrap());
    let start = std::fs::read_to_string(std::path::Path::new(&dir).join("../start")).unwrap();
    let start: u32 = start.parse().unwrap();
    println!("\nready");
    for writer in 0..WRITERS {
        let store = Arc::clone(&store);
        thread::spawn(move || {
            for count in start.. {
                let blob = blob(writer, count);
                let wrote = write(&*store, TENANT, move |tx| {
                    tx.put(PAIRS, &key(1, writer, count), b"left")?;
                    tx.put_blob(&blob)?;
                    tx.put(PAIRS, &key(2, writer, count), b"right")?;
                    Ok::<_, StoreError>(())
                });
                wrote.unwrap();
                // One write per line, so that a kill cannot mix lines.
                let _ = std::io::stdout().write_all(format!("ack {writer} {count}\n").as_bytes());
            }
        });
    }
    // Ends with the parent, if the parent does not end it before.
    let _ = std::io::stdin().read(&mut [0]);
    std::process::exit(0);
}

#[test]
fn no_acknowledged_write_is_lost_by_kill_9_and_two_processes_never_own_one_directory() {
    let temporary = tempfile::tempdir().unwrap();
    let dir = temporary.path().join("store");
    let mut acknowledged = vec![Vec::new(); WRITERS as usize];
    let mut next = 0;
    for round in 0..ROUNDS {
        std::fs::write(temporary.path().join("start"), next.to_string()).unwrap();
        let mut child = spawn_writer(&dir);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        while lines.next().expect("the child starts").unwrap() != "ready" {}
        let error = EmbeddedStore::open(&dir, EmbeddedOptions::default()).map(drop).unwrap_err();
        let owner = format!("process {}", child.id());
        assert!(matches!(&error, StoreError::Locked { owner: named, .. } if *named == owner), "{error}");
        // A different number of acknowledgements each round, so that the kill hits different moments.
        for line in lines.by_ref().take(40 + 37 * round as usize) {
            note(&line.unwrap(), &mut acknowledged);
        }
        child.kill().unwrap();
        child.wait().unwrap();
        lines.map_while(Result::ok).for_each(|line| note(&line, &mut acknowledged));
        next = check(&dir, &acknowledged);
    }
}

fn note(line: &str, acknowledged: &mut [Vec<u32>]) {
    let mut words = line.split(' ');
    if words.next() == Some("ack")
        && let (Some(writer), Some(count)) = (words.next(), words.next())
        && let (Ok(writer), Ok(count)) = (writer.parse::<usize>(), count.parse())
    {
        acknowledged[writer].push(count);
    }
}

/// Checks every acknowledged pair and its blob, and that no pair is half there; says where to go on.
fn check(dir: &std::path::Path, acknowledged: &[Vec<u32>]) -> u32 {
    let store = EmbeddedStore::open(dir, EmbeddedOptions::default()).unwrap();
    let snapshot = store.snapshot(Position::START).unwrap();
    let mut last = 0;
    for (writer, counts) in (0..).zip(acknowledged) {
        for count in counts {
            let sides =
                [1, 2].map(|side| get(&*snapshot, PAIRS, &key(side, writer, *count)).unwrap().is_some());
            assert_eq!(sides, [true, true], "writer {writer}, count {count}");
            let blob = blob(writer, *count);
            snapshot.blobs(TENANT, &[blob.hash()], &mut |_, found| assert_eq!(found, blob.bytes())).unwrap();
        }
        let most = counts.iter().max().copied().unwrap_or(0);
        for count in most..most + 3 {
            let sides =
                [1, 2].map(|side| get(&*snapshot, PAIRS, &key(side, writer, count)).unwrap().is_some());
            assert_eq!(sides[0], sides[1], "writer {writer}, count {count} is half there");
        }
        last = last.max(most);
    }
    last + 10
}
