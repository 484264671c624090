//! Reports of test runners, and hostile ones.

use cairn_kb::limits::{RESULT_CASES_MAX, RESULT_PROPERTIES_MAX, RESULT_TEXT_BYTES_MAX};
use proptest::prelude::*;

use crate::limits::{RESULTS_BYTES_MAX, RESULTS_DEPTH_MAX};
use crate::{ResultFormat, TestRun, parse_results};

/// The time of a run and its cases: outcome, class, file, name, properties and seconds.
fn shown(run: &TestRun) -> String {
    let mut lines = vec![run.at.clone().unwrap_or_else(|| "no time".to_owned())];
    for test in &run.cases {
        let case = &test.case;
        let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
        let mut line = format!("{} {} {} {}", case.status, text(&case.class), text(&case.file), case.name);
        for property in &case.properties {
            line.push_str(&format!(" {{{}={}}}", property.name, property.value));
        }
        line.push_str(&test.seconds.map(|seconds| format!(" {seconds}s")).unwrap_or_default());
        lines.push(line);
    }
    lines.join("\n")
}

#[track_caller]
fn check(report: &str, expected: &str) {
    let run = parse_results("report", report.as_bytes(), None).expect("it is a report");
    assert_eq!(shown(&run), expected.trim_matches('\n'));
}

#[track_caller]
fn refused(report: &str, line: Option<u32>, message: &str) {
    let error = parse_results("r.xml", report.as_bytes(), None).expect_err("it is refused");
    assert_eq!((error.line, error.message.as_str()), (line, message));
    assert!(!error.hint.is_empty() && error.to_string().starts_with("r.xml:"), "{error}");
}

#[test]
fn pytest() {
    check(
        include_str!("../../tests/reports/pytest.xml"),
        "
2026-05-01T10:00:00.250000+00:00
passing tests.test_session - test_ends_when_idle {requirement=TEST-IDLE} 0s
passing tests.test_session - test_login[admin] 0s
failing tests.test_session - test_login[user[1]] 0s
passing tests.test_session.TestLogout - test_forgets 0s
skipped tests.test_session.TestLogout - test_everywhere 0s
failing tests.test_session - test_needs_db 0s
",
    );
    let run =
        parse_results("r", include_bytes!("../../tests/reports/pytest-xunit1.xml"), None).expect("a report");
    assert_eq!(run.cases[0].case.file.as_deref(), Some("tests/test_session.py"));
    assert_eq!(run.cases.len(), 6);
}

#[test]
fn nextest() {
    check(
        include_str!("../../tests/reports/nextest.xml"),
        "
2026-05-01T12:00:00.123+02:00
passing shop - session::tests::ends_when_idle 0.01s
failing shop - session::tests::keeps_busy 0.02s
passing shop - works 0.001s
passing shop::it - login::is_flaky 0.3s
",
    );
}

#[test]
fn surefire() {
    check(
        include_str!("../../tests/reports/surefire.xml"),
        "
no time
passing com.shop.LoginTest - logsIn 0.061s
passing com.shop.LoginTest - logsIn(String)[2] 1204.1s
failing com.shop.LoginTest - logsOut 0.002s
passing com.shop.LoginTest - isFlaky 0.003s
skipped com.shop.LoginTest - isLater 0s
failing com.shop.LoginTest - hasNoDatabase 0.1s
",
    );
}

#[test]
fn jest_and_others() {
    check(
        include_str!("../../tests/reports/jest.xml"),
        "
no time
passing auth logs in [TEST-1] src/auth.test.ts auth logs in [TEST-1] 0.01s
failing auth logs out src/auth.test.ts auth logs out 0.02s
skipped auth later src/auth.test.ts auth later 0s
",
    );
    // The file of a suite is that of its cases; an attribute may say that a case was not run.
    check(
        "<testsuite file='a.js'><testsuite name='b'><testcase name='x' status='notrun'/>\n<testcase name='y' \
         file='c.js' classname=''/></testsuite><testcase name='z &lt;1&gt; &#x41;'/></testsuite>",
        "no time\nskipped - a.js x\npassing - c.js y\npassing - a.js z <1> A",
    );
}

#[test]
fn go_test() {
    check(
        include_str!("../../tests/reports/go-test.json"),
        "
2026-05-01T10:00:06.71022046Z
failing example.com/shop/auth - TestLogin 0s
passing example.com/shop/auth - TestLogin/admin 0s
failing example.com/shop/auth - TestLogin/user_TEST-2 0s
skipped example.com/shop/auth - TestLogout 0s
passing example.com/shop/auth - TestSession 0s
",
    );
    // The last attempt counts. A test that ended its process failed, one of a report that was cut off did not.
    check(
        include_str!("../../tests/reports/gotestsum-rerun.json"),
        "
2026-05-01T10:00:04Z
passing example.com/shop/auth - TestFlaky 0.5s
failing example.com/shop/auth - TestBroken 0s
failing example.com/shop/auth - TestPanics
",
    );
}

#[test]
fn packages_that_fail_without_a_test_are_cases() {
    check(
        r#"{"ImportPath":"example.com/shop/a [example.com/shop/a.test]","Action":"build-output","Output":"no\n"}
{"ImportPath":"example.com/shop/a [example.com/shop/a.test]","Action":"build-fail"}
{"Action":"start","Package":"example.com/shop/a"}
{"Action":"fail","Package":"example.com/shop/a","FailedBuild":"example.com/shop/a [example.com/shop/a.test]"}
{"Action":"start","Package":"example.com/shop/init"}
{"Action":"fail","Package":"example.com/shop/init"}
{"Action":"pass","Package":"example.com/shop/main","Test":"TestX"}
{"Action":"fail","Package":"example.com/shop/main"}
{"Action":"fail","Package":"example.com/shop/plain","Test":"TestX"}
{"Action":"fail","Package":"example.com/shop/plain"}
{"Action":"skip","Package":"example.com/shop/none"}
{"ImportPath":"example.com/shop/lost","Action":"build-fail"}"#,
        "
no time
passing example.com/shop/main - TestX
failing example.com/shop/plain - TestX
failing example.com/shop/a - (build failed)
failing example.com/shop/init - (package failed)
failing example.com/shop/main - (package failed)
failing example.com/shop/lost - (build failed)
",
    );
    let cut = r#"{"Action":"start","Package":"a"}
{"Action":"run","Package":"a","Test":"TestX"}
{"Action":"start","Package":"b"}"#;
    let run = parse_results("r", cut.as_bytes(), None).expect("it is a report");
    assert_eq!((run.cases.len(), run.unfinished), (0, vec!["a::TestX".to_owned(), "b".to_owned()]));
    // Lines of other programs say nothing, and those that claim to be events must be some.
    check(
        "{\"level\":\"info\",\"Time\":3}\n{\"Action\":\"pass\",\"Test\":\"TestX\"}",
        "no time\npassing - - TestX",
    );
    let error = parse_results("r", b"{\"Action\":3}", None).expect_err("it is refused");
    assert_eq!(error.line, Some(1));
}

#[test]
fn a_case_without_a_name_is_a_case() {
    check(
        "<testsuite><testcase classname='x'/><testcase name=''><failure/></testcase></testsuite>",
        "no time\npassing x - (no name)\nfailing - - (no name)",
    );
}

#[test]
fn the_format_is_told_from_the_content_or_named() {
    refused("", None, "the format of the report is unknown");
    refused("ok\n{\"a\": 1}\n", None, "the format of the report is unknown");
    for report in [&b"ok  \texample.com/shop\n"[..], b"", b"{\"a\": 1}"] {
        let error = parse_results("r", report, Some(ResultFormat::Go)).expect_err("no events");
        assert_eq!(error.message, "there is no event of `go test`");
    }
    assert!(parse_results("r", b"{}", Some(ResultFormat::Junit)).is_err());
    check("\u{feff} <testsuites/>", "no time");
}

#[test]
fn what_is_no_report_is_refused_with_its_line() {
    refused("<html>\n</html>", Some(2), "there is no test suite");
    refused("<testsuite/>\n<testsuite/>", Some(2), "there is more than one root element");
    refused("<testsuite/>\nkilled", Some(2), "there is text outside of the root element");
    refused("<testsuite/>\n<![CDATA[x]]>", Some(2), "there is text outside of the root element");
    refused("<testsuite/>\n&lt;", Some(2), "there is text outside of the root element");
    refused("<testsuite>\n<testcase name='x'>", Some(2), "the report ends within an element");
    refused(
        "<testsuite>\n</testcase>",
        Some(2),
        "invalid XML: ill-formed document: expected `</testsuite>`, but `</testcase>` was found",
    );
    refused(
        "{\"Action\": \"run\"}\n{\"Action\":",
        Some(2),
        "the line is no event of `go test`: EOF while parsing a value at line 1 column 10",
    );
    let error = parse_results("r", b"<testsuite>\n\xff</testsuite>", None).expect_err("it is refused");
    assert_eq!((error.line, error.message.as_str()), (Some(2), "the report is not UTF-8"));
}

#[test]
fn entities_and_definitions_are_refused() {
    let bomb = "<!DOCTYPE a [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>\n<testsuite name='&b;'/>";
    refused(bomb, Some(1), "there is a document type definition");
    let error = parse_results("r", b"<testsuite>\n<testcase name='&b;'/></testsuite>", None);
    assert!(
        error
            .is_err_and(|error| error.line == Some(2) && error.message.starts_with("invalid attribute name"))
    );
}

#[test]
fn reports_have_limits() {
    let deep =
        |count: usize| format!("<testsuite>{}{}</testsuite>", "<a>".repeat(count), "</a>".repeat(count));
    let parse = |report: &str| parse_results("r", report.as_bytes(), None);
    assert!(parse(&deep(RESULTS_DEPTH_MAX - 1)).is_ok());
    assert!(parse(&deep(RESULTS_DEPTH_MAX)).is_err());
    assert!(parse(&"<a>".repeat(1_000_000)).is_err());
    let cases = |count: usize| format!("<testsuite>{}</testsuite>", "<testcase name='x'/>".repeat(count));
    assert!(parse(&cases(RESULT_CASES_MAX)).is_ok());
    assert!(parse(&cases(RESULT_CASES_MAX + 1)).is_err());
    let named = |bytes: usize| format!("<testsuite><testcase name='{}'/></testsuite>", "x".repeat(bytes));
    assert!(parse(&named(RESULT_TEXT_BYTES_MAX)).is_ok());
    assert!(parse(&named(RESULT_TEXT_BYTES_MAX + 1)).is_err());
    let properties = |count: usize| {
        let all = "<property name='a' value='b'/>".repeat(count);
        format!("<testsuite><testcase name='x'><properties>{all}</properties></testcase></testsuite>")
    };
    assert!(parse(&properties(RESULT_PROPERTIES_MAX)).is_ok());
    assert!(parse(&properties(RESULT_PROPERTIES_MAX + 1)).is_err());
    let wide = format!("<testsuite {}/>", "a='1' ".repeat(200_000));
    assert!(parse(&wide).is_ok());
    let huge = format!("<testsuite>{}</testsuite>", " ".repeat(RESULTS_BYTES_MAX));
    assert!(parse(&huge).is_err_and(|error| error.message.contains("more than the")));
}

proptest! {
    #[test]
    fn arbitrary_text_does_no_harm(
        text in "(<|>|/|testsuite|testcase|property|name=|'|\"|&|;|\\{|\\}|Action|:|,|!|\\[|CDATA|--|\\?|\n| |é){0,40}",
        bytes in prop::collection::vec(any::<u8>(), 0..100),
    ) {
        for format in [ResultFormat::Junit, ResultFormat::Go] {
            let _ = parse_results("r", text.as_bytes(), Some(format));
            let _ = parse_results("r", &bytes, Some(format));
        }
    }
}
