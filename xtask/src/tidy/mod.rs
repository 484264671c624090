//! `cargo xtask tidy`: what the compiler does not check about the tree.
//!
//! Each check is one file and one row of [`CHECKS`]; it looks at a [`Tree`] and says what is wrong.

mod apart;
mod async_edges;
mod code_map;
mod limits;
mod links;
mod machine_paths;
mod memories;
mod source;
mod tiers;
mod transactions;
mod tree;
mod unfinished;
mod unknown_to;
mod value;
mod wall_clock;

use std::fmt;

use anyhow::{Context, Result, anyhow, bail};

use crate::run;
use tree::Tree;

/// Something that is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Finding {
    /// A file from the root of the repository, with `:line` where a line is to blame.
    place: String,
    /// What is wrong there and what to do about it.
    complaint: String,
}

impl Finding {
    fn new(place: impl Into<String>, complaint: impl Into<String>) -> Self {
        Finding { place: place.into(), complaint: complaint.into() }
    }

    /// A finding at the line that holds byte `offset` of `text`.
    fn at(path: &str, text: &str, offset: usize, complaint: impl Into<String>) -> Self {
        let line = 1 + text.as_bytes()[..offset].iter().filter(|byte| **byte == b'\n').count();
        Finding::new(format!("{path}:{line}"), complaint)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.complaint)
    }
}

struct Check {
    title: &'static str,
    look: fn(&Tree) -> Vec<Finding>,
}

const CHECKS: &[Check] = &[
    Check { title: "dependencies go down the tiers", look: tiers::look },
    Check { title: "every crate is on the code map", look: code_map::look },
    Check { title: "only the edges know async", look: async_edges::look },
    Check { title: "shared code of the engine names no memory", look: memories::look },
    Check { title: "surfaces see no transactions", look: transactions::look },
    Check { title: "benchmarks and fuzz targets stay apart", look: apart::look },
    Check { title: "nothing is left unfinished", look: unfinished::look },
    Check { title: "no test asserts that time on the wall is short", look: wall_clock::look },
    Check { title: "the table of limits is current", look: limits::look },
    Check { title: "folders do not know what they must not", look: unknown_to::look },
    Check { title: "links lead somewhere", look: links::look },
    Check { title: "no path of one machine", look: machine_paths::look },
];

/// Runs every check over the repository and prints what each found.
pub(crate) fn tidy() -> Result<()> {
    let tree = Tree::load(&run::root())?;
    let mut found = 0;
    for check in CHECKS {
        let findings = (check.look)(&tree);
        println!("{} {}", if findings.is_empty() { "ok    " } else { "FAILED" }, check.title);
        findings.iter().for_each(|finding| println!("       {finding}"));
        found += findings.len();
    }
    if found > 0 {
        bail!("tidy found {found} {} to put right", if found == 1 { "thing" } else { "things" });
    }
    Ok(())
}

/// Writes the table of all limits anew.
pub(crate) fn write_limits() -> Result<()> {
    let tree = Tree::load(&run::root())?;
    let table = limits::table(&tree).map_err(|finding| anyhow!("{finding}"))?;
    std::fs::write(run::root().join(limits::TABLE), table).context("could not write the table of limits")
}
