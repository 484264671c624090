//! Blobs of 63 MiB and 1 GiB, streamed in and out: how fast, and in how much memory.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cairn_base::ContentHash;
use cairn_seam::{Store, StoreError, write};

use super::{TENANT, open};
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::random::Random;
use crate::resident;
use crate::scratch::Scratch;

const PIECE: usize = 256 << 10;
/// Reads at other places than one after the other.
const RANGES: u64 = 2000;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    for mib in setting.pick([63_u64, 1024], [2, 63]) {
        let dir = Scratch::named(&setting.dir, "large")?;
        let program = std::env::current_exe().context("finding this program")?;
        let output = Command::new(program)
            .args(["child", "large"])
            .arg(dir.path())
            .arg((mib << 20).to_string())
            .output()?;
        ensure!(output.status.success(), "it failed: {}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).context("it prints numbers")?;
        let figures: Vec<f64> =
            text.split_whitespace().map(|word| Ok(word.parse()?)).collect::<Result<_>>()?;
        let [before, most, up, down, range] = figures[..] else { anyhow::bail!("it printed {text}") };
        report.add(
            Figure::new(format!("memory for a blob of {mib} MiB"), most - before, Unit::Mebibytes)
                .target(Target::Below(64.0))
                .beside(format!("{before:.0} MiB before, {most:.0} MiB at most")),
        );
        report.add(
            Figure::new(format!("upload of {mib} MiB"), up, Unit::MegabytesPerSecond)
                .beside(format!("read back at {down:.0} MB/s, {range:.0} µs for 4 KiB anywhere")),
        );
    }
    Ok(())
}

/// Streams a blob in and out and prints memory before and at most, and rates.
pub(crate) fn stream(dir: &Path, bytes: u64) -> Result<()> {
    let store = open(&dir.join("store"), false)?;
    // So that what a store needs anyway is not counted as the blob's.
    super::put(&store, 1, 1 << 10)?;
    let before = resident::most_mib()?;
    let began = Instant::now();
    let mut upload = store.upload(TENANT)?;
    for number in 0..bytes / PIECE as u64 {
        upload.write(&piece(number))?;
    }
    let blob = upload.finish()?;
    let hash = blob.hash();
    write::<_, StoreError>(&store, TENANT, move |tx| tx.put_blob(&blob))?;
    let up = rate(bytes, began);
    let began = Instant::now();
    read_all(&store, &hash, bytes)?;
    let down = rate(bytes, began);
    let began = Instant::now();
    read_ranges(&store, &hash, bytes)?;
    let range = began.elapsed().as_secs_f64() * 1e6 / RANGES as f64;
    println!("{before} {} {up} {down} {range}", resident::most_mib()?);
    store.close()?;
    Ok(())
}

fn piece(number: u64) -> Vec<u8> {
    Random::new(number).bytes(PIECE)
}

fn rate(bytes: u64, began: Instant) -> f64 {
    bytes as f64 / began.elapsed().as_secs_f64() / 1e6
}

fn read_all(store: &dyn Store, hash: &ContentHash, bytes: u64) -> Result<()> {
    let reader = store.open_blob(TENANT, hash)?.context("it is there")?;
    ensure!(reader.len() == bytes, "it has {} bytes", reader.len());
    let mut buffer = vec![0; PIECE];
    for number in 0..bytes / PIECE as u64 {
        ensure!(reader.read_at(number * PIECE as u64, &mut buffer)? == PIECE, "it ends early");
        ensure!(buffer == piece(number), "piece {number} is another one");
    }
    Ok(())
}

fn read_ranges(store: &dyn Store, hash: &ContentHash, bytes: u64) -> Result<()> {
    let reader = store.open_blob(TENANT, hash)?.context("it is there")?;
    let mut random = Random::new(1);
    let mut buffer = vec![0; 4096];
    for _ in 0..RANGES {
        ensure!(reader.read_at(random.below(bytes - 4096), &mut buffer)? == 4096, "it ends early");
    }
    Ok(())
}
