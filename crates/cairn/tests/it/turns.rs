//! Turns over the binary protocol of a real server.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::program::Server;

/// Sends a frame and reads the answer's type and body.
pub(crate) fn ask(stream: &mut TcpStream, kind: u16, body: &[u8]) -> (u16, Vec<u8>) {
    let mut frame = u32::try_from(body.len()).expect("short").to_le_bytes().to_vec();
    frame.extend(kind.to_le_bytes());
    frame.extend([0; 10]);
    frame.extend(body);
    stream.write_all(&frame).expect("the server reads");
    let mut header = [0; 16];
    stream.read_exact(&mut header).expect("the server answers");
    let [l0, l1, l2, l3, k0, k1, ..] = header;
    let mut body = vec![0; u32::from_le_bytes([l0, l1, l2, l3]) as usize];
    stream.read_exact(&mut body).expect("all of it");
    (u16::from_le_bytes([k0, k1]), body)
}

pub(crate) fn connect(server: &Server) -> TcpStream {
    let addr = server.endpoints["binary"].as_str().expect("it says where it listens");
    let stream = TcpStream::connect(addr).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(300))).expect("a timeout");
    stream
}

/// An append of a payload to context 1.
pub(crate) fn append(payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("short").to_le_bytes();
    let mut body = 1_u64.to_le_bytes().to_vec();
    body.extend([0; 8]);
    body.extend(1_u32.to_le_bytes());
    body.extend(b"t");
    body.extend([1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
    body.extend(length);
    body.extend(cairn_base::ContentHash::of(payload).as_bytes());
    body.extend(length);
    body.extend(payload);
    body.extend([0; 4]);
    body
}

#[test]
fn acknowledged_turns_are_there_after_kill_9() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let server = Server::start(dir.path(), &["--data-dir", "data"]);
    let mut stream = connect(&server);
    assert_eq!(ask(&mut stream, 2, &[0; 8]).1[..8], 1_u64.to_le_bytes());
    for number in 0..100_u8 {
        let (kind, body) = ask(&mut stream, 5, &append(&[number; 100]));
        assert_eq!((kind, &body[8..16]), (5, &(u64::from(number) + 1).to_le_bytes()[..]));
    }
    server.kill();

    let server = Server::start(dir.path(), &["--data-dir", "data"]);
    let mut stream = connect(&server);
    let (kind, head) = ask(&mut stream, 4, &1_u64.to_le_bytes());
    assert_eq!((kind, &head[8..16]), (4, &100_u64.to_le_bytes()[..]));
    let window = [&1_u64.to_le_bytes()[..], &1000_u32.to_le_bytes(), &1_u32.to_le_bytes()].concat();
    let (kind, turns) = ask(&mut stream, 6, &window);
    assert_eq!((kind, &turns[..4]), (6, &100_u32.to_le_bytes()[..]));
    assert!(turns.ends_with(&[99; 100]));
    // Numbers go on where they were.
    let (_, body) = ask(&mut stream, 5, &append(b"next"));
    assert_eq!(body[8..16], 101_u64.to_le_bytes());
}

/// The most memory that a server ever had, in MiB.
fn most_memory_mib(server: &Server) -> u64 {
    let path = format!("/proc/{}/status", server.endpoints["pid"]);
    let status = std::fs::read_to_string(path).expect("Linux says");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("it has memory");
    line.trim().trim_end_matches("kB").trim().parse::<u64>().expect("a number") / 1024
}

/// Streams that want to be hundreds of MiB, and lengths that lie: nobody gets memory for them.
#[test]
#[cfg(target_os = "linux")]
fn memory_stays_flat_whatever_is_sent() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let server = Server::start(dir.path(), &["--data-dir", "data"]);
    let mut stream = connect(&server);
    ask(&mut stream, 2, &[0; 8]);
    ask(&mut stream, 5, &append(b"to warm up"));
    let before = most_memory_mib(&server);
    let bomb = zstd::bulk::compress(&vec![0; 256 << 20], 1).expect("zeroes shrink");
    for said in [1_u32, 1000, 60 << 20, 63 << 20, u32::MAX] {
        for _ in 0..20 {
            let mut body = append(&bomb);
            // Behind the type: version, encoding, compression, length.
            body[16 + 4 + 1 + 8..16 + 4 + 1 + 12].copy_from_slice(&1_u32.to_le_bytes());
            body[16 + 4 + 1 + 12..16 + 4 + 1 + 16].copy_from_slice(&said.to_le_bytes());
            let (kind, body) = ask(&mut stream, 5, &body);
            assert_eq!(kind, 255, "{}", String::from_utf8_lossy(&body));
        }
    }
    for at in [16, 25 + 12 + 32] {
        let mut body = append(b"short");
        body[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(ask(&mut stream, 5, &body).0, 255);
    }
    assert_eq!(ask(&mut stream, 5, &append(b"and on it goes")).0, 5);
    let grown = most_memory_mib(&server) - before;
    assert!(grown < 160, "{grown} MiB more than before");
}
