//! What encryption costs.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use cairn_base::Position;
use cairn_embedded::EmbeddedStore;
use cairn_seam::{Keyspace, Store, StoreError, write};

use super::{KIB_64, TENANT, next_number, open, put};
use crate::drive;
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::random::Random;
use crate::scratch::Scratch;
use crate::spread::median;

const RECORDS: Keyspace = Keyspace::new(903, "bench-points");
const PER_COMMIT: u64 = 10_000;
const PER_READ: usize = 100;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "sealed")?;
    let plain = open(&dir.path().join("plain"), false)?;
    let sealed = open(&dir.path().join("sealed"), true)?;
    for (bytes, slower) in [(1 << 10, 0.15), (KIB_64, 0.30)] {
        let (mut plains, mut sealeds) = (Vec::new(), Vec::new());
        // In turns: the disk is quicker at some times than at others.
        for _ in 0..setting.pick(7, 1) {
            plains.push(writes(&plain, bytes, setting)?);
            sealeds.push(writes(&sealed, bytes, setting)?);
        }
        let (plain, sealed) = (median(plains), median(sealeds));
        report.add(
            Figure::new(
                format!("writes of {} KiB, slower by", bytes >> 10),
                1.0 - sealed / plain,
                Unit::Ratio,
            )
            .target(Target::Below(slower))
            .beside(format!("{sealed:.0}/s against {plain:.0}/s with 8 producers")),
        );
    }
    let count = setting.pick(1_000_000, 50_000);
    let (mut plains, mut sealeds) = (Vec::new(), Vec::new());
    for store in [&plain, &sealed] {
        fill(store, count)?;
    }
    for _ in 0..setting.pick(5, 1) {
        plains.push(reads(&plain, count, setting)?);
        sealeds.push(reads(&sealed, count, setting)?);
    }
    let (plain_rate, sealed_rate) = (median(plains), median(sealeds));
    report.add(
        Figure::new("point reads, slower by", 1.0 - sealed_rate / plain_rate, Unit::Ratio)
            .target(Target::Below(0.25))
            .beside(format!("{sealed_rate:.0}/s against {plain_rate:.0}/s, {count} records, 100 per call")),
    );
    plain.close()?;
    sealed.close()?;
    Ok(())
}

fn writes(store: &EmbeddedStore, bytes: usize, setting: &Setting) -> Result<f64> {
    let measured = Duration::from_millis(setting.pick(1500, 200));
    let run = drive::flat_out(8, Duration::from_millis(200), measured, &|_, _| {
        put(store, next_number(), bytes)?;
        Ok(())
    })?;
    Ok(run.rate)
}

fn key(number: u64) -> Vec<u8> {
    [&TENANT.0.to_be_bytes()[..], &number.to_be_bytes()].concat()
}

fn fill(store: &EmbeddedStore, count: u64) -> Result<()> {
    for first in (0..count).step_by(PER_COMMIT as usize) {
        write::<_, StoreError>(store, TENANT, move |tx| {
            (first..first + PER_COMMIT).try_for_each(|number| tx.put(RECORDS, &key(number), &[7; 100]))
        })?;
    }
    store.apply_now()?;
    Ok(())
}

fn reads(store: &EmbeddedStore, count: u64, setting: &Setting) -> Result<f64> {
    let measured = Duration::from_millis(setting.pick(1500, 200));
    let mut random = Random::new(5);
    let began = Instant::now();
    let (mut asked, mut found) = (0, 0);
    while began.elapsed() < measured {
        let keys: Vec<Vec<u8>> = (0..PER_READ).map(|_| key(random.below(count))).collect();
        let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        let snapshot = store.snapshot(Position::START)?;
        snapshot.multi_get(RECORDS, &keys, &mut |_, value| found += usize::from(value.is_some()))?;
        asked += PER_READ;
    }
    ensure!(found == asked, "{} records are missing", asked - found);
    Ok(asked as f64 / began.elapsed().as_secs_f64())
}
