//! Reports of test runs: JUnit XML and the JSON lines of `go test`.

mod error;
mod go;
mod junit;
mod run;

pub use self::error::ResultsError;
pub use self::run::{ResultFormat, TestCase, TestRun};

use crate::limits::RESULTS_BYTES_MAX;

/// Reads the report of a test run. `name` is that of its file, for messages; without a format its content decides.
///
/// The cases are in the order of the report. Attempts within one JUnit case, and the lines of `go test` about one test, are
/// one case with the outcome of the last attempt; several JUnit cases with the same name are several cases.
pub fn parse_results(
    name: &str,
    bytes: &[u8],
    format: Option<ResultFormat>,
) -> Result<TestRun, ResultsError> {
    let error = |line: Option<usize>, message: String, hint: &'static str| ResultsError {
        file: name.to_owned(),
        line: line.map(|line| u32::try_from(line).unwrap_or(u32::MAX)),
        message,
        hint,
    };
    if bytes.len() > RESULTS_BYTES_MAX {
        let message = format!("{} bytes are more than the {RESULTS_BYTES_MAX} allowed", bytes.len());
        return Err(error(None, message, "have the test runner write several reports"));
    }
    let text = std::str::from_utf8(bytes).map_err(|utf8| {
        let before = &bytes[..utf8.valid_up_to()];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        error(Some(line), "the report is not UTF-8".to_owned(), "convert it to UTF-8")
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some(format) = format.or_else(|| ResultFormat::of(text)) else {
        let hint = "give a report of JUnit XML or of `go test -json`, or name its format";
        return Err(error(None, "the format of the report is unknown".to_owned(), hint));
    };
    let run = match format {
        ResultFormat::Junit => junit::parse(text),
        ResultFormat::Go => go::parse(text),
    };
    run.map_err(|problem| error(problem.line, problem.message, problem.hint))
}
