//! Writing one entity and one relationship, each call durable, in turns with a raw append of as many bytes.

use std::time::Instant;

use anyhow::Result;
use cairn_kb::Rule;
use cairn_kb::tools::CheckInput;

use super::open::{Kb, MAIN, target};
use super::{Size, sizes};
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::random::Random;
use crate::scratch::Scratch;
use crate::spread::Spread;
use crate::store::raw_log::RawLog;

/// How much longer than a raw append and sync it may take, in milliseconds.
const ABOVE_RAW_MS: f64 = 1.0;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "raw")?;
    let raw = RawLog::create(&dir.path().join("log"))?;
    sizes(setting).into_iter().try_for_each(|size| of_size(setting, size, &raw, report))
}

fn of_size(setting: &Setting, size: Size, raw: &RawLog, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "kb")?;
    let kb = Kb::filled(dir.path(), size)?;
    // From here on each write also keeps the findings of the ten rules current.
    let input = CheckInput { rules: Some(Rule::ALL.to_vec()), ..CheckInput::default() };
    kb.engine.kb_check(&kb.owner, &target(MAIN), &input, &mut |_, _| {})?;
    let (first, before) = (20, kb.log_bytes()?);
    for number in 0..first {
        kb.upsert(MAIN, 0, number)?;
    }
    let bytes = Random::new(1).bytes(((kb.log_bytes()? - before) / first) as usize);
    let (mut raws, mut new, mut old) = (Vec::new(), Vec::new(), Vec::new());
    for number in first..first + setting.pick(500, 20) {
        let timed = |times: &mut Vec<_>, work: &mut dyn FnMut() -> Result<()>| -> Result<()> {
            let began = Instant::now();
            work()?;
            times.push(began.elapsed());
            Ok(())
        };
        timed(&mut raws, &mut || {
            raw.append(&bytes);
            Ok(())
        })?;
        timed(&mut new, &mut || kb.upsert(MAIN, 0, number).map(drop))?;
        timed(&mut old, &mut || kb.upsert(MAIN, 0, number).map(drop))?;
    }
    let (raws, new, old) = (Spread::new(raws), Spread::new(new), Spread::new(old));
    for (name, times) in [("a new entity", &new), ("an entity that is there", &old)] {
        report.add(
            Figure::new(
                format!("kb_upsert of {name}, p50 beyond a raw sync, {} entities", size.name),
                times.quantile_ms(0.5) - raws.quantile_ms(0.5),
                Unit::Millis,
            )
            .target(Target::Below(ABOVE_RAW_MS))
            .beside(format!(
                "{}; raw append of {} bytes {}",
                times.shown(),
                bytes.len(),
                raws.shown()
            )),
        );
    }
    kb.close()
}
