//! `cairn kip check`.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::caret;
use super::source::Source;
use crate::command;
use crate::failure::Failure;

pub(super) const AFTER_HELP: &str = "\
Examples:
  cairn kip check medicine.kip
  cairn kip check *.kip --json       mistakes as a list, for editors
  generate | cairn kip check -

Nothing is printed, and the exit code is 0, if all files are well written. Names of types and
predicates are not looked up: that takes the memory.";

/// Reads every file, and shows the first mistake of each.
pub(super) fn check(files: &[PathBuf], as_json: bool) -> Result<(), Failure> {
    let (mut failures, mut found) = (Vec::new(), Vec::new());
    for file in files {
        let source = Source::read(file)?;
        if let Err(error) = cairn_kip::parse(&source.text) {
            let place = error.span.map(|span| cairn_kip::line_column(&source.text, span));
            found.push(json!({
                "file": source.name,
                "line": place.map(|(line, _)| line),
                "column": place.map(|(_, column)| column),
                "code": error.code.text(),
                "message": error.message,
                "hint": error.advice(),
            }));
            failures.push(caret::failure(&source, &error));
        }
    }
    if as_json {
        command::print(&format!("{:#}\n", Value::Array(found)))?;
        return if failures.is_empty() { Ok(()) } else { Err(told(failures.len(), files.len())) };
    }
    // The last one ends the command.
    let Some(last) = failures.pop() else { return Ok(()) };
    for failure in failures {
        failure.report();
    }
    Err(last)
}

fn told(wrong: usize, all: usize) -> Failure {
    Failure::new(format!("{wrong} of {all} files cannot be read as KIP"))
}
