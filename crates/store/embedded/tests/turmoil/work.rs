//! What the process does: small commits, blobs in commits, uploads of large ones, compaction with sweeps and
//! backups, with a doctor beside, all at once; in between it closes the store, changes its key and opens it again.
//!
//! It prints what begins, what has ended and what was acknowledged, each with one write, so that a line is
//! whole or missing.

use std::fs;
use std::io::Write as _;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use cairn_base::{Entropy, SeededEntropy};
use cairn_embedded::EmbeddedStore;
use cairn_seam::{Blob, Compaction, LocalStore, Maintenance, ScrubPolicy, Store, StoreError, write};

use super::record::{FromRecords, Name, TENANT, WRITERS, put};
use super::{Orders, numbered};

/// Writes, compacts, backs up and changes keys until somebody ends it.
pub(crate) fn work_until_killed(orders: &Orders) -> Result<(), StoreError> {
    let random = SeededEntropy::new(orders.seed);
    let mut key = orders.key;
    let mut counts = [0; WRITERS.len()];
    for phase in 0.. {
        let store = orders.open(&orders.store(), key)?;
        let stop = AtomicBool::new(false);
        thread::scope(|scope| -> Result<(), StoreError> {
            let (store, stop) = (&store, &stop);
            let writers: Vec<_> = counts
                .iter_mut()
                .enumerate()
                .map(|(writer, next)| scope.spawn(move || write_on(orders, store, stop, writer, next)))
                .collect();
            let keeper = scope.spawn(move || keep(orders, store, stop, phase));
            let doctor = scope.spawn(move || match phase % 2 {
                0 => examine(store, stop),
                _ => scrub(store, stop),
            });
            thread::sleep(Duration::from_millis(150 + random.next_u64() % 450));
            stop.store(true, Ordering::Relaxed);
            writers
                .into_iter()
                .chain([keeper, doctor])
                .try_for_each(|thread| thread.join().expect("nobody panics"))
        })?;
        if random.next_u64().is_multiple_of(2) {
            store.close()?;
        }
        drop(store);
        for _ in 0..if key == 0 { 0 } else { 1 + random.next_u64() % 4 } {
            say(&format!("begin key {}", key + 1));
            EmbeddedStore::rotate_key(&orders.store(), orders.options(key), &numbered(key + 1))?;
            key += 1;
            say(&format!("end key {key}"));
        }
    }
    Ok(())
}

/// One writer: from where it was on.
fn write_on(
    orders: &Orders,
    store: &EmbeddedStore,
    stop: &AtomicBool,
    writer: usize,
    next: &mut u64,
) -> Result<(), StoreError> {
    while !stop.load(Ordering::Relaxed) {
        let name = Name { life: orders.life, writer, count: *next };
        let blob = if name.is_large() { upload(store, name)? } else { Blob::new(name.content())? };
        write::<_, StoreError>(store, TENANT, move |tx| put(tx, name, &blob))?;
        say(&format!("ack {writer} {}", name.count));
        *next += 1;
    }
    Ok(())
}

/// Uploads a large blob; before it, now and then, one that ends early or that nobody ever names.
fn upload(store: &EmbeddedStore, name: Name) -> Result<Blob, StoreError> {
    let content = name.content();
    say(&format!("begin upload {}", name.count));
    if name.count % 3 == 1 {
        let mut given_up = store.upload(TENANT)?;
        given_up.write(&content[..content.len() - 1])?;
        if name.count.is_multiple_of(2) {
            given_up.write(b"of another end")?;
            drop(given_up.finish()?);
        }
    }
    let mut upload = store.upload(TENANT)?;
    content.chunks(100_000).try_for_each(|piece| upload.write(piece))?;
    let blob = upload.finish()?;
    say(&format!("end upload {}", name.count));
    Ok(blob)
}

/// Compactions and backups in turn.
fn keep(orders: &Orders, store: &EmbeddedStore, stop: &AtomicBool, phase: u64) -> Result<(), StoreError> {
    let mut go_on = |_: cairn_seam::Stage<'_>| !stop.load(Ordering::Relaxed);
    let mut last = None;
    for round in 0.. {
        say(&format!("begin compaction {round}"));
        // Now and then history goes as well.
        let keep_changes = (round % 3 == 2).then_some(Duration::ZERO);
        let wanted = Compaction { keep_changes, forget: None };
        match store.compact(&wanted, &FromRecords(store), &mut go_on) {
            Err(StoreError::Stopped) => return Ok(()),
            done => say(&format!("end compaction {} {}", round, figures(&done?.figures))),
        }
        let number = phase * 1000 + round;
        let to = orders.place.join(format!("backup-{}-{number}.cairn", orders.life));
        say(&format!("begin backup {number}"));
        match store.maintain(&Maintenance::Backup { to: to.clone(), skip_damaged: false }, &mut go_on) {
            Err(StoreError::Stopped) => return Ok(()),
            done => drop(done?),
        }
        say(&format!("end backup {number}"));
        // One is enough to look at.
        if let Some(last) = last.replace(to) {
            let _ = fs::remove_file(last);
        }
    }
    Ok(())
}

/// The doctor, beside everything else. What it finds ends this process, and the parent notices that.
fn examine(store: &EmbeddedStore, stop: &AtomicBool) -> Result<(), StoreError> {
    let mut go_on = |_: cairn_seam::Stage<'_>| !stop.load(Ordering::Relaxed);
    loop {
        match store.maintain(&Maintenance::Verify { repair: false }, &mut go_on) {
            Err(StoreError::Stopped) => return Ok(()),
            done => {
                let findings = done?.findings;
                assert!(findings.is_empty(), "found while in use: {findings:#?}");
            }
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// Verification in the background instead of a doctor; what it finds ends this process, too.
fn scrub(store: &EmbeddedStore, stop: &AtomicBool) -> Result<(), StoreError> {
    store.set_scrub(Some(ScrubPolicy { rate: NonZeroU64::MAX, every: Duration::ZERO }));
    while !stop.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(20));
        let found = store.scrub_status().found;
        assert_eq!(found.total(), 0, "found in the background: {:#?}", store.scrub_status());
    }
    Ok(())
}

/// Blobs removed and segments rewritten.
fn figures(figures: &[(&'static str, u64)]) -> String {
    let of = |wanted: &str| figures.iter().find(|(name, _)| *name == wanted).map_or(0, |(_, figure)| *figure);
    format!("{} {}", of("blobs_removed"), of("segments_rewritten"))
}

fn say(line: &str) {
    // Nobody listens any more when the parent is gone; then this process ends by itself.
    if std::io::stdout().write_all(format!("{line}\n").as_bytes()).is_err() {
        std::process::exit(0);
    }
}
