//! Tasks of the repository: `cargo xtask serve | test | api | bench | fuzz | limits | tidy`.
//!
//! Whatever has logic and is not the product lives here, in Rust, and not in shell scripts.
//! Kept light on purpose: it is compiled before every other command.

mod api;
mod bench;
mod fuzz;
mod libclang;
mod run;
mod serve;
mod test;
mod tidy;

use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "\
Usage: cargo xtask <task> [arguments]

Tasks:
  serve [arguments]         build cairn in release mode and run `cairn serve` with the arguments
  test                      format, lints, tidy, every test, every doc test and api; stops at the first failure
  api                       ask a server everything that its description allows, with schemathesis
  bench [name] [arguments]  run a benchmark, or list the benchmarks when no name is given
  fuzz [name] [arguments]   run a fuzz target with nightly Rust, or list them when no name is given
  limits                    write the table of all limits, docs/limits.md
  tidy                      check tiers, the code map, unfinished code, limits, links and stray paths

Examples:
  cargo xtask serve --http 127.0.0.1:0 --in-memory
  cargo xtask bench store
  cargo xtask fuzz frames --seconds 600
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[String]) -> Result<()> {
    let Some((task, rest)) = arguments.split_first() else {
        print!("{USAGE}");
        return Ok(());
    };
    match (task.as_str(), rest) {
        ("serve", rest) => serve::serve(rest),
        ("bench", rest) => bench::bench(rest),
        ("fuzz", rest) => fuzz::fuzz(rest),
        ("test", []) => test::test(),
        ("api", []) => api::api(),
        ("limits", []) => tidy::write_limits(),
        ("tidy", []) => tidy::tidy(),
        ("help" | "--help" | "-h", _) => {
            print!("{USAGE}");
            Ok(())
        }
        ("test" | "api" | "limits" | "tidy", _) => bail!("`cargo xtask {task}` takes no arguments"),
        _ => bail!("there is no task `{task}`\n\n{USAGE}"),
    }
}
