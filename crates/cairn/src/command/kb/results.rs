//! `cairn kb results`.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use cairn_base::from_iso;
use cairn_documents::limits::RESULTS_BYTES_MAX;
use cairn_documents::{ResultFormat, ResultsError, TestRun, parse_results};
use cairn_kb::tools::{ResultCase, ResultsInput, ResultsOutput};
use cairn_kip::width;
use clap::{Args, Subcommand, ValueEnum};

use super::Call;
use super::text::{Names, counted};
use crate::command::answer::{json, text};
use crate::command::input::is_stdin;
use crate::command::kip::table::padded;
use crate::command::print;
use crate::failure::Failure;
use crate::reach::Needs;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn kb results import target/nextest/ci/junit.xml --run ci-4711 --commit \"$(git rev-parse HEAD)\"
  pytest --junitxml=report.xml; cairn kb results import report.xml
  cairn kb results import target/surefire-reports/*.xml
  go test -json ./... | cairn kb results import -";

pub(crate) const IMPORT_AFTER_HELP: &str = "\
Examples:
  cairn kb results import target/nextest/ci/junit.xml --run ci-4711 --commit \"$(git rev-parse HEAD)\"
  cairn kb results import target/surefire-reports/*.xml --at 2026-05-01T10:00:00Z
  go test -json ./... | cairn kb results import -

Sets the status of tests to passing, failing or skipped, with run, commit and time. A case belongs
to a test whose source is file::name, like tests/test_auth.py::test_login, or whose id stands as a
whole word in the name or in a property of the case. A test with several cases fails if one of them
does, also if they have the same name. Attempts within one JUnit test case, and lines of `go test`
about one test, are one case with the last outcome. Cases that belong to no test are listed.

All files are one import: all of it is stored, or nothing. Imports with the same --run are combined.
Tests that have results of a later time stay as they are. The time is --at, else that of the
reports if it has a time zone, else now.";

/// What to do with test results.
#[derive(Debug, Subcommand)]
pub(crate) enum ResultsCommand {
    /// Import reports of a test run
    #[command(after_help = IMPORT_AFTER_HELP)]
    Import(ImportArgs),
}

/// Reports, and what they are of.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// Reports in JUnit XML or of `go test -json`; - for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Id of the test run, such as that of a CI job
    #[arg(long, value_name = "ID")]
    run: Option<String>,

    /// Commit that was tested
    #[arg(long, value_name = "SHA")]
    commit: Option<String>,

    /// Time of the run, ISO 8601
    #[arg(long, value_name = "TIME")]
    at: Option<String>,

    /// Format of the reports [default: told from their contents]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
}

/// A format of reports.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// JUnit XML: pytest, cargo-nextest, Surefire, jest-junit and others
    Junit,
    /// Lines of JSON of `go test -json` and gotestsum
    Go,
}

const CASES: Names = ["test case", "test cases"];
const TESTS: Names = ["test", "tests"];

/// Runs the command.
pub(super) fn results(call: &Call<'_>, command: ResultsCommand) -> Result<(), Failure> {
    match command {
        ResultsCommand::Import(arguments) => import(call, arguments),
    }
}

fn import(call: &Call<'_>, arguments: ImportArgs) -> Result<(), Failure> {
    let ImportArgs { files, run, commit, at, format } = arguments;
    let format = format.map(|format| match format {
        Format::Junit => ResultFormat::Junit,
        Format::Go => ResultFormat::Go,
    });
    let runs: Result<Vec<TestRun>, Failure> = files.iter().map(|file| read(file, format)).collect();
    let runs = runs?;
    warn_of_unfinished(&files, &runs);
    let latest = runs.iter().filter_map(|run| run.at.as_deref()).max_by_key(|at| from_iso(at));
    let at = at.or_else(|| latest.map(str::to_owned));
    let tree = call.tree()?;
    let cases = runs.into_iter().flat_map(|run| run.cases);
    let cases = cases.map(|test| below(tree.root(), test.case)).collect();
    let input = ResultsInput { run, commit, at, cases, request_id: None };
    let work = async |client: &mut cairn_http::Client| {
        client.kb_import_results(&tree.id, tree.branch(), &input).await
    };
    let output = tree.ask(Needs::Store, work)?;
    print(&if call.as_json { json(&output) } else { shown(&output) })
}

fn read(file: &Path, format: Option<ResultFormat>) -> Result<TestRun, Failure> {
    let name = if is_stdin(file) { "standard input".to_owned() } else { file.display().to_string() };
    let failed = |error| Failure::io(format_args!("read {name}"), &error);
    let input: Box<dyn Read> =
        if is_stdin(file) { Box::new(std::io::stdin()) } else { Box::new(File::open(file).map_err(failed)?) };
    let mut bytes = Vec::new();
    input.take(RESULTS_BYTES_MAX as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
    Ok(parse_results(&name, &bytes, format)?)
}

/// Tests that a warning names.
const NAMED_TESTS: usize = 5;

/// Names tests that a report has no outcome of, because it was cut off.
fn warn_of_unfinished(files: &[PathBuf], runs: &[TestRun]) {
    for (file, run) in files.iter().zip(runs).filter(|(_, run)| !run.unfinished.is_empty()) {
        let mut named: Vec<String> = run.unfinished.iter().take(NAMED_TESTS).map(|test| text(test)).collect();
        let more = run.unfinished.len() - named.len();
        named.extend((more > 0).then(|| format!("and {more} more")));
        let file = text(&file.display().to_string());
        eprintln!("warning: {file}: began and did not end, so without a result: {}", named.join(", "));
    }
}

/// A case whose file, if it is below the root of the tree, is named from there.
fn below(root: &Path, case: ResultCase) -> ResultCase {
    let relative = case.file.as_deref().map(Path::new).and_then(|file| file.strip_prefix(root).ok());
    let relative = relative.and_then(Path::to_str).map(str::to_owned);
    ResultCase { file: relative.or(case.file), ..case }
}

/// The outcome for people.
fn shown(output: &ResultsOutput) -> String {
    let mut said = String::new();
    let ids = output.updated.iter().map(|test| &test.id).chain(output.older.iter().map(|test| &test.id));
    let column = ids.map(|id| width(&text(id))).max().unwrap_or(0);
    for test in &output.updated {
        let (id, from) = (padded(&text(&test.id), column), text(&test.from));
        let change = if *from == *test.to.text() { from } else { format!("{from} -> {}", test.to) };
        said += &format!("{id}  {change}\n");
    }
    said += &more(output.updated.len(), output.updated_count);
    for test in &output.older {
        let id = padded(&text(&test.id), column);
        said += &format!("{id}  kept: its results are of {}\n", text(&test.result_at));
    }
    said += &more(output.older.len(), output.older_count);
    if output.unmatched_count > 0 {
        said += "cases that belong to no test:\n";
    }
    let column = output.unmatched.iter().map(|case| case.status.text().len()).max().unwrap_or(0);
    for case in &output.unmatched {
        said += &format!("  {}  {}", padded(case.status.text(), column), text(&case.case));
        if !case.candidates.is_empty() {
            said += &format!("  (may be {})", text(&case.candidates.join(", ")));
        }
        said += "\n";
    }
    said += &more(output.unmatched.len(), output.unmatched_count);
    said += &format!(
        "{}, {} matched; {} with results, {} updated\n",
        counted(output.cases, CASES),
        output.matched,
        counted(output.tests, TESTS),
        output.updated_count
    );
    said
}

/// The line for those that are not listed.
fn more(listed: usize, count: u64) -> String {
    match count.saturating_sub(listed as u64) {
        0 => String::new(),
        more => format!("  and {more} more\n"),
    }
}

impl From<ResultsError> for Failure {
    fn from(error: ResultsError) -> Self {
        Failure::usage(error.to_string()).hint(error.hint)
    }
}
