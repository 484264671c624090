//! JUnit XML. Entities beyond the five of XML, and document type definitions, are refused; text is skipped.

use cairn_kb::limits::{RESULT_PROPERTIES_MAX, RESULT_TEXT_BYTES_MAX};
use cairn_kb::tools::{CaseProperty, ResultStatus};
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::error::Refusal;
use super::run::{TestCase, TestRun, plain};
use crate::limits::RESULTS_DEPTH_MAX;

const WELL_FORMED: &str = "check that the test runner has written the whole report";

/// The name of a case without one.
const UNNAMED: &str = "(no name)";

pub(super) fn parse(text: &str) -> Result<TestRun, Refusal> {
    let mut reader = Reader::from_str(text);
    let mut junit = Junit { lines: Lines { text, line: 1, at: 0 }, ..Junit::default() };
    loop {
        let event = reader.read_event();
        junit.lines.go_to(usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX));
        let event = event.map_err(|error| junit.refuse(format!("invalid XML: {error}"), WELL_FORMED))?;
        match event {
            Event::Start(element) => junit.start(&element)?,
            Event::Empty(element) => {
                junit.start(&element)?;
                junit.end()?;
            }
            Event::End(_) => junit.end()?,
            Event::DocType(_) => {
                let hint = "remove it: reports need none";
                return Err(junit.refuse("there is a document type definition".to_owned(), hint));
            }
            Event::Eof => break,
            Event::Text(text) => junit.text(text.trim_ascii().is_empty())?,
            Event::CData(_) | Event::GeneralRef(_) => junit.text(false)?,
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
        }
    }
    if !junit.open.is_empty() {
        return Err(junit.refuse("the report ends within an element".to_owned(), WELL_FORMED));
    }
    if !junit.has_suites {
        let hint = "a report of JUnit XML has the element testsuites or testsuite at its top";
        return Err(junit.refuse("there is no test suite".to_owned(), hint));
    }
    Ok(junit.run)
}

#[derive(Default)]
struct Junit<'a> {
    run: TestRun,
    open: Vec<Element>,
    suites: Vec<Suite>,
    case: Option<Case>,
    has_root: bool,
    has_suites: bool,
    lines: Lines<'a>,
}

/// An open element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Element {
    Suite,
    Case,
    Other,
}

#[derive(Default)]
struct Suite {
    name: Option<String>,
    file: Option<String>,
}

/// An open case.
struct Case {
    /// Elements that were open when it began.
    depth: usize,
    case: TestCase,
    has_failure: bool,
    is_skipped: bool,
}

impl Junit<'_> {
    /// Text says nothing, and has no place beside the root.
    fn text(&self, is_blank: bool) -> Result<(), Refusal> {
        if is_blank || !self.open.is_empty() {
            return Ok(());
        }
        Err(self.refuse("there is text outside of the root element".to_owned(), WELL_FORMED))
    }

    fn start(&mut self, element: &BytesStart<'_>) -> Result<(), Refusal> {
        let depth = self.open.len();
        if depth == 0 && std::mem::replace(&mut self.has_root, true) {
            let message = "there is more than one root element".to_owned();
            return Err(self.refuse(message, "give each report as a file of its own"));
        }
        if depth >= RESULTS_DEPTH_MAX {
            let message = format!("elements are more than {RESULTS_DEPTH_MAX} deep");
            return Err(self.refuse(message, WELL_FORMED));
        }
        let name = element.local_name();
        let kind = match (name.as_ref(), &mut self.case) {
            ("testsuites", None) => {
                self.has_suites = true;
                let [timestamp] = self.attributes(element, ["timestamp"])?;
                timestamp.iter().for_each(|time| self.run.note_time(time));
                Element::Other
            }
            ("testsuite", None) => {
                self.has_suites = true;
                self.start_suite(element)?;
                Element::Suite
            }
            ("testcase", None) => {
                self.start_case(element, depth)?;
                Element::Case
            }
            // Only `flakyFailure` and `flakyError` of attempts that failed before one that passed say nothing.
            ("failure" | "error" | "rerunFailure" | "rerunError", Some(case)) if depth == case.depth + 1 => {
                case.has_failure = true;
                Element::Other
            }
            ("skipped", Some(case)) if depth == case.depth + 1 => {
                case.is_skipped = true;
                Element::Other
            }
            ("property", Some(_)) => {
                self.property(element)?;
                Element::Other
            }
            _ => Element::Other,
        };
        self.open.push(kind);
        Ok(())
    }

    fn end(&mut self) -> Result<(), Refusal> {
        match self.open.pop() {
            Some(Element::Suite) => drop(self.suites.pop()),
            Some(Element::Case) => {
                if let Some(Case { mut case, has_failure, is_skipped, .. }) = self.case.take() {
                    case.case.status = match (has_failure, is_skipped) {
                        (true, _) => ResultStatus::Failing,
                        (false, true) => ResultStatus::Skipped,
                        (false, false) => ResultStatus::Passing,
                    };
                    self.run.add(case, self.lines.line)?;
                }
            }
            Some(Element::Other) | None => {}
        }
        Ok(())
    }

    fn start_suite(&mut self, element: &BytesStart<'_>) -> Result<(), Refusal> {
        let [name, file, filepath, timestamp] =
            self.attributes(element, ["name", "file", "filepath", "timestamp"])?;
        timestamp.iter().for_each(|time| self.run.note_time(time));
        self.suites.push(Suite { name, file: file.or(filepath) });
        Ok(())
    }

    fn start_case(&mut self, element: &BytesStart<'_>, depth: usize) -> Result<(), Refusal> {
        let [name, class, file, time, status, result] =
            self.attributes(element, ["name", "classname", "file", "time", "status", "result"])?;
        let name = name.filter(|name| !name.is_empty()).unwrap_or_else(|| UNNAMED.to_owned());
        let mut case = plain(&name, class.as_deref(), ResultStatus::Passing);
        let is_said = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
        let suite = self.suites.iter().rev();
        case.file = file.filter(|file| !file.is_empty());
        if case.file.is_none() {
            case.file = suite.clone().find(|suite| is_said(&suite.file)).and_then(|suite| suite.file.clone());
        }
        case.suite = self.suites.last().and_then(|suite| suite.name.clone()).filter(|name| !name.is_empty());
        // GoogleTest and others say so in an attribute.
        let is_not_run = |word: &String| {
            ["notrun", "skipped", "disabled", "suppressed", "ignored"]
                .iter()
                .any(|known| word.eq_ignore_ascii_case(known))
        };
        let is_skipped = [&status, &result].into_iter().flatten().any(is_not_run);
        // Some write thousands with a comma.
        let seconds = time.and_then(|time| time.replace(',', "").parse().ok());
        let seconds = seconds.filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0);
        self.case = Some(Case { depth, case: TestCase { case, seconds }, has_failure: false, is_skipped });
        Ok(())
    }

    fn property(&mut self, element: &BytesStart<'_>) -> Result<(), Refusal> {
        let [name, value] = self.attributes(element, ["name", "value"])?;
        let (name, value) = (name.unwrap_or_default(), value.unwrap_or_default());
        // Logs and other long values have no ids.
        if name.len() > RESULT_TEXT_BYTES_MAX || value.len() > RESULT_TEXT_BYTES_MAX {
            return Ok(());
        }
        let Some(case) = &mut self.case else { return Ok(()) };
        let properties = &mut case.case.case.properties;
        if properties.len() >= RESULT_PROPERTIES_MAX {
            let message = format!("a test case has more than {RESULT_PROPERTIES_MAX} properties");
            return Err(self.refuse(message, "record fewer of them"));
        }
        properties.push(CaseProperty { name, value });
        Ok(())
    }

    /// Values of attributes by their names; the first of each.
    fn attributes<const N: usize>(
        &self,
        element: &BytesStart<'_>,
        names: [&str; N],
    ) -> Result<[Option<String>; N], Refusal> {
        let mut values = [const { None }; N];
        // Comparing each attribute with all others would take long where there are many.
        for attribute in element.attributes().with_checks(false) {
            let attribute: Attribute<'_> =
                attribute.map_err(|error| self.refuse(format!("invalid XML: {error}"), WELL_FORMED))?;
            let name = attribute.key.local_name();
            let Some(index) = names.iter().position(|wanted| *wanted == name.as_ref()) else { continue };
            if values[index].is_some() {
                continue;
            }
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            let value = value.map_err(|error| {
                let hint = "entities other than &lt; &gt; &amp; &quot; &apos; are not supported";
                self.refuse(format!("invalid attribute {}: {error}", names[index]), hint)
            })?;
            values[index] = Some(value.into_owned());
        }
        Ok(values)
    }

    fn refuse(&self, message: String, hint: &'static str) -> Refusal {
        Refusal::at(self.lines.line, message, hint)
    }
}

/// The line of a place that only moves on.
#[derive(Default)]
struct Lines<'a> {
    text: &'a str,
    line: usize,
    at: usize,
}

impl Lines<'_> {
    fn go_to(&mut self, at: usize) {
        let at = at.min(self.text.len());
        if at > self.at {
            let passed = &self.text.as_bytes()[self.at..at];
            self.line += passed.iter().filter(|byte| **byte == b'\n').count();
            self.at = at;
        }
    }
}
