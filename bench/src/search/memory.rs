//! Memory of a process that searches.
//!
//! What the index maps from disk is counted as resident by the kernel, and given back as soon as somebody
//! needs it; so it is shown by itself. Showing what was found reads turns, which fills the caches of the
//! store: these are in the figure, and bounded as everywhere.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cairn_access::Principal;

use super::fresh::question;
use super::home_in;
use super::million::{Million, open, wait_until_ready};
use super::words::Vocabulary;
use crate::figure::{Figure, Report, Unit};
use crate::measure::Setting;
use crate::random::Random;
use crate::resident;
use crate::spread::Spread;

const STATUS: &str = "/proc/self/status";

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let million = Million::ready(setting)?;
    let program = std::env::current_exe().context("finding this program")?;
    let output = Command::new(program)
        .args(["child", "search-memory"])
        .arg(&million.store)
        .arg(setting.pick("2000", "100"))
        .output()?;
    ensure!(output.status.success(), "it failed: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).context("it prints numbers")?;
    let figures: Vec<f64> = text.split_whitespace().map(|word| Ok(word.parse()?)).collect::<Result<_>>()?;
    let [before, own, mapped, most, p50, p99] = figures[..] else { anyhow::bail!("it printed {text}") };
    report.add(
        Figure::new("memory of its own for searching, at the most", own - before, Unit::Mebibytes)
            .beside(format!("{before:.0} MiB before, {own:.0} MiB then; {mapped:.0} MiB of files mapped, {most:.0} MiB in all")),
    );
    report.add(
        Figure::new("turns with snippets and neighbours, through the engine, p50", p50, Unit::Millis)
            .beside(format!("p99 {p99:.2} ms; the same two words")),
    );
    Ok(())
}

/// Searches, and prints in mebibytes: memory of its own before the index was opened and at the most, files
/// mapped, the most of both; and two quantiles of its searches in milliseconds.
pub(crate) fn search_and_look(dir: &Path, searches: usize) -> Result<()> {
    let engine = open(dir)?;
    let own = || resident::field(STATUS, "RssAnon:");
    let before = own()?;
    engine.start_search(home_in(dir))?;
    wait_until_ready(&engine)?;
    let vocabulary = Vocabulary::new();
    let mut random = Random::new(11);
    let owner = Principal::local_owner();
    let mut times = Vec::with_capacity(searches);
    let (mut own_most, mut mapped_most) = (0.0_f64, 0.0_f64);
    for _ in 0..searches {
        let question = question(vocabulary.two(&mut random).join(" "));
        let began = Instant::now();
        let page = engine.search(&owner, &question)?;
        times.push(began.elapsed());
        ensure!(!page.hits.is_empty() && !page.behind, "nothing is found of {}", question.text);
        own_most = own_most.max(own()?);
        mapped_most = mapped_most.max(resident::field(STATUS, "RssFile:")?);
    }
    let times = Spread::new(times);
    println!(
        "{before} {own_most} {mapped_most} {} {} {}",
        resident::most_mib()?,
        times.quantile_ms(0.5),
        times.quantile_ms(0.99)
    );
    engine.close()?;
    Ok(())
}
