//! Blocks of every kind of file changed, moved, lost or replaced: what that costs.

use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};

use anyhow::Result;

use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::rot::{Tally, round};

/// Failures that are shown in full.
const SHOWN_MAX: usize = 5;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let seeds = setting.pick(2_000, 60);
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    let hook = take_hook();
    // A wrong answer is a panic with words; redb's own, which are caught, are nobody's business.
    set_hook(Box::new(|_| {}));
    for seed in 0..seeds {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| round(seed, &mut tally))) {
            let said = panic.downcast_ref::<String>().cloned();
            wrong.push(said.unwrap_or_else(|| format!("seed {seed} failed")));
        }
    }
    set_hook(hook);
    let count = |number: u64| {
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let number = number as f64;
        number
    };
    let shown = |name: &str, number: u64| Figure::new(name, count(number), Unit::Count);
    report.add(shown("stores with a damaged file", tally.rounds));
    report.add(shown("reads that agreed with the model", tally.right));
    report.add(shown("records and blobs in damaged bytes, reported as lost", tally.lost));
    report.add(shown("stores read-only until the loss was accepted", tally.read_only));
    report.add(shown("stores whose manifest was damaged, refused", tally.refused));
    let failed = shown("silent wrong answers, and losses outside of the damage", wrong.len() as u64);
    report.add(failed.target(Target::AtMost(0.0)));
    for said in wrong.into_iter().take(SHOWN_MAX) {
        report.wrong(said);
    }
    Ok(())
}
