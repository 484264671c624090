//! kill -9 in the middle of everything: nothing acknowledged is lost, the doctor finds nothing, and no file
//! is left that nothing owns.

use std::collections::BTreeMap;
use std::process::Command;

use anyhow::{Context, Result};
use cairn_base::{Clock, SystemClock};

use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::random::mix;
use crate::scratch::Scratch;
use crate::turmoil::{self, Orders, Tally, watch_and_kill};

/// Lives of one store, so that what earlier ones left is still small enough to be read every time.
const LIVES: u32 = 20;
const SEED: u64 = 2026;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let stores = setting.pick(5, 1);
    let lives_each = setting.pick(LIVES, 5);
    let (mut tally, mut under_way) = (Tally::default(), BTreeMap::<String, u32>::new());
    let (mut removed, mut packed, mut keys) = (0, 0, 0);
    for store in 0..stores {
        let dir = Scratch::named(&setting.dir, "kill")?;
        // Every third one is in the open.
        let key = u64::from(store % 3 != 1);
        let place = dir.path().to_owned();
        let mut orders = Orders { place, life: 0, epoch_ms: SystemClock.now_ms(), key, seed: 0 };
        let mut lives = Vec::new();
        for life in 0..lives_each {
            let seed = mix(SEED + u64::from(store * 1000 + life));
            orders = Orders { life, seed, ..orders };
            let ended = watch_and_kill(command(&orders)?, &orders);
            ended.under_way.iter().for_each(|what| *under_way.entry(what.clone()).or_default() += 1);
            (removed, packed) = (removed + ended.removed, packed + ended.packed);
            lives.push(ended);
            let all = life % 5 == 4;
            orders.key = turmoil::check(&orders, &lives, all, &mut tally);
        }
        keys += orders.key.saturating_sub(1);
    }
    add(report, &tally);
    let rounds = stores * lives_each;
    let moments: Vec<String> = under_way.iter().map(|(what, count)| format!("{count} {what}")).collect();
    report.add(
        Figure::new("rounds", rounds.into(), Unit::Count)
            .beside(format!("seed {SEED}; under way when killed: {}", moments.join(", "))),
    );
    report.add(Figure::new("acknowledged writes checked", tally.acknowledged as f64, Unit::Count).beside(
        format!(
            "{removed} blobs swept, {packed} segments rewritten, {keys} new keys, {} torn tails",
            tally.torn
        ),
    ));
    report.add(
        Figure::new("backups restored and checked", tally.restored as f64, Unit::Count)
            .beside(format!("{} unfinished ones refused", tally.refused_backups)),
    );
    Ok(())
}

fn add(report: &mut Report, tally: &Tally) {
    let figures = [
        ("lost", tally.lost),
        ("half there", tally.half),
        ("findings of the doctor", tally.findings),
        ("files that nothing owns", tally.strays),
        ("backups that are wrong", tally.bad_backups),
    ];
    for (what, number) in figures {
        report.add(Figure::new(what, number as f64, Unit::Count).target(Target::AtMost(0.0)));
    }
    tally.wrong.iter().for_each(|wrong| report.wrong(wrong));
}

fn command(orders: &Orders) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe().context("finding this program")?);
    command.args(["child", "turmoil"]).arg(orders.to_text());
    Ok(command)
}
