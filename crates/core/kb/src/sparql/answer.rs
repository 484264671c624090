//! Answers of SELECT queries: `application/sparql-results+json`.
//!
//! The answer is read in one pass and keeps no more than its limits; fields that the format does not have are
//! passed over.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::SparqlError;
use crate::limits::{SPARQL_ROWS_MAX, SPARQL_VARS_MAX};

/// The values of one row by variable. Variables without a value are absent.
pub type SparqlRow = BTreeMap<String, SparqlTerm>;

/// Rows of a SELECT query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SparqlAnswer {
    /// The variables, in the order of the query.
    pub vars: Vec<String>,
    /// The rows, in the order of the endpoint.
    pub rows: Vec<SparqlRow>,
}

/// Kind of an RDF term.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    utoipa::ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum SparqlTermType {
    /// An IRI.
    Uri,
    /// A literal, plain, with a language or with a datatype.
    #[serde(alias = "typed-literal")]
    Literal,
    /// A blank node; its label holds within one answer.
    Bnode,
}

/// One RDF term.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize, utoipa::ToSchema,
)]
pub struct SparqlTerm {
    /// Its kind.
    #[serde(rename = "type")]
    pub kind: SparqlTermType,
    /// The IRI, the text of the literal, or the label of the blank node.
    pub value: String,
    /// The language tag of a literal.
    #[serde(default, alias = "xml:lang", skip_serializing_if = "Option::is_none")]
    pub lang: Option<String>,
    /// The IRI of the datatype of a literal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub datatype: Option<String>,
}

impl SparqlAnswer {
    /// Reads the body of a response.
    ///
    /// # Errors
    ///
    /// If it is not JSON of the format, or has more variables or rows than the limits allow.
    pub fn parse(json: &[u8]) -> Result<Self, SparqlError> {
        let wire: Wire = serde_json::from_slice(json).map_err(|error| malformed(position(&error)))?;
        let Some(results) = wire.results else {
            return Err(malformed("it has no `results`".to_owned()));
        };
        if results.bindings.is_cut {
            let reason = format!("the answer has more than {SPARQL_ROWS_MAX} rows; add LIMIT to the query");
            return Err(SparqlError::TooLarge { reason });
        }
        if wire.head.vars.is_cut {
            let reason = format!("the answer has more than {SPARQL_VARS_MAX} variables; select fewer");
            return Err(SparqlError::TooLarge { reason });
        }
        let vars = wire.head.vars.items;
        let rows: Vec<SparqlRow> = results.bindings.items.into_iter().map(|Row(row)| row).collect();
        let known: BTreeSet<&String> = vars.iter().collect();
        let stray = rows.iter().flat_map(BTreeMap::keys).any(|name| !known.contains(name));
        if stray {
            return Err(malformed("a row has a variable that `head` does not list".to_owned()));
        }
        Ok(SparqlAnswer { vars, rows })
    }
}

#[derive(serde::Deserialize)]
struct Wire {
    head: Head,
    results: Option<Results>,
}

#[derive(serde::Deserialize)]
struct Head {
    #[serde(default)]
    vars: Bounded<String, SPARQL_VARS_MAX>,
}

#[derive(serde::Deserialize)]
struct Results {
    bindings: Bounded<Row, SPARQL_ROWS_MAX>,
}

/// The first items of a list, and a note if there were more.
struct Bounded<T, const MAX: usize> {
    items: Vec<T>,
    is_cut: bool,
}

impl<T, const MAX: usize> Default for Bounded<T, MAX> {
    fn default() -> Self {
        Bounded { items: Vec::new(), is_cut: false }
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for Bounded<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(BoundedVisitor(PhantomData))
    }
}

struct BoundedVisitor<T, const MAX: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for BoundedVisitor<T, MAX> {
    type Value = Bounded<T, MAX>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut bounded = Bounded::default();
        while bounded.items.len() < MAX {
            let Some(item) = list.next_element()? else { return Ok(bounded) };
            bounded.items.push(item);
        }
        while list.next_element::<IgnoredAny>()?.is_some() {
            bounded.is_cut = true;
        }
        Ok(bounded)
    }
}

/// A row in which no variable stands twice.
struct Row(SparqlRow);

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RowVisitor).map(Row)
    }
}

struct RowVisitor;

impl<'de> Visitor<'de> for RowVisitor {
    type Value = SparqlRow;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a row")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SparqlRow, A::Error> {
        let mut row = SparqlRow::new();
        while let Some((name, term)) = map.next_entry()? {
            if row.len() == SPARQL_VARS_MAX || row.insert(name, term).is_some() {
                return Err(A::Error::custom("a row has a variable twice, or too many of them"));
            }
        }
        Ok(row)
    }
}

/// The place of an error and its class. The text of the parser is left out, because it quotes the answer.
fn position(error: &serde_json::Error) -> String {
    let what = match error.classify() {
        serde_json::error::Category::Eof => "it ends too early",
        serde_json::error::Category::Data => "a field is missing or has another type",
        serde_json::error::Category::Syntax | serde_json::error::Category::Io => {
            "it is not JSON, or too deep"
        }
    };
    format!("{what}, at line {} column {}", error.line(), error.column())
}

fn malformed(reason: String) -> SparqlError {
    SparqlError::Answer { reason }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn answer(vars: &str, rows: &str) -> Result<SparqlAnswer, SparqlError> {
        let json = format!(r#"{{"head":{{"vars":[{vars}]}},"results":{{"bindings":[{rows}]}}}}"#);
        SparqlAnswer::parse(json.as_bytes())
    }

    #[test]
    fn terms_have_kind_language_and_datatype() {
        let rows = r#"{"a":{"type":"uri","value":"http://a/"},"b":{"type":"literal","value":"x","xml:lang":"en"}},
            {"a":{"type":"bnode","value":"b0"},"b":{"type":"typed-literal","value":"1","datatype":"http://int"}},{}"#;
        let found = answer(r#""a","b","c""#, rows).expect("an answer");
        assert_eq!(found.vars, ["a", "b", "c"]);
        let shown = serde_json::to_string(&found.rows).expect("plain data");
        assert_eq!(
            shown,
            r#"[{"a":{"type":"uri","value":"http://a/"},"b":{"type":"literal","value":"x","lang":"en"}},"#
                .to_owned()
                + r#"{"a":{"type":"bnode","value":"b0"},"#
                + r#""b":{"type":"literal","value":"1","datatype":"http://int"}},{}]"#
        );
    }

    #[test]
    fn malformed_answers_are_refused() {
        let deep = format!(r#"{{"head":{{"x":{}1{}}}}}"#, "[".repeat(5_000), "]".repeat(5_000));
        let term = r#"{"type":"uri","value":"x"}"#;
        let twice =
            format!(r#"{{"head":{{"vars":["a"]}},"results":{{"bindings":[{{"a":{term},"a":{term}}}]}}}}"#);
        let stray = format!(r#"{{"head":{{"vars":["a"]}},"results":{{"bindings":[{{"b":{term}}}]}}}}"#);
        for json in [
            "",
            "null",
            "[]",
            "{}",
            r#"{"head":{}}"#,
            r#"{"head":{},"boolean":true}"#,
            r#"{"head":{"vars":["a"]},"results":{"bindings":[{"a":{"type":"uri","value":"#,
            r#"{"head":{"vars":["a"]},"results":{"bindings":[{"a":{"type":"triple","value":{}}}]}}"#,
            r#"{"head":{"vars":["a"]},"results":{"bindings":[{"a":{"type":"uri"}}]}}"#,
            r#"{"head":{"vars":"a"},"results":{"bindings":[]}}"#,
            r#"{"head":{"vars":[]},"results":{"bindings":{}}}"#,
            r#"{"head":{"vars":[]},"results":{"bindings":[]}} x"#,
            r#"{"head":{},"head":{},"results":{"bindings":[]}}"#,
            &deep,
            &twice,
            &stray,
        ] {
            let found = SparqlAnswer::parse(json.as_bytes());
            assert!(matches!(found, Err(SparqlError::Answer { .. })), "{found:?}");
        }
        let bytes = b"{\"head\":{\"vars\":[\"\xff\"]},\"results\":{\"bindings\":[]}}";
        assert!(matches!(SparqlAnswer::parse(bytes), Err(SparqlError::Answer { .. })));
    }

    #[test]
    fn errors_do_not_quote_the_answer() {
        let error = answer(r#""a""#, r#"{"a":{"type":"secret","value":"x"}}"#).expect_err("a wrong type");
        assert!(!error.to_string().contains("secret"), "{error}");
    }

    #[test]
    fn rows_and_variables_are_counted() {
        let rows = |count: usize| vec!["{}"; count].join(",");
        assert_eq!(answer("", &rows(SPARQL_ROWS_MAX)).expect("at the limit").rows.len(), SPARQL_ROWS_MAX);
        for count in [SPARQL_ROWS_MAX + 1, 1_000_000] {
            let found = answer("", &rows(count));
            assert!(matches!(found, Err(SparqlError::TooLarge { .. })), "{count}");
        }
        let vars = |count: usize| (0..count).map(|i| format!("\"v{i}\"")).collect::<Vec<_>>().join(",");
        assert!(answer(&vars(SPARQL_VARS_MAX), "").is_ok());
        let found = answer(&vars(SPARQL_VARS_MAX + 1), "");
        assert!(matches!(found, Err(SparqlError::TooLarge { .. })));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = SparqlAnswer::parse(&bytes);
        }

        #[test]
        fn any_damage_is_read_or_refused(at in 0_usize..120, byte: u8, cut in 0_usize..120) {
            let mut json = br#"{"head":{"vars":["a"]},"results":{"bindings":[{"a":{"type":"literal","value":"x","xml:lang":"en"}}]}}"#.to_vec();
            let at = at % json.len();
            json[at] = byte;
            let _ = SparqlAnswer::parse(&json);
            json.truncate(cut);
            let _ = SparqlAnswer::parse(&json);
        }
    }
}
