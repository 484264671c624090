//! Moving turns from one store to another.

use std::io::{BufWriter, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::thread;
use std::time::Instant;
use std::{fs, io};

use anyhow::{Context, Result, ensure};

use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::scratch::Scratch;
use crate::turns::million::fill;
use crate::turns::server::Server;

const CONTEXTS: u64 = 1000;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "moving")?;
    let turns = setting.pick(500_000, 20_000);
    let server = Server::start(&dir.path().join("from"))?;
    fill(&server, CONTEXTS, turns)?;
    let file = dir.path().join("turns.ndjson");
    let began = Instant::now();
    export(server.http, &file)?;
    let seconds = began.elapsed().as_secs_f64();
    let (_, most) = server.memory_mib()?;
    server.stop()?;
    let lines = fs::read_to_string(&file)?.lines().filter(|line| line.contains("\"turn\"")).count() as u64;
    ensure!(lines >= turns, "{lines} of {turns} turns were exported");
    report.add(
        Figure::new("export", turns as f64 / seconds, Unit::PerSecond)
            .target(Target::AtLeast(50_000.0))
            .beside(format!("{turns} turns of 1 KiB; the server takes {most:.0} MiB")),
    );

    let server = Server::start(&dir.path().join("to"))?;
    let began = Instant::now();
    import(server.http, &file)?;
    let seconds = began.elapsed().as_secs_f64();
    let (_, most) = server.memory_mib()?;
    server.stop()?;
    report.add(
        Figure::new("import", turns as f64 / seconds, Unit::PerSecond)
            .target(Target::AtLeast(20_000.0))
            .beside(format!("everything durable; the server takes {most:.0} MiB")),
    );
    Ok(())
}

fn export(addr: SocketAddr, file: &Path) -> Result<()> {
    let mut stream = TcpStream::connect(addr)?;
    stream.write_all(b"GET /v1/export HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
    let mut out = BufWriter::with_capacity(1 << 20, fs::File::create(file)?);
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    let head = String::from_utf8(head)?;
    ensure!(head.starts_with("HTTP/1.1 200"), "an error: {head}");
    ensure!(head.contains("chunked"), "an answer that is not in chunks: {head}");
    let mut chunks = io::BufReader::with_capacity(1 << 20, stream);
    loop {
        let mut line = String::new();
        io::BufRead::read_line(&mut chunks, &mut line)?;
        let length = u64::from_str_radix(line.trim(), 16).context("a chunk without a length")?;
        io::copy(&mut (&mut chunks).take(length), &mut out)?;
        io::BufRead::read_line(&mut chunks, &mut line)?;
        if length == 0 {
            break;
        }
    }
    Ok(out.flush()?)
}

fn import(addr: SocketAddr, file: &Path) -> Result<()> {
    let mut stream = TcpStream::connect(addr)?;
    let bytes = fs::metadata(file)?.len();
    let head = format!(
        "POST /v1/import?import_id=bench HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-ndjson\r\n\
         content-length: {bytes}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    let mut reading = stream.try_clone()?;
    // Progress is told while the body is sent.
    let answer = thread::spawn(move || -> io::Result<String> {
        let mut answer = String::new();
        reading.read_to_string(&mut answer)?;
        Ok(answer)
    });
    io::copy(&mut fs::File::open(file)?, &mut stream)?;
    let answer = answer.join().expect("reading an answer does not panic")?;
    ensure!(answer.starts_with("HTTP/1.1 200") && !answer.contains("\"error\""), "an error: {answer}");
    Ok(())
}
