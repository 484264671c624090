//! Long and wide lineages.

use std::time::Instant;

use anyhow::{Result, ensure};
use cairn_access::Principal;
use cairn_artifacts::{Direction, LineageRequest};

use super::many;
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::scratch::Scratch;
use crate::spread::Spread;

const DEPTH: usize = 500;
const PAGE: usize = 100;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "lineage")?;
    let engine = many::open(dir.path())?;
    let owner = Principal::local_owner();
    let chain = |number: usize, before: &[_]| if number == 0 { Vec::new() } else { vec![before[number - 1]] };
    let (bundle, ids) = many::bundle(DEPTH + 1, &|_| "org", &chain)?;
    many::import(&engine, &bundle, DEPTH + 1)?;
    let times = |request: LineageRequest, nodes: usize| -> Result<Spread> {
        let mut times = Vec::new();
        for _ in 0..setting.pick(300, 10) {
            let began = Instant::now();
            let (lineage, _) = engine.artifact_lineage(&owner, request)?;
            times.push(began.elapsed());
            ensure!(lineage.nodes.len() == nodes, "{} nodes", lineage.nodes.len());
        }
        Ok(Spread::new(times))
    };
    let last = *ids.last().expect("there are some");
    let deep = LineageRequest { start: last, direction: Direction::Up, depth: DEPTH, limit: DEPTH + 1 };
    let deep = times(deep, DEPTH + 1)?;
    report.add(
        Figure::new("500 ancestors one above the other, p50", deep.quantile_ms(0.5), Unit::Millis)
            .target(Target::Below(5.0))
            .beside(deep.shown()),
    );
    let children = setting.pick(10_000, 1_000);
    let hub = |number: usize, before: &[_]| if number == 0 { Vec::new() } else { vec![before[0]] };
    let (bundle, ids) = many::bundle(children + 1, &|_| "org", &hub)?;
    many::import(&engine, &bundle, children + 1)?;
    let page = LineageRequest { start: ids[0], direction: Direction::Down, depth: 1, limit: PAGE + 1 };
    let wide = times(page, PAGE + 1)?;
    report.add(
        Figure::new("first 100 of 10,000 children, p50", wide.quantile_ms(0.5), Unit::Millis)
            .target(Target::Below(10.0))
            .beside(wide.shown()),
    );
    engine.close()?;
    Ok(())
}
