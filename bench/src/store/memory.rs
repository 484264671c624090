//! Memory of a process that only writes.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use anyhow::{Context, Result, ensure};
use cairn_embedded::{EmbeddedOptions, EmbeddedStore};
use cairn_seam::Store;

use super::Setting;
use super::record::{self, Name};
use crate::figure::{Figure, Report, Target, Unit};
use crate::resident;
use crate::scratch::Scratch;

const PRODUCERS: u32 = 16;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "memory")?;
    let at = setting.pick(["1000000", "2000000"], ["20000", "40000"]);
    let program = std::env::current_exe().context("finding this program")?;
    let output = Command::new(program).args(["child", "memory"]).arg(dir.path()).args(at).output()?;
    ensure!(output.status.success(), "the writer failed: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).context("the writer prints numbers")?;
    let looks: Vec<Vec<f64>> = text
        .lines()
        .map(|line| line.split_whitespace().map(|word| Ok(word.parse::<f64>()?)).collect::<Result<_>>())
        .collect::<Result<_>>()?;
    let [first, second] = &looks[..] else { anyhow::bail!("the writer printed {} lines", looks.len()) };
    for (count, look) in at.iter().zip([first, second]) {
        report.add(
            Figure::new(format!("most on the way to {count} records"), look[1], Unit::Mebibytes)
                .target(Target::Below(250.0))
                .beside(format!("then {:.0} MiB; {:.0} commits/s", look[0], look[2])),
        );
    }
    report.add(
        Figure::new("most at the second as a multiple of the first", second[1] / first[1], Unit::Times)
            .target(Target::AtMost(1.1))
            .beside("flat is 1"),
    );
    Ok(())
}

/// Writes records and prints, at each number of them: memory now, the most since the last look, and commits
/// per second.
pub(super) fn write_and_look(dir: &Path, at: &[u64]) -> Result<()> {
    let store = EmbeddedStore::open(dir, EmbeddedOptions::default())?;
    let next = AtomicU64::new(0);
    let mut before = 0;
    for limit in at {
        let start = std::time::Instant::now();
        thread::scope(|scope| {
            let produce = |producer| {
                let (store, next) = (&store, &next);
                move || -> Result<()> {
                    loop {
                        let count = next.fetch_add(1, Ordering::Relaxed);
                        if count >= *limit {
                            return Ok(());
                        }
                        record::commit_one(store, Name { run: 0, producer, count })?;
                    }
                }
            };
            let threads: Vec<_> = (0..PRODUCERS).map(|producer| scope.spawn(produce(producer))).collect();
            threads.into_iter().try_for_each(|thread| thread.join().expect("a producer does not panic"))
        })?;
        let rate = (limit - before) as f64 / start.elapsed().as_secs_f64();
        println!("{} {} {rate}", resident::now_mib()?, resident::most_mib()?);
        resident::forget_most()?;
        // Every producer took one number too many.
        next.store(*limit, Ordering::Relaxed);
        before = *limit;
    }
    store.close()?;
    Ok(())
}
