//! Searching and listing among many artifacts, as a user of the tenant who may not read all of them.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use cairn_access::{LOCAL_TENANT, Principal, Role, Roles};
use cairn_base::TenantId;
use cairn_engine::{ArtifactQuestion, Engine};

use super::many;
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::scratch::Scratch;
use crate::spread::Spread;

/// How long the index may take to catch up.
const PATIENCE: Duration = Duration::from_secs(300);

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "artifacts")?;
    let engine = many::open(dir.path())?;
    let count = setting.pick(100_000, 5_000);
    let tier = |number: usize| ["org", "public", "private", "team"][number % 4];
    let (bundle, _) = many::bundle(count, &tier, &|_, _| Vec::new())?;
    let rate = many::import(&engine, &bundle, count)?;
    report.add(Figure::new("import of a bundle", rate, Unit::PerSecond).beside(format!("{count} artifacts")));
    caught_up(&engine)?;
    // Neither the author nor of a team: half of the artifacts are readable.
    let rita = Principal::new("rita", TenantId::LOCAL, Roles::NONE.with(Role::Reader))
        .known_as(LOCAL_TENANT, Vec::new());
    let readable = count as u64 / 2;
    let common =
        ArtifactQuestion { text: Some("quarterly".into()), limit: 50, ..ArtifactQuestion::default() };
    let found = asked(&engine, &rita, &common, readable, setting)?;
    report.add(
        Figure::new("a term that every artifact holds, p50", found.quantile_ms(0.5), Unit::Millis)
            .target(Target::Below(5.0))
            .beside(found.shown()),
    );
    report
        .add(Figure::new("the same, p99", found.quantile_ms(0.99), Unit::Millis).target(Target::Below(25.0)));
    let newest = ArtifactQuestion { limit: 50, ..ArtifactQuestion::default() };
    let listed = asked(&engine, &rita, &newest, readable, setting)?;
    report.add(
        Figure::new("the newest 50 that are readable, p50", listed.quantile_ms(0.5), Unit::Millis)
            .target(Target::Below(2.0))
            .beside(listed.shown()),
    );
    engine.close()?;
    Ok(())
}

/// Waits until everything that was imported can be found.
fn caught_up(engine: &Engine) -> Result<()> {
    let began = Instant::now();
    let nothing = ArtifactQuestion { limit: 1, ..ArtifactQuestion::default() };
    while engine.artifact_list(&Principal::local_owner(), &nothing)?.behind {
        ensure!(began.elapsed() < PATIENCE, "the index does not catch up");
    }
    Ok(())
}

fn asked(
    engine: &Engine,
    principal: &Principal,
    question: &ArtifactQuestion,
    total: u64,
    setting: &Setting,
) -> Result<Spread> {
    let mut times = Vec::new();
    for _ in 0..setting.pick(500, 20) {
        let began = Instant::now();
        let list = engine.artifact_list(principal, question)?;
        times.push(began.elapsed());
        ensure!(list.total == total && list.items.len() == 50 && !list.behind, "{} of {total}", list.total);
    }
    Ok(Spread::new(times))
}
