//! Backup and doctor.

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cairn_seam::{Keyspace, LocalStore, Maintenance, Store, StoreError, write};

use super::{TENANT, next_number, noise, open};
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::scratch::Scratch;

const RECORDS: Keyspace = Keyspace::new(904, "bench-records");

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "jobs")?;
    let store = open(&dir.path().join("store"), false)?;
    let (blobs, records) = setting.pick((16_000_u64, 1_000_000_u64), (500, 20_000));
    for first in (0..records).step_by(10_000) {
        write::<_, StoreError>(&store, TENANT, move |tx| {
            (first..first + 10_000).try_for_each(|number| {
                let key = [&TENANT.0.to_be_bytes()[..], &number.to_be_bytes()].concat();
                tx.put(RECORDS, &key, &[9; 80])
            })
        })?;
    }
    for _ in 0..blobs / 100 {
        let blobs = (0..100).map(|_| cairn_seam::Blob::new(noise(next_number(), 64 << 10)));
        let blobs = blobs.collect::<Result<Vec<_>, _>>()?;
        write::<_, StoreError>(&store, TENANT, move |tx| {
            blobs.iter().try_for_each(|blob| tx.put_blob(blob))
        })?;
    }
    store.apply_now()?;
    let began = Instant::now();
    let job = Maintenance::Backup { to: dir.path().join("backup"), skip_damaged: false };
    let done = store.maintain(&job, &mut |_| true)?;
    let bytes = done.figures.iter().find(|(name, _)| *name == "bytes").context("no bytes")?.1;
    let rate = bytes as f64 / began.elapsed().as_secs_f64() / 1e6;
    report.add(
        Figure::new("backup", rate, Unit::MegabytesPerSecond)
            .target(Target::AtLeast(150.0))
            .beside(format!("{} MB, on disk at the end", bytes / 1_000_000)),
    );
    let began = Instant::now();
    let verified = store.maintain(&Maintenance::Verify { repair: false }, &mut |_| true)?;
    let seconds = began.elapsed().as_secs_f64();
    ensure!(verified.findings.is_empty(), "{:?}", verified.findings);
    let log_bytes = store.stats().files.unwrap_or_default().log_bytes as f64;
    report.add(
        Figure::new("doctor, bytes", log_bytes / seconds / 1e6, Unit::MegabytesPerSecond)
            .target(Target::AtLeast(150.0))
            .beside(format!("{seconds:.1} s for {:.0} MB of log with {records} records", log_bytes / 1e6)),
    );
    store.close()?;
    Ok(())
}
