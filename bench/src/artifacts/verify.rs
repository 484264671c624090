//! Verifying a bundle without a store.

use std::time::Instant;

use anyhow::{Result, ensure};
use cairn_artifacts::bundle;

use super::many;
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::spread::median;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let count = setting.pick(10_000, 1_000);
    let (bytes, _) = many::bundle(count, &|_| "public", &|_, _| Vec::new())?;
    let mut rates = Vec::new();
    for _ in 0..setting.pick(5, 1) {
        let began = Instant::now();
        let verified = bundle::verify(&bytes[..], &mut |_| ())?;
        ensure!(verified.is_ok() && verified.artifacts.len() == count, "it does not verify");
        rates.push(count as f64 / began.elapsed().as_secs_f64());
    }
    report.add(
        Figure::new("signatures of a bundle of 10,000 artifacts", median(rates), Unit::PerSecond)
            .target(Target::AtLeast(10_000.0))
            .beside(format!("{} bytes", bytes.len())),
    );
    Ok(())
}
