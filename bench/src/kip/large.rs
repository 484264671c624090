//! 1,000,000 concepts and 5,000,000 propositions: memory, opening, and what the same questions take then.
//!
//! A tenth of it is made first in the same way, so that growth shows. Loading is one process and asking
//! another, whose memory the kernel counts.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use cairn_base::fs::{FileSystem, SystemFs};
use cairn_embedded::EmbeddedOptions;

use super::graph::Graph;
use super::questions::{QUESTIONS, Starts};
use super::rounds::{ask_in_turns, ours, shown_us, starts_count};
use super::workload::Size;
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::resident;
use crate::scratch::Scratch;
use crate::spread::ms;

const MEMORY_MIB: f64 = 1536.0;
const OPEN_MS: f64 = 500.0;
const SIZE: Size = Size { concepts: 1_000_000, propositions: 5_000_000 };
const QUICK: Size = Size { concepts: 10_000, propositions: 50_000 };
/// `store.cache_bytes`.
const CACHE_BYTES: usize = 512 << 20;
/// Room on disk for one element, its index and the log of it.
const BYTES_EACH: u64 = 3000;

/// What was found out about a graph of one size.
struct Found {
    rate: f64,
    found_after_s: f64,
    loading_mib: f64,
    open_ms: f64,
    search_ms: f64,
    asking_mib: f64,
    /// The middle, the slowest in a hundred, and rows of each question.
    answers: Vec<[f64; 3]>,
}

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let size = setting.pick(SIZE, QUICK);
    let needed = (size.concepts + size.propositions) * BYTES_EACH;
    let free = SystemFs.free_bytes(&setting.dir)?;
    ensure!(free > needed, "{} GB are free, and {} are needed", free / 1_000_000_000, needed / 1_000_000_000);
    let tenth = Size { concepts: size.concepts / 10, propositions: size.propositions / 10 };
    let before = look(setting, tenth)?;
    let found = look(setting, size)?;
    report.add(Figure::new("load", found.rate, Unit::PerSecond).beside(format!(
        "{} elements, all found by their words after {:.0} s; a tenth of it {:.0}/s",
        size.concepts + size.propositions,
        found.found_after_s,
        before.rate
    )));
    report.add(
        Figure::new("memory while loading, at the most", found.loading_mib, Unit::Mebibytes)
            .target(Target::Below(MEMORY_MIB))
            .beside(format!("files that are mapped are in it; a tenth {:.0} MiB", before.loading_mib)),
    );
    report.add(
        Figure::new("open, to the first answer", found.open_ms, Unit::Millis)
            .target(Target::Below(OPEN_MS))
            .beside(format!(
                "search ready after {:.0} ms; a tenth {:.0} ms",
                found.search_ms, before.open_ms
            )),
    );
    report.add(
        Figure::new("memory while asking, at the most", found.asking_mib, Unit::Mebibytes)
            .target(Target::Below(MEMORY_MIB))
            .beside(format!("files that are mapped are in it; a tenth {:.0} MiB", before.asking_mib)),
    );
    for ((question, [p50, p99, rows]), [p50_before, _, rows_before]) in
        QUESTIONS.iter().zip(&found.answers).zip(&before.answers)
    {
        report.add(Figure::new(format!("{}, growth", question.name), p50 / p50_before, Unit::Times).beside(
            format!(
                "{} now, p99 {}, {rows:.1} rows each; {} with a tenth, {rows_before:.1} rows each",
                shown_us(*p50),
                shown_us(*p99),
                shown_us(*p50_before)
            ),
        ));
    }
    Ok(())
}

/// Loads a graph of a size in one process, and asks in another.
fn look(setting: &Setting, size: Size) -> Result<Found> {
    // Removed when it goes out of scope, also when something fails.
    let dir = Scratch::named(&setting.dir, "large")?;
    let loaded = child("kip-load", dir.path(), size, &[])?;
    let [[rate, found_after_s, loading_mib]] = loaded[..] else { bail!("loading printed {loaded:?}") };
    let mut asked = child("kip-ask", dir.path(), size, setting.pick(&[], &["--quick"]))?;
    ensure!(asked.len() == 1 + QUESTIONS.len(), "asking printed {} lines", asked.len());
    let [open_ms, search_ms, asking_mib] = asked.remove(0);
    Ok(Found { rate, found_after_s, loading_mib, open_ms, search_ms, asking_mib, answers: asked })
}

/// What a child prints: lines of three numbers.
fn child(role: &str, dir: &Path, size: Size, more: &[&str]) -> Result<Vec<[f64; 3]>> {
    let mut command = Command::new(std::env::current_exe().context("finding this program")?);
    command.args(["child", role]).arg(dir).arg(size.concepts.to_string()).arg(size.propositions.to_string());
    let output = command.args(more).stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "{role} failed with {} concepts", size.concepts);
    let text = String::from_utf8(output.stdout).context("it prints numbers")?;
    let numbers = |line: &str| -> Result<[f64; 3]> {
        let numbers: Vec<f64> =
            line.split_whitespace().map(|word| Ok(word.parse()?)).collect::<Result<_>>()?;
        numbers.try_into().ok().with_context(|| format!("it printed {line}"))
    };
    text.lines().map(numbers).collect()
}

/// Opens a store with the memory that docs/configuration.md tells to give to a graph of this size.
fn open(dir: &Path) -> Result<Graph> {
    Graph::open_with(dir, EmbeddedOptions { cache_bytes: CACHE_BYTES, ..EmbeddedOptions::default() })
}

/// Loads, and prints elements per second, seconds until all was found, and the most memory.
pub(crate) fn load(dir: &Path, size: Size) -> Result<()> {
    let graph = open(dir)?.defined()?;
    let loaded = graph.load(size)?;
    let rate = loaded.elements as f64 / loaded.took.as_secs_f64();
    eprintln!("   {} elements in {:.0} s", loaded.elements, loaded.took.as_secs_f64());
    println!("{rate} {} {}", loaded.found_after.as_secs_f64(), resident::most_mib()?);
    graph.close()
}

/// Opens, asks everything, and prints: milliseconds to the first answer and until the search was ready, and
/// the most memory; then for each question two quantiles in microseconds, and rows.
pub(crate) fn ask(dir: &Path, size: Size, quick: bool) -> Result<()> {
    let setting = Setting { dir: dir.to_owned(), quick, keep: None, programs: Vec::new(), trees: Vec::new() };
    let first = QUESTIONS.first().context("there are no questions")?;
    let start = Starts::of(first, size, 1);
    let began = Instant::now();
    let graph = open(dir)?;
    ours(&graph, first, &start)(0)?;
    let opened = began.elapsed();
    graph.wait_for_search()?;
    let ready = began.elapsed();
    let mut lines = Vec::new();
    for question in QUESTIONS {
        let starts = Starts::of(question, size, starts_count(question, &setting));
        for took in ask_in_turns(question, &setting, vec![ours(&graph, question, &starts)])? {
            let p99 = took.spread.quantile_ms(0.99) * 1e3;
            eprintln!("   {} of {}: {}", question.name, size.concepts, shown_us(took.p50_us()));
            lines.push(format!("{} {p99} {}", took.p50_us(), took.rows));
        }
    }
    println!("{} {} {}\n{}", ms(opened), ms(ready), resident::most_mib()?, lines.join("\n"));
    graph.close()
}
