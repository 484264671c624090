//! One remote query, checked.

use std::time::Duration;

use super::{SparqlError, select};
use crate::limits::{
    SPARQL_ENDPOINT_BYTES_MAX, SPARQL_QUERY_BYTES_MAX, SPARQL_TIMEOUT_DEFAULT, SPARQL_TIMEOUT_MAX,
};

/// A SELECT query for an endpoint, within a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SparqlRequest {
    endpoint: String,
    query: String,
    timeout: Duration,
}

impl SparqlRequest {
    /// Checks what a caller sent; without `timeout_ms` the default applies.
    ///
    /// # Errors
    ///
    /// If the endpoint is not an http or https URL or has a query string, the query is too long or no SELECT, or the
    /// timeout is out of range.
    pub fn parse(endpoint: &str, query: &str, timeout_ms: Option<u64>) -> Result<Self, SparqlError> {
        check_endpoint(endpoint).map_err(|reason| SparqlError::Endpoint { reason: reason.to_owned() })?;
        if query.len() > SPARQL_QUERY_BYTES_MAX {
            return Err(SparqlError::QueryTooLong { bytes: query.len() });
        }
        select::check(query)?;
        let timeout = timeout_ms.map_or(SPARQL_TIMEOUT_DEFAULT, Duration::from_millis);
        if timeout.is_zero() || timeout > SPARQL_TIMEOUT_MAX {
            return Err(SparqlError::Timeout { ms: timeout_ms.unwrap_or_default() });
        }
        Ok(SparqlRequest { endpoint: endpoint.to_owned(), query: query.to_owned(), timeout })
    }

    /// Returns the URL of the endpoint.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Returns the text of the query.
    pub fn query(&self) -> &str {
        &self.query
    }

    /// Returns the time for the whole exchange.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }
}

/// Checks what does not need a network. The surface that connects reads the URL in full.
fn check_endpoint(endpoint: &str) -> Result<(), &'static str> {
    let starts_with =
        |scheme: &str| endpoint.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    if !starts_with("http://") && !starts_with("https://") {
        return Err("it does not start with http:// or https://; files and other schemes are not read");
    }
    if endpoint.len() > SPARQL_ENDPOINT_BYTES_MAX {
        return Err("it is longer than 2 KiB; use the plain URL of the endpoint");
    }
    // Its parameters are a second way to send an `update`, and a place for keys.
    if endpoint.contains('?') {
        return Err("it has a query string; omit it, and name graphs with FROM in the query");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SELECT: &str = "SELECT ?s { ?s ?p ?o }";

    #[test]
    fn endpoints_are_http_urls_without_parameters() {
        let long = format!("http://a/{}", "x".repeat(SPARQL_ENDPOINT_BYTES_MAX));
        for (endpoint, good) in [
            ("http://a/sparql", true),
            ("https://a/sparql", true),
            ("HTTPS://a/sparql", true),
            ("ftp://a/sparql", false),
            ("file:///etc/passwd", false),
            ("/data/kb.ttl", false),
            ("httpx://a", false),
            ("http:/a", false),
            ("", false),
            ("é", false),
            ("https://a/sparql?update=DROP%20ALL", false),
            ("https://a/sparql?", false),
            (&long[..SPARQL_ENDPOINT_BYTES_MAX], true),
            (&long[..=SPARQL_ENDPOINT_BYTES_MAX], false),
        ] {
            let found = SparqlRequest::parse(endpoint, SELECT, None);
            assert_eq!(found.is_ok(), good, "{endpoint}: {found:?}");
            assert!(matches!(found, Ok(_) | Err(SparqlError::Endpoint { .. })), "{endpoint}");
        }
    }

    #[test]
    fn timeouts_have_a_range_and_a_default() {
        for (ms, timeout) in
            [(None, Some(15_000)), (Some(0), None), (Some(1), Some(1)), (Some(60_000), Some(60_000))]
        {
            let found = SparqlRequest::parse("http://a", SELECT, ms);
            assert_eq!(found.ok().map(|request| request.timeout().as_millis()), timeout, "{ms:?}");
        }
        for ms in [60_001, u64::MAX] {
            let found = SparqlRequest::parse("http://a", SELECT, Some(ms));
            assert_eq!(found, Err(SparqlError::Timeout { ms }));
        }
    }

    #[test]
    fn queries_have_a_length() {
        let full = format!("{SELECT}{}", " ".repeat(SPARQL_QUERY_BYTES_MAX - SELECT.len()));
        assert!(SparqlRequest::parse("http://a", &full, None).is_ok());
        let long = full + " ";
        let found = SparqlRequest::parse("http://a", &long, None);
        assert_eq!(found, Err(SparqlError::QueryTooLong { bytes: SPARQL_QUERY_BYTES_MAX + 1 }));
    }
}
