//! Memory of a store with a log of 20 GB, while it is written and after it is opened again, and its parts.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use anyhow::{Context, Result, ensure};
use cairn_base::fs::{FileSystem, SystemFs};
use cairn_embedded::{EmbeddedStore, MemoryParts};
use cairn_seam::{Blob, Keyspace, Store, StoreError, write};

use super::{TENANT, noise, open};
use crate::figure::{Figure, Report, Unit, mib};
use crate::measure::Setting;
use crate::resident;
use crate::scratch::Scratch;

const RECORDS: Keyspace = Keyspace::new(905, "bench-memory");
const BLOB_BYTES: u64 = 256 << 10;
/// Small records with each blob.
const RECORDS_EACH: u64 = 8;
const PRODUCERS: u32 = 8;
/// More than the log: the index, the segment being prepared, and what stays free.
const ROOM_BYTES: u64 = 3 << 30;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let bytes: u64 = setting.pick(20_000_000_000, 500_000_000);
    let free = SystemFs.free_bytes(&setting.dir)?;
    ensure!(free > bytes + ROOM_BYTES, "{} GB are free, which is too little", free / 1_000_000_000);
    // Removed when it goes out of scope, also when something fails.
    let dir = Scratch::named(&setting.dir, "memory")?;
    let store = dir.path().join("store");
    for line in child(&["fill"], &store, &[bytes.to_string()])? {
        add(report, &line)?;
    }
    for line in child(&["reopen"], &store, &[])? {
        add(report, &line)?;
    }
    Ok(())
}

fn child(role: &[&str], store: &Path, more: &[String]) -> Result<Vec<String>> {
    let program = std::env::current_exe().context("finding this program")?;
    let output = Command::new(program).arg("child").args(role).arg(store).args(more).output()?;
    ensure!(output.status.success(), "it failed: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout).context("it prints text")?.lines().map(String::from).collect())
}

/// A line is: when, memory now, what to read beside it.
fn add(report: &mut Report, line: &str) -> Result<()> {
    let mut words = line.splitn(3, '|');
    let (when, now, beside) =
        (words.next().context("when")?, words.next().context("memory")?, words.next().unwrap_or(""));
    report.add(Figure::new(when, now.parse()?, Unit::Mebibytes).beside(beside));
    Ok(())
}

/// Writes a log of so many bytes and prints memory ten times on the way, and what it is made of.
pub(crate) fn fill(dir: &Path, bytes: u64) -> Result<()> {
    let store = open(dir, false)?;
    look("empty", &store)?;
    let (blobs, next) = (bytes / BLOB_BYTES, AtomicU64::new(0));
    for part in 1..=10 {
        let end = blobs * part / 10;
        thread::scope(|scope| {
            let produce = || -> Result<()> {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= end {
                        return Ok(());
                    }
                    put(&store, number)?;
                }
            };
            let threads: Vec<_> = (0..PRODUCERS).map(|_| scope.spawn(produce)).collect();
            threads.into_iter().try_for_each(|thread| thread.join().expect("a producer does not panic"))
        })?;
        // Every producer took one number too many.
        next.store(end, Ordering::Relaxed);
        if part % 2 == 0 {
            look(
                &format!("at {:.0} GB", store.stats().files.unwrap_or_default().log_bytes as f64 / 1e9),
                &store,
            )?;
        }
    }
    store.close()?;
    look("closed", &store)
}

fn put(store: &EmbeddedStore, number: u64) -> Result<()> {
    let blob = Blob::new(noise(number, BLOB_BYTES as usize))?;
    write::<_, StoreError>(store, TENANT, move |tx| {
        for record in 0..RECORDS_EACH {
            let key = [&TENANT.0.to_be_bytes()[..], &(number * RECORDS_EACH + record).to_be_bytes()].concat();
            tx.put(RECORDS, &key, &[7; 100])?;
        }
        tx.put_blob(&blob)
    })?;
    Ok(())
}

/// Opens what was written and prints memory, before and after reading from all of it.
pub(crate) fn reopen(dir: &Path) -> Result<()> {
    let began = std::time::Instant::now();
    let store = open(dir, false)?;
    look(&format!("opened in {:.0} ms", began.elapsed().as_secs_f64() * 1e3), &store)?;
    let mut blobs = 0_u64;
    for number in (0..).step_by(37) {
        let hash = cairn_base::ContentHash::of(&noise(number, BLOB_BYTES as usize));
        let Some(reader) = store.open_blob(TENANT, &hash)? else { break };
        ensure!(reader.len() == BLOB_BYTES, "blob {number} has another length");
        blobs += 1;
    }
    look(&format!("after reading {blobs} blobs of all of it"), &store)
}

fn look(when: &str, store: &EmbeddedStore) -> Result<()> {
    let MemoryParts { index_cache_bytes_max, index_marks_bytes, overlay_bytes, tail_bytes, log } =
        store.memory();
    let side_files = store.stats().files.unwrap_or_default().side_files;
    println!(
        "{when}|{}|most {:.0}; index cache up to {:.0}, its checksums {:.1}, overlay {:.1}, {side_files} side files {:.2}, \
         {} entries without one, group buffers {:.1}, newest events {:.1}, tables {:.1} MiB",
        resident::now_mib()?,
        resident::most_mib()?,
        mib(index_cache_bytes_max),
        mib(index_marks_bytes),
        mib(overlay_bytes),
        mib(log.side_bytes),
        log.recent_entries,
        mib(log.buffer_bytes),
        mib(tail_bytes),
        mib(log.table_bytes),
    );
    Ok(())
}
