//! 64 KiB blobs against a raw file that is written and synced in the same way.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use cairn_base::Position;
use cairn_seam::Store;

use super::{KIB_64, TENANT, next_number, noise, open, put};
use crate::drive;
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::scratch::Scratch;
use crate::spread::median;

/// Enough writers that every sync carries several blobs.
const PRODUCERS: u32 = 16;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "durable")?;
    let store = open(&dir.path().join("store"), false)?;
    let (warm_up, measured) = setting.pick((500, 3000), (100, 300));
    let (warm_up, measured) = (Duration::from_millis(warm_up), Duration::from_millis(measured));
    let hashes = Mutex::new(Vec::new());
    let (mut cairns, mut raws) = (Vec::new(), Vec::new());
    for round in 0..setting.pick(5, 1) {
        raws.push(raw(&dir.path().join(format!("raw-{round}")), measured)?);
        let done = drive::flat_out(PRODUCERS, warm_up, measured, &|_, _| {
            let hash = put(&store, next_number(), KIB_64)?;
            hashes.lock().expect("nobody panicked").push(hash);
            Ok(())
        })?;
        cairns.push(done.rate * KIB_64 as f64 / 1e6);
    }
    let (cairn, raw) = (median(cairns), median(raws));
    report.add(
        Figure::new("64 KiB blobs, share of raw sequential write", cairn / raw, Unit::Ratio)
            .target(Target::AtLeast(0.6))
            .beside(format!("{cairn:.0} MB/s against {raw:.0} MB/s, making the blobs included")),
    );
    let hashes = hashes.into_inner()?;
    let hot = &hashes[hashes.len() - hashes.len().min(1000)..];
    let began = Instant::now();
    let (mut bytes, mut rounds) = (0_u64, 0);
    while rounds < 2 || began.elapsed() < measured {
        let snapshot = store.snapshot(Position::START)?;
        for hashes in hot.chunks(50) {
            snapshot.blobs(TENANT, hashes, &mut |_, found| bytes += found.map_or(0, <[u8]>::len) as u64)?;
        }
        rounds += 1;
    }
    ensure!(bytes == rounds * hot.len() as u64 * KIB_64 as u64, "a blob is missing");
    let rate = bytes as f64 / began.elapsed().as_secs_f64() / 1e6;
    report.add(
        Figure::new("hot reads of 64 KiB blobs, one thread", rate, Unit::MegabytesPerSecond)
            .target(Target::AtLeast(1000.0))
            .beside("each verified against checksum and hash"),
    );
    store.close()?;
    Ok(())
}

/// A file written from front to back in pieces of 1 MiB, each synced, its blocks made by writing.
fn raw(path: &std::path::Path, measured: Duration) -> Result<f64> {
    let file = File::create(path)?;
    let piece = noise(1, 1 << 20);
    let began = Instant::now();
    let mut at = 0;
    while began.elapsed() < measured {
        file.write_all_at(&piece, at)?;
        file.sync_data()?;
        at += piece.len() as u64;
    }
    let rate = at as f64 / began.elapsed().as_secs_f64() / 1e6;
    std::fs::remove_file(path)?;
    Ok(rate)
}
