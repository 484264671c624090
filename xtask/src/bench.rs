//! `cargo xtask bench`: figures as ratios against a reference measured in the same run.
//!
//! Benchmarks are a workspace of their own, so that tests never compile what only they need. What takes
//! minutes to build is a feature of it, for the one benchmark that asks for it.

use anyhow::{Result, bail};

use crate::{libclang, run};

/// Runs a benchmark by name; without a name the benchmark program lists what there is.
pub(crate) fn bench(arguments: &[String]) -> Result<()> {
    if !run::root().join("bench/Cargo.toml").is_file() {
        bail!("there is no bench/Cargo.toml in this checkout");
    }
    let mut command = run::cargo(&["run", "--quiet", "--release", "--manifest-path", "bench/Cargo.toml"]);
    if compares_with_oxigraph(arguments) {
        eprintln!("building oxigraph and RocksDB, which takes some minutes the first time");
        libclang::provide(&mut command)?;
        command.args(["--features", "oxigraph"]);
    }
    run::succeed(command.arg("--").args(arguments))
}

/// The graph is, unless only a measurement is asked for that does not.
fn compares_with_oxigraph(arguments: &[String]) -> bool {
    let mut words = arguments.iter().map(String::as_str);
    if words.next() != Some("kip") {
        return false;
    }
    let words: Vec<&str> = words.collect();
    let named = words.windows(2).filter(|pair| pair[0] == "--only").map(|pair| pair[1]);
    let named: Vec<&str> =
        named.chain(words.iter().filter_map(|word| word.strip_prefix("--only="))).collect();
    named.is_empty() || named.contains(&"graph")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oxigraph_is_built_for_the_graph_only() {
        let asked = |text: &str| {
            compares_with_oxigraph(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        };
        for text in
            ["kip", "kip --quick", "kip --only graph", "kip --only=graph", "kip --only small --only graph"]
        {
            assert!(asked(text), "{text}");
        }
        for text in ["", "store", "store --only graph", "kip --only small", "kip --only=large --quick"] {
            assert!(!asked(text), "{text}");
        }
    }
}
