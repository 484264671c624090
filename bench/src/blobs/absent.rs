//! Looking for what is not there, among many.

use std::time::Instant;

use anyhow::{Result, ensure};
use cairn_base::{ContentHash, Position};
use cairn_seam::{Blob, Store, StoreError, write};

use super::{TENANT, open};
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::scratch::Scratch;

const PER_COMMIT: u64 = 20_000;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "absent")?;
    let store = open(&dir.path().join("store"), false)?;
    let blobs = setting.pick(5_000_000, 100_000);
    for first in (0..blobs).step_by(PER_COMMIT as usize) {
        write::<_, StoreError>(&store, TENANT, move |tx| {
            (first..first + PER_COMMIT)
                .try_for_each(|number| tx.put_blob(&Blob::new(number.to_le_bytes().into())?))
        })?;
    }
    store.close()?;
    drop(store);
    let store = open(&dir.path().join("store"), false)?;
    let lookups = setting.pick(1_000_000_u64, 50_000);
    let absent: Vec<ContentHash> =
        (0..lookups).map(|n| ContentHash::of(&(u64::MAX - n).to_le_bytes())).collect();
    let mut found = 0;
    let began = Instant::now();
    for hashes in absent.chunks(10_000) {
        let snapshot = store.snapshot(Position::START)?;
        snapshot.blobs(TENANT, hashes, &mut |_, bytes| found += usize::from(bytes.is_some()))?;
    }
    let each = began.elapsed().as_secs_f64() * 1e6 / lookups as f64;
    ensure!(found == 0, "{found} blobs that were never put");
    report.add(
        Figure::new(format!("an absent hash among {blobs}"), each, Unit::Micros)
            .target(Target::Below(2.0))
            .beside(format!(
                "{} side files; the keyed hash of the name included",
                store.stats().files.unwrap_or_default().side_files
            )),
    );
    Ok(())
}
