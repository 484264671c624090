//! `cargo xtask test`: everything the repository can prove about itself.

use std::path::Path;

use anyhow::Result;

use crate::{api, run, tidy};

/// One thing that is proved, in the order of this list.
struct Step {
    title: &'static str,
    prove: fn() -> Result<()>,
}

// Tests and doc tests share their features, so that nothing is compiled twice.
const STEPS: &[Step] = &[
    Step { title: "format", prove: || cargo(&["fmt", "--all", "--check"]) },
    Step {
        title: "lints",
        prove: || {
            cargo(&["clippy", "--workspace", "--all-targets", "--all-features", "--", "--deny", "warnings"])
        },
    },
    Step { title: "tidy", prove: tidy::tidy },
    Step { title: "tests", prove: || cargo(&["test", "--workspace", "--all-features", "--all-targets"]) },
    Step { title: "doc tests", prove: || cargo(&["test", "--workspace", "--all-features", "--doc"]) },
    Step { title: "API", prove: api::api },
];

/// A part of the tests that needs something a machine may lack.
struct Optional {
    what: &'static str,
    /// Why it cannot run here, if it cannot.
    missing: fn(root: &Path) -> Option<String>,
}

/// One row for each part of the tests that is left out where a tool or a folder is missing.
const OPTIONAL: &[Optional] = &[Optional { what: "schemathesis", missing: api::missing }];

/// Runs every step, stops at the first that fails, and ends with one line on what was left out.
pub(crate) fn test() -> Result<()> {
    for (index, step) in STEPS.iter().enumerate() {
        println!("==> {}/{} {}", index + 1, STEPS.len(), step.title);
        (step.prove)()?;
    }
    println!("{}", skipped(OPTIONAL, &run::root()));
    Ok(())
}

fn cargo(arguments: &[&str]) -> Result<()> {
    run::succeed(&mut run::cargo(arguments))
}

fn skipped(optional: &[Optional], root: &Path) -> String {
    let missing: Vec<String> = optional
        .iter()
        .filter_map(|part| (part.missing)(root).map(|why| format!("{} ({why})", part.what)))
        .collect();
    if missing.is_empty() {
        "skipped: nothing".to_owned()
    } else {
        format!("skipped: {}", missing.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_names_each_part_left_out_and_why() {
        let here = Optional { what: "unit tests", missing: |_| None };
        let vectors = Optional {
            what: "conformance vectors",
            missing: |_| Some("folder vectors not found".to_owned()),
        };
        let browser = Optional {
            what: "browser tests",
            missing: |root| Some(format!("no node in {}", root.display())),
        };
        let root = Path::new("here");
        assert_eq!(skipped(&[], root), "skipped: nothing");
        assert_eq!(
            skipped(&[here, vectors, browser], root),
            "skipped: conformance vectors (folder vectors not found), browser tests (no node in here)"
        );
    }
}
