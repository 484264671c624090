//! Data directories that are damaged, foreign or incomplete.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};

use crate::program::{Server, cairn, run, stderr, stdout, within};

/// A data directory with one sealed segment, and its test's folder.
fn stopped_server() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    // Each opening starts a new segment: the first one is sealed by the second opening.
    for _ in 0..2 {
        stop(Server::start(dir.path(), &["--data-dir", "data"]));
    }
    let data = dir.path().join("data");
    (dir, data)
}

/// What a server logged until its clean end.
fn stop(server: Server) -> String {
    assert!(server.get("/readyz").starts_with("HTTP/1.1 200"));
    server.signal("-TERM");
    let (code, _, log) = server.wait();
    assert_eq!(code, Some(0), "{log}");
    log
}

/// The first file whose name starts like this.
fn file(data: &Path, start: &str) -> PathBuf {
    let mut paths: Vec<PathBuf> =
        data.read_dir().expect("the directory").map(|entry| entry.expect("it").path()).collect();
    paths.sort();
    let is_it =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start));
    paths.into_iter().find(is_it).unwrap_or_else(|| panic!("no {start} in {}", data.display()))
}

fn flip(path: &Path, offset: usize) {
    let mut bytes = fs::read(path).expect("it is there");
    bytes[offset] ^= 1;
    fs::write(path, bytes).expect("it can be written");
}

#[test]
fn a_store_with_a_damaged_log_is_read_until_loss_is_accepted() {
    let (dir, data) = stopped_server();
    let segment = file(&data, "segment-");
    // Inside the first record, behind the header of the segment; and nothing else has it.
    flip(&segment, 90);
    fs::remove_file(data.join("index.redb")).expect("it is there");
    let server = Server::start(dir.path(), &["--data-dir", "data"]);
    let ready = server.get("/readyz");
    assert!(ready.starts_with("HTTP/1.1 503") && ready.contains("StoreReadOnly"), "{ready}");
    assert!(server.get("/v1/contexts").starts_with("HTTP/1.1 200"), "reads go on");
    let refused =
        run(dir.path(), &["turns", "append", "new", "--data-dir", "data", "--type", "a.B", "--text", "x"]);
    assert!(stderr(&refused).contains("read-only"), "{}", stderr(&refused));
    server.signal("-TERM");
    let (code, _, log) = server.wait();
    assert_eq!(code, Some(0), "{log}");
    let name = segment.file_name().expect("a name").to_string_lossy().into_owned();
    assert!(log.contains("the log is damaged: bytes ") && log.contains(&name), "{log}");
    assert!(log.contains("cairn salvage --to DIR") && log.contains("--accept-loss"), "{log}");
    let doctor = run(dir.path(), &["doctor", "--data-dir", "data"]);
    assert_eq!(doctor.status.code(), Some(4), "{}", stderr(&doctor));

    let log = stop(Server::start(dir.path(), &["--data-dir", "data", "--accept-loss"]));
    assert!(log.contains("loss was accepted") && log.contains(&name), "{log}");
    let log = stop(Server::start(dir.path(), &["--data-dir", "data"]));
    assert!(!log.contains("loss was accepted") && !log.contains("read-only"), "{log}");
}

#[test]
fn damage_that_the_index_covers_keeps_nothing_from_being_written() {
    let (dir, data) = stopped_server();
    flip(&file(&data, "segment-"), 90);
    for _ in 0..2 {
        let log = stop(Server::start(dir.path(), &["--data-dir", "data"]));
        assert!(log.contains("the log is damaged: bytes ") && !log.contains("read-only"), "{log}");
    }
}

#[test]
fn a_missing_or_damaged_index_is_rebuilt() {
    let (dir, data) = stopped_server();
    let index = file(&data, "index");
    fs::remove_file(&index).expect("it is there");
    let log = stop(Server::start(dir.path(), &["--data-dir", "data"]));
    assert!(log.contains("rebuilt the index"), "{log}");
    flip(&index, 20);
    let log = stop(Server::start(dir.path(), &["--data-dir", "data"]));
    assert!(log.contains("rebuilt the index"), "{log}");
    let log = stop(Server::start(dir.path(), &["--data-dir", "data"]));
    assert!(!log.contains("rebuilt the index"), "{log}");
}

#[test]
fn a_blob_that_rots_is_found_in_the_background_and_told_once() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let start = |every: &str| {
        let mut command =
            cairn(dir.path(), &["serve", "--json", "--data-dir", "data", "--http", "127.0.0.1:0"]);
        command.args(["--binary", "127.0.0.1:0"]).env("CAIRN_SCRUB_EVERY", every);
        Server::spawn(command)
    };
    let server = start("off");
    let stored = post(&server, "/v1/blobs", &vec![7; 2 << 20]);
    assert!(stored.starts_with("HTTP/1.1 201"), "{stored}");
    assert!(!server.get("/readyz").contains("scrub"), "it is off");
    stop(server);
    let blob = file(&dir.path().join("data/blobs"), "");
    let middle = fs::read(&blob).expect("it is there").len() / 2;
    flip(&blob, middle);

    let server = start("1m");
    let name = blob.file_name().expect("a name").to_string_lossy().into_owned();
    let server = within("a pass", move || {
        let is_over = |ready: &str| ready.contains(r#""damaged":{"blob":1}"#) && !ready.contains("null");
        while !is_over(&server.get("/readyz")) {
            std::thread::yield_now();
        }
        // Upkeep tells of it.
        let runs = |server: &Server| {
            let metrics = server.get("/metrics");
            let line = metrics.lines().find_map(|line| line.strip_prefix("cairn_upkeep_runs_total "));
            line.expect("it is counted").trim().parse::<u64>().expect("a number")
        };
        let before = runs(&server);
        while runs(&server) < before + 2 {
            std::thread::yield_now();
        }
        server
    });
    let ready = server.get("/readyz");
    assert!(ready.starts_with("HTTP/1.1 200"), "what is whole is served: {ready}");
    let stats = run(dir.path(), &["--data-dir", "data", "--json", "stats"]);
    let stats: serde_json::Value = serde_json::from_str(&stdout(&stats)).expect("JSON");
    let damage = stats["scrub"]["damage"][0]["file"].as_str().expect("a file");
    assert!(damage.starts_with("blobs/") && damage.ends_with(&name), "{stats}");
    assert!(server.get("/metrics").contains("cairn_scrub_damaged{kind=\"blob\"} 1"));
    let log = stop(server);
    let told: Vec<&str> =
        log.lines().filter(|line| line.contains("found damage") && line.contains(&name)).collect();
    assert_eq!(told.len(), 1, "{log}");
    assert!(told[0].contains("ERROR"), "{log}");

    // The last result is known without a server as well.
    let stats = run(dir.path(), &["--data-dir", "data", "--json", "stats"]);
    let stats: serde_json::Value = serde_json::from_str(&stdout(&stats)).expect("JSON");
    assert_eq!(
        (&stats["scrub"]["enabled"], &stats["scrub"]["last"]["found"]["blob"]),
        (&false.into(), &1.into())
    );
}

fn post(server: &Server, path: &str, body: &[u8]) -> String {
    let addr = server.addr();
    let mut stream = TcpStream::connect(addr).expect("a connection");
    let length = body.len();
    write!(stream, "POST {path} HTTP/1.1\r\nHost: {addr}\r\nContent-Length: {length}\r\n")
        .expect("a request");
    stream.write_all(b"Connection: close\r\n\r\n").expect("a request");
    stream.write_all(body).expect("a body");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

#[test]
fn a_damaged_manifest_is_refused_and_accepting_loss_does_not_help() {
    let (dir, data) = stopped_server();
    flip(&data.join("MANIFEST"), 20);
    for flags in [&[][..], &["--accept-loss"]] {
        let arguments = [&["serve", "--data-dir", "data", "--http", "127.0.0.1:0"], flags].concat();
        let refused = run(dir.path(), &arguments);
        assert_eq!(refused.status.code(), Some(4), "{}", stderr(&refused));
        assert!(stderr(&refused).contains("MANIFEST"), "{}", stderr(&refused));
        assert_eq!(
            stderr(&refused).contains("restore a backup, or"),
            flags.is_empty(),
            "{}",
            stderr(&refused)
        );
    }
}

#[test]
fn the_doctor_diagnoses_a_store_that_does_not_open() {
    let (dir, data) = stopped_server();
    flip(&data.join("MANIFEST"), 20);
    let segment = file(&data, "segment-");
    flip(&segment, 90);
    let doctor = run(dir.path(), &["doctor", "--data-dir", "data"]);
    assert_eq!(doctor.status.code(), Some(4), "{}", stderr(&doctor));
    let said = String::from_utf8_lossy(&doctor.stdout).into_owned();
    let name = segment.file_name().expect("a name").to_string_lossy().into_owned();
    assert!(said.contains("MANIFEST at byte 0") && said.contains(&format!("{name} at byte 64")), "{said}");
    assert!(said.contains("transactions"), "it says how much can be read: {said}");
    assert!(stderr(&doctor).contains("cairn salvage --to DIR"), "{}", stderr(&doctor));
}

#[test]
fn a_folder_of_somebody_else_is_left_alone() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join("letter.txt"), "dear").expect("a file");
    let refused = run(dir.path(), &["serve", "--data-dir", ".", "--http", "127.0.0.1:0"]);
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("is no data directory of cairn"), "{}", stderr(&refused));
    assert_eq!(dir.path().read_dir().expect("the folder").count(), 1);
}

#[test]
fn a_data_directory_that_is_a_file_is_named() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join("data"), "").expect("a file");
    let refused = run(dir.path(), &["serve", "--data-dir", "data", "--http", "127.0.0.1:0"]);
    assert_eq!(refused.status.code(), Some(1), "{}", stderr(&refused));
    assert!(
        stderr(&refused).contains("error: could not make ") && stderr(&refused).contains("data"),
        "{refused:?}"
    );
}

#[test]
fn a_newer_format_is_refused_untouched_by_every_command() {
    let (dir, data) = stopped_server();
    let manifest = data.join("MANIFEST");
    let text = fs::read_to_string(&manifest).expect("it is there");
    let (first, rest) = text.split_once('\n').expect("lines");
    let (words, _) = first.rsplit_once(' ').expect("a number at its end");
    let newer = format!("{words} 4000000000\n{rest}");
    fs::write(&manifest, &newer).expect("it can be written");
    for command in [
        &["serve", "--http", "127.0.0.1:0"][..],
        &["serve", "--http", "127.0.0.1:0", "--accept-loss"],
        &["stats"],
        &["doctor", "--repair"],
        &["backup", "file"],
    ] {
        let refused = run(dir.path(), &[&["--data-dir", "data"], command].concat());
        assert_eq!(refused.status.code(), Some(4), "{command:?}: {}", stderr(&refused));
        let said = stderr(&refused);
        assert!(said.contains("has format 4000000000; this cairn reads up to format "), "{said}");
        assert!(said.contains("\nhint: use the newer cairn"), "{said}");
        assert_eq!(fs::read_to_string(&manifest).expect("it is there"), newer, "{command:?}");
    }
    assert!(!dir.path().join("file").exists());
}
