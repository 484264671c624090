//! A test run.

use cairn_base::from_iso;
use cairn_kb::limits::{RESULT_CASES_MAX, RESULT_TEXT_BYTES_MAX};
use cairn_kb::tools::{CaseProperty, ResultCase, ResultStatus};

use super::error::Refusal;

/// A format of reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultFormat {
    /// JUnit XML, as pytest, cargo-nextest, Surefire, jest-junit and others write it.
    Junit,
    /// Lines of JSON, as `go test -json` and gotestsum write them.
    Go,
}

/// The cases of a test run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TestRun {
    /// Its cases, in the order of the report.
    pub cases: Vec<TestCase>,
    /// The latest time with a time zone that the report names, as it is written.
    pub at: Option<String>,
    /// Tests and packages that began and did not end, and have no result.
    pub unfinished: Vec<String>,
}

/// A test case of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct TestCase {
    /// Its names, its outcome and its properties.
    pub case: ResultCase,
    /// How long it took, in seconds, if the report says so.
    pub seconds: Option<f64>,
}

impl ResultFormat {
    /// Tells the format of a report by its beginning. Lines of `go test` may follow others.
    pub(super) fn of(text: &str) -> Option<Self> {
        if text.trim_start().starts_with('<') {
            return Some(ResultFormat::Junit);
        }
        let mut lines = text.lines().filter(|line| line.starts_with('{'));
        lines.any(|line| line.contains("\"Action\"")).then_some(ResultFormat::Go)
    }
}

impl TestRun {
    /// Notes a time of the report. Times without a zone are those of an unknown clock.
    pub(super) fn note_time(&mut self, time: &str) {
        let is_later = from_iso(time).is_some_and(|new| self.at.as_deref().and_then(from_iso) < Some(new));
        if is_later {
            self.at = Some(time.to_owned());
        }
    }

    /// Adds a case. Fails if there are too many, or a text of it is too long.
    pub(super) fn add(&mut self, case: TestCase, line: usize) -> Result<(), Refusal> {
        if self.cases.len() >= RESULT_CASES_MAX {
            let message = format!("there are more than {RESULT_CASES_MAX} test cases");
            return Err(Refusal::at(line, message, "have the test runner write several reports"));
        }
        let ResultCase { name, class, suite, file, .. } = &case.case;
        let longest = [Some(name), class.as_ref(), suite.as_ref(), file.as_ref()];
        if longest.into_iter().flatten().any(|text| text.len() > RESULT_TEXT_BYTES_MAX) {
            let message = format!("a name has more than {RESULT_TEXT_BYTES_MAX} bytes");
            return Err(Refusal::at(line, message, "give the parameters of the test short ids"));
        }
        self.cases.push(case);
        Ok(())
    }
}

/// A case without properties.
pub(super) fn plain(name: &str, class: Option<&str>, status: ResultStatus) -> ResultCase {
    let class = class.filter(|class| !class.is_empty()).map(str::to_owned);
    let properties: Vec<CaseProperty> = Vec::new();
    ResultCase { name: name.to_owned(), class, suite: None, file: None, status, properties }
}
