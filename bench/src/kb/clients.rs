//! Eight clients that write at once: to one branch, and each to its own.

use std::thread;
use std::time::Instant;

use anyhow::{Result, ensure};

use super::open::{Kb, MAIN};
use super::sizes;
use crate::figure::{Figure, Report, Unit};
use crate::measure::Setting;
use crate::scratch::Scratch;

const CLIENTS: u64 = 8;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let [size, _] = sizes(setting);
    let dir = Scratch::named(&setting.dir, "kb")?;
    let kb = Kb::filled(dir.path(), size)?;
    let branches: Vec<String> = (0..CLIENTS).map(|client| format!("branch-{client}")).collect();
    for branch in &branches {
        kb.create(branch, Some(MAIN))?;
        kb.wait_for_index(branch)?;
    }
    let each = setting.pick(500, 10);
    let own = |client: u64| branches[client as usize].as_str();
    let one = rate(&kb, each, &|_| MAIN)?;
    report.add(Figure::new(format!("{CLIENTS} clients upsert to one branch"), one, Unit::PerSecond));
    let many = rate(&kb, each, &own)?;
    report.add(Figure::new(format!("{CLIENTS} clients upsert to {CLIENTS} branches"), many, Unit::PerSecond));
    let before = kb.status(own(0))?.entities;
    ensure!(kb.status(MAIN)?.entities == before + (CLIENTS - 1) * each, "writes are lost or mixed");
    kb.close()
}

/// Durable upserts per second.
fn rate<'a>(kb: &Kb, each: u64, branch: &(dyn Fn(u64) -> &'a str + Sync)) -> Result<f64> {
    let began = Instant::now();
    thread::scope(|scope| {
        let write = |client: u64| {
            (0..each).try_for_each(|number| kb.upsert(branch(client), client, number).map(drop))
        };
        let clients: Vec<_> = (0..CLIENTS).map(|client| scope.spawn(move || write(client))).collect();
        clients
            .into_iter()
            .try_for_each(|client| client.join().map_err(|_| anyhow::anyhow!("a client panicked"))?)
    })?;
    Ok((CLIENTS * each) as f64 / began.elapsed().as_secs_f64())
}
