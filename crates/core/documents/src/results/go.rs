//! Lines of JSON of `go test -json`, and of `gotestsum --jsonfile`.

use std::collections::HashMap;

use cairn_kb::tools::ResultStatus;
use serde::Deserialize;

use super::error::Refusal;
use super::run::{TestCase, TestRun, plain};

/// What counts of a line.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Line {
    #[serde(default)]
    time: Option<String>,
    action: String,
    #[serde(default)]
    package: Option<String>,
    #[serde(default)]
    test: Option<String>,
    #[serde(default)]
    elapsed: Option<f64>,
}

/// A test that began.
struct Begun {
    package: String,
    test: String,
    line: usize,
    outcome: Option<(ResultStatus, Option<f64>)>,
}

/// Reads lines of events. Other lines, which builds write between them, are skipped.
///
/// A test that began and did not end, in a package that failed, failed with it: it ended the process. A test that did not
/// end in a report that was cut off has no result.
pub(super) fn parse(text: &str) -> Result<TestRun, Refusal> {
    let mut run = TestRun::default();
    let mut tests: Vec<Begun> = Vec::new();
    let mut known: HashMap<(String, String), usize> = HashMap::new();
    let mut failed: HashMap<String, bool> = HashMap::new();
    let mut latest: Option<String> = None;
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| line.starts_with('{')) {
        let Line { time, action, package, test, elapsed } = serde_json::from_str(line).map_err(|error| {
            let hint = "give the unchanged output of `go test -json`";
            Refusal::at(number, format!("the line is no event of `go test`: {error}"), hint)
        })?;
        latest = time.or(latest);
        let status = match action.as_str() {
            "pass" | "bench" => Some(ResultStatus::Passing),
            "fail" => Some(ResultStatus::Failing),
            "skip" => Some(ResultStatus::Skipped),
            "run" => None,
            _ => continue,
        };
        let package = package.unwrap_or_default();
        let Some(test) = test.filter(|test| !test.is_empty()) else {
            failed.insert(package, status == Some(ResultStatus::Failing));
            continue;
        };
        let index = *known.entry((package.clone(), test.clone())).or_insert(tests.len());
        if index == tests.len() {
            tests.push(Begun { package, test, line: number, outcome: None });
        }
        tests[index].outcome = status.map(|status| (status, elapsed));
    }
    latest.iter().for_each(|time| run.note_time(time));
    for Begun { package, test, line, outcome } in tests {
        let is_failed = failed.get(&package).copied().unwrap_or(false);
        let outcome = outcome.or_else(|| is_failed.then_some((ResultStatus::Failing, None)));
        let Some((status, seconds)) = outcome else { continue };
        run.add(TestCase { case: plain(&test, Some(&package), status), seconds }, line)?;
    }
    Ok(run)
}
