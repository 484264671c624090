//! `kb_sparql_remote`: a SELECT query at an endpoint elsewhere.

use std::fmt::Write as _;

use cairn_base::Harmless;
use serde::{Deserialize, Serialize};

use crate::limits::{SPARQL_TEXT_ROWS_MAX, SPARQL_TEXT_VALUE_CHARS_MAX};
use crate::{SparqlEndpoint, SparqlError, SparqlRequest, SparqlRow};

/// Arguments of `kb_sparql_remote`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SparqlRemoteInput {
    /// URL of the SPARQL endpoint, starting with `http://` or `https://`.
    pub endpoint: String,
    /// A SELECT query of SPARQL 1.1, at most 64 KiB.
    pub query: String,
    /// Milliseconds for the whole exchange, 1 to 60,000; defaults to 15,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Correlation id of the caller; it changes nothing.
    #[serde(default, rename = "_requestId", skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// Result of `kb_sparql_remote`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SparqlRemoteOutput {
    /// The variables, in the order of the query.
    pub vars: Vec<String>,
    /// The rows, in the order of the endpoint.
    #[schema(value_type = Vec<BTreeMap<String, crate::SparqlTerm>>)]
    pub rows: Vec<SparqlRow>,
    /// Number of rows.
    pub count: usize,
    /// The endpoint that was asked.
    pub endpoint: String,
}

impl SparqlRemoteInput {
    /// Checks the arguments.
    ///
    /// # Errors
    ///
    /// As [`SparqlRequest::parse`].
    pub fn request(&self) -> Result<SparqlRequest, SparqlError> {
        SparqlRequest::parse(&self.endpoint, &self.query, self.timeout_ms)
    }

    /// Checks the arguments and sends the query; `None` stands for remote SPARQL that is off.
    ///
    /// # Errors
    ///
    /// As [`SparqlRequest::parse`] and [`SparqlEndpoint::select`].
    pub fn run(&self, remote: Option<&dyn SparqlEndpoint>) -> Result<SparqlRemoteOutput, SparqlError> {
        let remote = remote.ok_or(SparqlError::Off)?;
        let answer = remote.select(&self.request()?)?;
        let count = answer.rows.len();
        Ok(SparqlRemoteOutput {
            vars: answer.vars,
            rows: answer.rows,
            count,
            endpoint: self.endpoint.clone(),
        })
    }
}

impl SparqlRemoteOutput {
    /// Returns the count, the variables and the first rows as text.
    pub fn text(&self) -> String {
        let noun = if self.count == 1 { "row" } else { "rows" };
        let mut text = format!("Found {} {noun} at {}.", self.count, Harmless(&self.endpoint));
        if self.count > SPARQL_TEXT_ROWS_MAX {
            write!(text, " Showing {SPARQL_TEXT_ROWS_MAX}.").expect("a string takes everything");
        }
        for row in self.rows.iter().take(SPARQL_TEXT_ROWS_MAX) {
            text.push_str("\n-");
            let terms = self.vars.iter().filter_map(|name| Some((name, row.get(name)?)));
            for (place, (name, term)) in terms.enumerate() {
                let comma = if place == 0 { "" } else { "," };
                let (value, more) = first_chars(&term.value);
                write!(text, "{comma} {}={}{more}", Harmless(name), Harmless(value))
                    .expect("a string takes everything");
            }
        }
        text
    }
}

/// The start of a value, and a mark if it goes on.
fn first_chars(value: &str) -> (&str, &'static str) {
    match value.char_indices().nth(SPARQL_TEXT_VALUE_CHARS_MAX) {
        Some((end, _)) => (&value[..end], "..."),
        None => (value, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SparqlAnswer, SparqlTerm, SparqlTermType};

    #[derive(Debug)]
    struct Fixed(SparqlAnswer);

    impl SparqlEndpoint for Fixed {
        fn select(&self, request: &SparqlRequest) -> Result<SparqlAnswer, SparqlError> {
            assert_eq!(request.timeout().as_millis(), 500);
            Ok(self.0.clone())
        }
    }

    fn row(value: &str) -> SparqlRow {
        let term =
            SparqlTerm { kind: SparqlTermType::Literal, value: value.to_owned(), lang: None, datatype: None };
        SparqlRow::from([("a".to_owned(), term.clone()), ("b".to_owned(), term)])
    }

    fn input(json: &str) -> Result<SparqlRemoteInput, String> {
        serde_json::from_str(json).map_err(|error| error.to_string())
    }

    #[test]
    fn arguments_are_spelled_as_in_the_protocol() {
        let good = r#"{"endpoint":"http://a/","query":"SELECT * {}","timeoutMs":500,"_requestId":"7"}"#;
        assert_eq!(input(good).expect("arguments").timeout_ms, Some(500));
        assert_eq!(serde_json::to_string(&input(good).expect("arguments")).expect("plain data"), good);
        for bad in [
            r#"{"endpoint":"http://a/"}"#,
            r#"{"endpoint":"http://a/","query":"SELECT * {}","timeout_ms":500}"#,
            r#"{"endpoint":"http://a/","query":"SELECT * {}","timeoutMs":-1}"#,
            r#"{"endpoint":"http://a/","query":"SELECT * {}","password":"x"}"#,
        ] {
            assert!(input(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn rows_come_back_with_their_count_and_text() {
        let input = input(r#"{"endpoint":"http://a/","query":"SELECT * {}","timeoutMs":500}"#).expect("good");
        assert_eq!(input.run(None), Err(SparqlError::Off));
        let vars = vec!["b".to_owned(), "a".to_owned(), "unbound".to_owned()];
        let rows = vec![row("x\u{1b}[2J"), row(&"é".repeat(SPARQL_TEXT_VALUE_CHARS_MAX + 1))];
        let output = input.run(Some(&Fixed(SparqlAnswer { vars, rows }))).expect("rows");
        let long = "é".repeat(SPARQL_TEXT_VALUE_CHARS_MAX) + "...";
        let expected =
            format!("Found 2 rows at http://a/.\n- b=x\\u{{1b}}[2J, a=x\\u{{1b}}[2J\n- b={long}, a={long}");
        assert_eq!(output.text(), expected);
        assert_eq!(output.count, 2);
    }

    #[test]
    fn text_shows_the_first_rows() {
        let rows = vec![row("x"); SPARQL_TEXT_ROWS_MAX + 1];
        let output = SparqlRemoteOutput {
            vars: vec!["a".to_owned()],
            count: rows.len(),
            rows,
            endpoint: "http://a/".to_owned(),
        };
        let text = output.text();
        assert!(text.starts_with("Found 21 rows at http://a/. Showing 20.\n- a=x\n"), "{text}");
        assert_eq!(text.lines().count(), 1 + SPARQL_TEXT_ROWS_MAX);
    }
}
