//! All ten rules: from nothing, and after one upsert.

use std::time::Instant;

use anyhow::{Result, ensure};
use cairn_kb::Rule;
use cairn_kb::tools::CheckInput;

use super::open::{Kb, MAIN, fill, target};
use super::{Size, sizes};
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::scratch::Scratch;
use crate::spread::{Spread, median, ms};

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    sizes(setting).into_iter().try_for_each(|size| of_size(setting, size, report))
}

fn of_size(setting: &Setting, size: Size, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "kb")?;
    fill(dir.path(), size)?;
    let input = CheckInput { rules: Some(Rule::ALL.to_vec()), ..CheckInput::default() };
    let (mut loads, mut full, mut found) = (Vec::new(), Vec::new(), 0);
    let rounds = setting.pick(5, 2);
    for round in 0..rounds {
        let kb = Kb::open(dir.path())?;
        let began = Instant::now();
        kb.status(MAIN)?;
        loads.push(ms(began.elapsed()));
        let began = Instant::now();
        let checked = kb.engine.kb_check(&kb.owner, &target(MAIN), &input, &mut |_, _| {})?;
        full.push(ms(began.elapsed()));
        ensure!(round == 0 || checked.count == found, "{} violations, and {found} before", checked.count);
        found = checked.count;
        if round + 1 == rounds {
            again(setting, size, &kb, &input, report)?;
        }
        kb.close()?;
    }
    report.add(
        Figure::new(
            format!("full kb_check of ten rules, {} entities", size.name),
            median(full),
            Unit::Millis,
        )
        .target(Target::Below(size.pick(100.0, 1000.0)))
        .beside(format!("{found} violations, the branch was in memory")),
    );
    report.add(Figure::new(
        format!("reading a branch of {} into memory", size.name),
        median(loads),
        Unit::Millis,
    ));
    Ok(())
}

fn again(setting: &Setting, size: Size, kb: &Kb, input: &CheckInput, report: &mut Report) -> Result<()> {
    let mut times = Vec::new();
    for number in 0..setting.pick(200, 10) {
        kb.upsert(MAIN, 0, number)?;
        let began = Instant::now();
        kb.engine.kb_check(&kb.owner, &target(MAIN), input, &mut |_, _| {})?;
        times.push(began.elapsed());
    }
    let times = Spread::new(times);
    report.add(
        Figure::new(
            format!("kb_check after one upsert, p50, {} entities", size.name),
            times.quantile_ms(0.5),
            Unit::Millis,
        )
        .target(Target::Below(5.0))
        .beside(format!("{}, a page of 100 violations included", times.shown())),
    );
    Ok(())
}
