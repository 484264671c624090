//! Remote SPARQL over HTTP: the SPARQL 1.1 protocol, a query by POST.
//!
//! The query goes into a form as `query`, which endpoints do not take for an update.

use std::fmt;
use std::fmt::Write as _;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use cairn_kb::{SparqlAnswer, SparqlEndpoint, SparqlError, SparqlRequest};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;

use crate::{
    OutboundClient, OutboundConfig, OutboundError, OutboundRequest, OutboundUrl, Resolve, SystemResolver,
    limits,
};

const FORM: &str = "application/x-www-form-urlencoded";
const RESULTS: &str = "application/sparql-results+json";

/// Settings of remote SPARQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SparqlConfig {
    /// Addresses, authorities and time to connect.
    pub outbound: OutboundConfig,
    /// Bytes of an answer.
    pub bytes_max: usize,
    /// Queries that run at a time.
    pub concurrent_max: usize,
}

impl Default for SparqlConfig {
    fn default() -> Self {
        SparqlConfig {
            outbound: OutboundConfig::default(),
            bytes_max: limits::OUTBOUND_BODY_BYTES_MAX,
            concurrent_max: limits::SPARQL_CONCURRENT_MAX,
        }
    }
}

/// Remote SPARQL over HTTP, on a thread of its own.
pub struct SparqlClient {
    client: Arc<OutboundClient>,
    /// Present until the client is dropped.
    runtime: Option<Runtime>,
    running: Arc<Semaphore>,
    bytes_max: usize,
    concurrent_max: usize,
}

impl SparqlClient {
    /// Reads the trusted authorities and starts the thread.
    ///
    /// # Errors
    ///
    /// If no authority can be used, or the thread does not start.
    pub fn new(config: &SparqlConfig) -> Result<Self, OutboundError> {
        SparqlClient::with_resolver(config, Arc::new(SystemResolver::default()))
    }

    /// Does the same with another resolver.
    ///
    /// # Errors
    ///
    /// As [`SparqlClient::new`].
    pub fn with_resolver(config: &SparqlConfig, resolver: Arc<dyn Resolve>) -> Result<Self, OutboundError> {
        let client = Arc::new(OutboundClient::with_resolver(&config.outbound, resolver)?);
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(1).max_blocking_threads(limits::OUTBOUND_LOOKUPS_MAX);
        let runtime = builder.thread_name("cairn-outbound").enable_io().enable_time().build();
        Ok(SparqlClient {
            client,
            runtime: Some(runtime.map_err(OutboundError::Start)?),
            running: Arc::new(Semaphore::new(config.concurrent_max)),
            bytes_max: config.bytes_max,
            concurrent_max: config.concurrent_max,
        })
    }
}

impl SparqlEndpoint for SparqlClient {
    fn select(&self, request: &SparqlRequest) -> Result<SparqlAnswer, SparqlError> {
        let url = OutboundUrl::parse(request.endpoint()).map_err(|error| to_sparql(error.into()))?;
        let busy = SparqlError::Busy { max: self.concurrent_max };
        let permit = Arc::clone(&self.running).try_acquire_owned().map_err(|_| busy)?;
        let stopped = || SparqlError::Failed { reason: "the node is stopping; try again later".to_owned() };
        let runtime = self.runtime.as_ref().ok_or_else(stopped)?;
        let (client, bytes_max, timeout) = (Arc::clone(&self.client), self.bytes_max, request.timeout());
        let body = form(request.query());
        let (sender, receiver) = mpsc::sync_channel(1);
        // Not `block_on`: that panics on a thread that serves another runtime.
        runtime.spawn(async move {
            let fetched = fetch(&client, &url, body, timeout, bytes_max).await;
            // Nobody waits any more only if the waiting thread is gone.
            let _ = sender.send(fetched);
        });
        let body = receiver.recv().map_err(|_| stopped())?;
        let answer = SparqlAnswer::parse(&body.map_err(to_sparql)?);
        drop(permit);
        answer
    }
}

/// Outside of an async context, and inside of one alike.
impl Drop for SparqlClient {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for SparqlClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SparqlClient").field("client", &self.client).finish_non_exhaustive()
    }
}

async fn fetch(
    client: &OutboundClient,
    url: &OutboundUrl,
    body: Vec<u8>,
    deadline: Duration,
    bytes_max: usize,
) -> Result<Vec<u8>, OutboundError> {
    let request = OutboundRequest { url, body: Some((FORM, body)), accept: RESULTS, deadline, bytes_max };
    client.fetch(&request).await
}

/// The query as the one field of a form.
fn form(query: &str) -> Vec<u8> {
    let mut form = "query=".to_owned();
    for byte in query.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            form.push(char::from(byte));
        } else {
            write!(form, "%{byte:02X}").expect("a string takes everything");
        }
    }
    form.into_bytes()
}

fn to_sparql(error: OutboundError) -> SparqlError {
    let reason = error.to_string();
    match error {
        OutboundError::Url(_) => SparqlError::Endpoint { reason },
        OutboundError::Address { .. } | OutboundError::Redirect { .. } => SparqlError::Refused { reason },
        OutboundError::Deadline { after } => {
            SparqlError::TimedOut { after_ms: u64::try_from(after.as_millis()).unwrap_or(u64::MAX) }
        }
        OutboundError::TooLarge { .. } => SparqlError::TooLarge { reason },
        OutboundError::Trust(_)
        | OutboundError::Start(_)
        | OutboundError::Resolve { .. }
        | OutboundError::ManyAddresses { .. }
        | OutboundError::Connect { .. }
        | OutboundError::Handshake { .. }
        | OutboundError::Status { .. }
        | OutboundError::ContentType { .. }
        | OutboundError::Encoding { .. }
        | OutboundError::Broken { .. } => SparqlError::Failed { reason },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_one_field_of_a_form() {
        let found = form("SELECT * { ?s ?p 'ä&update=DROP+ALL' }");
        let expected = "query=SELECT%20%2A%20%7B%20%3Fs%20%3Fp%20%27%C3%A4%26update%3DDROP%2BALL%27%20%7D";
        assert_eq!(String::from_utf8(found).expect("ASCII"), expected);
    }
}
