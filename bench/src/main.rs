//! Figures of cairn, as ratios against a reference measured in the same run.
//!
//! Run through `cargo xtask bench`. Without a name it lists what there is; a missed figure is shown
//! and is no failure, a wrong result (an acknowledged write that is gone, an answer that differs) is.

mod access;
mod artifacts;
mod blobs;
mod drive;
mod figure;
mod gateway;
mod host;
mod kb;
mod kip;
mod measure;
mod random;
mod resident;
#[path = "../../crates/store/embedded/tests/rot/mod.rs"]
mod rot;
mod scratch;
mod search;
mod spread;
mod store;
mod timer;
mod trust;
#[path = "../../crates/store/embedded/tests/turmoil/mod.rs"]
mod turmoil;
mod turns;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand};

use crate::figure::Report;
use crate::measure::{Measurement, Setting};
use crate::scratch::Scratch;
use crate::store::child::Role;

/// As in the product.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures cairn against references taken in the same run.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask bench", version)]
struct Cli {
    #[command(subcommand)]
    bench: Option<Bench>,
}

#[derive(Debug, Subcommand)]
enum Bench {
    /// The embedded store: commits, reads, opening, memory, kill -9.
    Store(StoreArgs),
    /// Blobs: writing, reading, looking up, encryption, backup, compaction, memory, kill -9.
    Blobs(BlobsArgs),
    /// The turn memory over its binary protocol: appends, windows, many turns, long chains.
    Turns(TurnsArgs),
    /// Turns over HTTP: typed pages, finding contexts, import and export.
    Gateway(GatewayArgs),
    /// Access: decisions, tokens, JWTs, and what authentication and TLS cost appends.
    Access(AccessArgs),
    /// Search: two words among 1,000,000 turns, how fresh and how large the index is, what it costs appends.
    Search(SearchArgs),
    /// The graph memory: loading, point reads, hops, paths, aggregates, upserts.
    Kip(KipArgs),
    /// Artifacts: publishing, searching, lineage, verifying.
    Artifacts(ArtifactsArgs),
    /// The requirements KB: reading, writing, searching, checking and copying branches.
    Kb(KbArgs),
    /// Damage: what it costs to notice it, and to live with it.
    Trust(TrustArgs),
    /// What measurements start as processes of their own.
    #[command(hide = true)]
    Child {
        #[command(subcommand)]
        role: Role,
    },
}

#[derive(Debug, Args)]
struct StoreArgs {
    /// Run this measurement only; may be given several times.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(measure::names(store::MEASUREMENTS)))]
    only: Vec<String>,
    /// Build this checkout (`touch`) instead of this one; several are measured in alternation.
    #[arg(long, value_name = "DIR")]
    tree: Vec<PathBuf>,
    #[command(flatten)]
    how: How,
}

#[derive(Debug, Args)]
struct BlobsArgs {
    /// Run this measurement only; may be given several times.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(measure::names(blobs::MEASUREMENTS)))]
    only: Vec<String>,
    #[command(flatten)]
    how: How,
}

#[derive(Debug, Args)]
struct TurnsArgs {
    /// Run this measurement only; may be given several times.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(measure::names(turns::MEASUREMENTS)))]
    only: Vec<String>,
    #[command(flatten)]
    how: How,
}

#[derive(Debug, Args)]
struct GatewayArgs {
    /// Run this measurement only; may be given several times.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(measure::names(gateway::MEASUREMENTS)))]
    only: Vec<String>,
    #[command(flatten)]
    how: How,
}

#[derive(Debug, Args)]
struct AccessArgs {
    /// Run this measurement only; may be given several times.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(measure::names(access::MEASUREMENTS)))]
    only: Vec<String>,
    #[command(flatten)]
    how: How,
}

#[derive(Debug, Args)]
struct SearchArgs {
    /// Run this measurement only; may be given several times.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(measure::names(search::MEASUREMENTS)))]
    only: Vec<String>,
    /// Keep the store with 1,000,000 turns and their index here, and use what an earlier run kept.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    #[command(flatten)]
    how: How,
}

#[derive(Debug, Args)]
struct KipArgs {
    /// Run this measurement only; may be given several times.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(measure::names(kip::MEASUREMENTS)))]
    only: Vec<String>,
    /// Measure this build of `cairn` over HTTP (`clients`); several are measured in alternation.
    #[arg(long, value_name = "PATH")]
    program: Vec<PathBuf>,
    #[command(flatten)]
    how: How,
}

#[derive(Debug, Args)]
struct ArtifactsArgs {
    /// Run this measurement only; may be given several times.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(measure::names(artifacts::MEASUREMENTS)))]
    only: Vec<String>,
    #[command(flatten)]
    how: How,
}

#[derive(Debug, Args)]
struct KbArgs {
    /// Run this measurement only; may be given several times.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(measure::names(kb::MEASUREMENTS)))]
    only: Vec<String>,
    /// Measure commands of this build of `cairn` (`sync`, `autopilot`, `staged`) instead of a release build made first.
    #[arg(long, value_name = "PATH")]
    program: Option<PathBuf>,
    #[command(flatten)]
    how: How,
}

#[derive(Debug, Args)]
struct TrustArgs {
    /// Run this measurement only; may be given several times.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(measure::names(trust::MEASUREMENTS)))]
    only: Vec<String>,
    #[command(flatten)]
    how: How,
}

#[derive(Debug, Args)]
struct How {
    /// Short runs that only show that everything works; their figures mean little.
    #[arg(long)]
    quick: bool,
    /// Where data goes, in a fresh directory that is removed afterwards [default: beside the build].
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Print the figures as JSON.
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().bench {
        None => {
            list();
            Ok(true)
        }
        Some(Bench::Store(args)) => {
            run(store::MEASUREMENTS, &args.only, &args.how, Extra { trees: args.tree, ..Extra::default() })
        }
        Some(Bench::Blobs(args)) => run(blobs::MEASUREMENTS, &args.only, &args.how, Extra::default()),
        Some(Bench::Turns(args)) => run(turns::MEASUREMENTS, &args.only, &args.how, Extra::default()),
        Some(Bench::Gateway(args)) => run(gateway::MEASUREMENTS, &args.only, &args.how, Extra::default()),
        Some(Bench::Access(args)) => run(access::MEASUREMENTS, &args.only, &args.how, Extra::default()),
        Some(Bench::Search(args)) => {
            run(search::MEASUREMENTS, &args.only, &args.how, Extra { keep: args.keep, ..Extra::default() })
        }
        Some(Bench::Kip(args)) => run(
            kip::MEASUREMENTS,
            &args.only,
            &args.how,
            Extra { programs: args.program, ..Extra::default() },
        ),
        Some(Bench::Artifacts(args)) => run(artifacts::MEASUREMENTS, &args.only, &args.how, Extra::default()),
        Some(Bench::Kb(args)) => {
            let programs = args.program.into_iter().collect();
            run(kb::MEASUREMENTS, &args.only, &args.how, Extra { programs, ..Extra::default() })
        }
        Some(Bench::Trust(args)) => run(trust::MEASUREMENTS, &args.only, &args.how, Extra::default()),
        Some(Bench::Child { role }) => role.run().map(|()| true),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn list() {
    println!("Benchmarks (cargo xtask bench <name> [--quick] [--only MEASUREMENT] [--dir DIR] [--json]):\n");
    let benches = [
        ("store", store::MEASUREMENTS),
        ("blobs", blobs::MEASUREMENTS),
        ("turns", turns::MEASUREMENTS),
        ("gateway", gateway::MEASUREMENTS),
        ("access", access::MEASUREMENTS),
        ("search", search::MEASUREMENTS),
        ("kip", kip::MEASUREMENTS),
        ("artifacts", artifacts::MEASUREMENTS),
        ("kb", kb::MEASUREMENTS),
        ("trust", trust::MEASUREMENTS),
    ];
    for (name, measurements) in benches {
        println!("  {name}");
        for measurement in measurements {
            let named_only = if measurement.by_default { "" } else { " (only when named)" };
            println!("    {:<12} {}{named_only}", measurement.name, measurement.about);
        }
    }
}

/// Settings of single benchmarks.
#[derive(Debug, Default)]
struct Extra {
    keep: Option<PathBuf>,
    programs: Vec<PathBuf>,
    trees: Vec<PathBuf>,
}

/// Says whether every result was right.
fn run(measurements: &[Measurement], only: &[String], how: &How, extra: Extra) -> Result<bool> {
    let scratch = match &how.dir {
        Some(dir) => Scratch::inside(dir)?,
        None => Scratch::beside_the_build()?,
    };
    let Extra { keep, programs, trees } = extra;
    let setting = Setting { dir: scratch.path().to_owned(), quick: how.quick, keep, programs, trees };
    let mut report = Report::default();
    measure::run(measurements, &setting, only, &mut report);
    if how.json {
        println!("{:#}", report.to_json());
    } else {
        print!("{}", report.to_table());
    }
    Ok(report.is_right())
}
