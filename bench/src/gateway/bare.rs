//! What anybody could do on this machine: a server that answers fixed bytes after a fixed amount of
//! arithmetic, with a thread for each connection, and nothing else.

use std::hint::black_box;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use anyhow::Result;

use crate::random::mix;

/// What one answer takes of a processor, and how long it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answers {
    pub(crate) busy_us: u64,
    pub(crate) bytes: usize,
}

/// Serves until its standard input ends.
pub(crate) fn serve(answers: Answers) -> Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let addr = listener.local_addr()?;
    let rounds = (rounds_per_us() * answers.busy_us as f64) as u64;
    println!("{addr} {addr}");
    let answer: Arc<[u8]> = page(answers.bytes).into();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let answer = Arc::clone(&answer);
            thread::spawn(move || answer_all(stream, rounds, &answer));
        }
    });
    std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink())?;
    Ok(())
}

/// Each request is one read: they are short, and one at a time.
fn answer_all(mut stream: TcpStream, rounds: u64, answer: &[u8]) {
    let mut request = [0; 4096];
    let _ = stream.set_nodelay(true);
    while stream.read(&mut request).is_ok_and(|bytes| bytes > 0) {
        work(rounds);
        if stream.write_all(answer).is_err() {
            return;
        }
    }
}

fn page(bytes: usize) -> Vec<u8> {
    let mut page = format!("HTTP/1.1 200 OK\r\ncontent-length: {bytes}\r\n\r\n").into_bytes();
    page.resize(page.len() + bytes, b'a');
    page
}

fn work(rounds: u64) {
    let mut number = 1;
    for _ in 0..rounds {
        number = mix(black_box(number));
    }
    black_box(number);
}

/// How much arithmetic fits into a microsecond when nobody disturbs it.
fn rounds_per_us() -> f64 {
    const ROUNDS: u64 = 100_000;
    let best = (0..50).map(|_| {
        let began = Instant::now();
        work(ROUNDS);
        began.elapsed().as_secs_f64() * 1e6
    });
    ROUNDS as f64 / best.fold(f64::MAX, f64::min)
}
