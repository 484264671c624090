//! New branches as copies, while others write.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::{Result, ensure};

use super::open::{Kb, MAIN};
use super::{Size, sizes};
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::scratch::Scratch;
use crate::spread::median;

/// Clients that write meanwhile.
const WRITERS: u64 = 4;
const OTHER: &str = "other";

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    sizes(setting).into_iter().try_for_each(|size| of_size(setting, size, report))
}

fn of_size(setting: &Setting, size: Size, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "kb")?;
    let kb = Kb::filled(dir.path(), size)?;
    kb.create(OTHER, None)?;
    kb.upsert_linked(OTHER)?;
    let next = AtomicU64::new(0);
    for (name, branch) in [("another branch", OTHER), ("the same branch", MAIN)] {
        let (mut seconds, mut rates) = (Vec::new(), Vec::new());
        for round in 0..setting.pick(3, 1) {
            let copy = format!("copy-{branch}-{round}");
            let before = kb.status(MAIN)?.entities;
            let (took, written) = copied(&kb, &copy, branch, &next)?;
            let (copied, after) = (kb.status(&copy)?.entities, kb.status(MAIN)?.entities);
            ensure!((before..=after).contains(&copied), "{copied} of {before} to {after} entities");
            seconds.push(took);
            rates.push(written as f64 / took);
            // Its documents are derived in the background, which is not part of the next copy.
            kb.wait_for_index(&copy)?;
        }
        report.add(
            Figure::new(
                format!("a copy of {} entities while {WRITERS} clients write to {name}", size.name),
                median(seconds),
                Unit::Seconds,
            )
            .target(Target::Below(size.pick(0.6, 6.0)))
            .beside(format!("they write {:.0} entities per second meanwhile", median(rates))),
        );
    }
    kb.close()
}

/// Seconds that the copy took, and writes of others meanwhile.
fn copied(kb: &Kb, copy: &str, branch: &str, next: &AtomicU64) -> Result<(f64, u64)> {
    let (is_over, count) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        let write = |client: u64| -> Result<()> {
            while !is_over.load(Ordering::Relaxed) {
                kb.upsert(branch, client, next.fetch_add(1, Ordering::Relaxed))?;
                count.fetch_add(1, Ordering::Relaxed);
            }
            Ok(())
        };
        let writers: Vec<_> = (0..WRITERS).map(|client| scope.spawn(move || write(client))).collect();
        // Everybody is at work before the copy begins.
        while count.load(Ordering::Relaxed) < 10 * WRITERS
            && !writers.iter().any(|writer| writer.is_finished())
        {
            thread::yield_now();
        }
        let before = count.load(Ordering::Relaxed);
        let began = Instant::now();
        let created = kb.create(copy, Some(MAIN));
        let took = began.elapsed().as_secs_f64();
        let written = count.load(Ordering::Relaxed) - before;
        is_over.store(true, Ordering::Relaxed);
        for writer in writers {
            writer.join().map_err(|_| anyhow::anyhow!("a writer panicked"))??;
        }
        created.map(|()| (took, written))
    })
}
