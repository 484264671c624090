//! Lines of JSON of `go test -json`, and of `gotestsum --jsonfile`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use cairn_kb::tools::ResultStatus;
use serde::Deserialize;
use serde::de::IgnoredAny;

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
    #[serde(default)]
    import_path: Option<String>,
    #[serde(default)]
    failed_build: Option<String>,
}

/// A line of another program.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Other {
    #[serde(default)]
    action: Option<IgnoredAny>,
}

/// A test that began.
struct Begun {
    package: String,
    test: String,
    line: usize,
    outcome: Option<(ResultStatus, Option<f64>)>,
}

/// A package that was named.
#[derive(Default)]
struct Package {
    line: usize,
    end: Option<ResultStatus>,
    failed_build: Option<String>,
}

/// The case of a package that was not built.
const NOT_BUILT: &str = "(build failed)";
/// The case of a package that failed, though no test of it did.
const FAILED: &str = "(package failed)";

/// Reads lines of events. Other lines, which builds write between them, are skipped.
///
/// A test that began and did not end, in a package that failed, failed with it: it ended the process. In a report that
/// was cut off it has no result. A package that failed without a test that did has a case of its own.
pub(super) fn parse(text: &str) -> Result<TestRun, Refusal> {
    let mut run = TestRun::default();
    let mut tests: Vec<Begun> = Vec::new();
    let mut known: HashMap<(String, String), usize> = HashMap::new();
    let mut packages: BTreeMap<String, Package> = BTreeMap::new();
    let mut failed_builds: BTreeMap<String, usize> = BTreeMap::new();
    let mut latest: Option<String> = None;
    let mut has_events = false;
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| line.starts_with('{')) {
        let Some(event) = event(number, line)? else { continue };
        has_events = true;
        let Line { time, action, package, test, elapsed, import_path, failed_build } = event;
        latest = time.or(latest);
        let status = match action.as_str() {
            "pass" | "bench" => Some(ResultStatus::Passing),
            "fail" => Some(ResultStatus::Failing),
            "skip" => Some(ResultStatus::Skipped),
            "run" | "start" => None,
            "build-fail" => {
                failed_builds.insert(import_path.unwrap_or_default(), number);
                continue;
            }
            _ => continue,
        };
        let package = package.unwrap_or_default();
        let Some(test) = test.filter(|test| !test.is_empty()) else {
            packages.insert(package, Package { line: number, end: status, failed_build });
            continue;
        };
        packages.entry(package.clone()).or_insert_with(|| Package { line: number, ..Package::default() });
        let index = *known.entry((package.clone(), test.clone())).or_insert(tests.len());
        if index == tests.len() {
            tests.push(Begun { package, test, line: number, outcome: None });
        }
        tests[index].outcome = status.map(|status| (status, elapsed));
    }
    if !has_events {
        let hint = "give the unchanged output of `go test -json`";
        return Err(Refusal { line: None, message: "there is no event of `go test`".to_owned(), hint });
    }
    latest.iter().for_each(|time| run.note_time(time));
    let mut explained = BTreeSet::new();
    for Begun { package, test, line, outcome } in tests {
        let is_failed =
            packages.get(&package).is_some_and(|package| package.end == Some(ResultStatus::Failing));
        let outcome = outcome.or_else(|| is_failed.then_some((ResultStatus::Failing, None)));
        let Some((status, seconds)) = outcome else {
            run.unfinished.push(format!("{package}::{test}"));
            explained.insert(package);
            continue;
        };
        run.add(TestCase { case: plain(&test, Some(&package), status), seconds }, line)?;
        if status == ResultStatus::Failing {
            explained.insert(package);
        }
    }
    add_packages(&mut run, &packages, failed_builds, &explained)?;
    Ok(run)
}

/// An event; `None` for the line of another program.
fn event(number: usize, line: &str) -> Result<Option<Line>, Refusal> {
    let error = match serde_json::from_str(line) {
        Ok(event) => return Ok(Some(event)),
        Err(error) => error,
    };
    match serde_json::from_str(line) {
        Ok(Other { action: None }) => Ok(None),
        Ok(Other { action: Some(_) }) | Err(_) => {
            let hint = "give the unchanged output of `go test -json`";
            Err(Refusal::at(number, format!("the line is no event of `go test`: {error}"), hint))
        }
    }
}

/// Adds cases of packages that failed, and whose failure no test explains, and names those that did not end.
fn add_packages(
    run: &mut TestRun,
    packages: &BTreeMap<String, Package>,
    mut failed_builds: BTreeMap<String, usize>,
    explained: &BTreeSet<String>,
) -> Result<(), Refusal> {
    for Package { failed_build, .. } in packages.values() {
        if let Some(build) = failed_build {
            failed_builds.remove(build);
        }
    }
    let failing = |name: &str, package: &str| TestCase {
        case: plain(name, Some(package), ResultStatus::Failing),
        seconds: None,
    };
    for (package, Package { line, end, failed_build }) in packages {
        if explained.contains(package) {
            continue;
        }
        match end {
            Some(ResultStatus::Failing) => {
                let name = if failed_build.is_some() { NOT_BUILT } else { FAILED };
                run.add(failing(name, package), *line)?;
            }
            Some(ResultStatus::Passing | ResultStatus::Skipped) => {}
            None => run.unfinished.push(package.clone()),
        }
    }
    // The import path of a test binary has the name of the binary behind it.
    let alone: BTreeMap<&str, usize> =
        failed_builds.iter().map(|(path, line)| (path.split(' ').next().unwrap_or(path), *line)).collect();
    let is_known =
        |path: &str| packages.get(path).is_some_and(|package| package.end == Some(ResultStatus::Failing));
    for (path, line) in alone.into_iter().filter(|(path, _)| !is_known(path)) {
        run.add(failing(NOT_BUILT, path), line)?;
    }
    Ok(())
}
