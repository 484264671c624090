//! One request over one connection.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use cairn_tls::Roots;
use http_body_util::Full;
use hyper::Request;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{ACCEPT, ACCEPT_ENCODING, CONNECTION, CONTENT_TYPE, HOST, HeaderValue, USER_AGENT};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::connect::connect;
use crate::{AddressFilter, OutboundError, OutboundUrl, Resolve, Scheme, SystemResolver, answer, limits};

/// Settings of a client for outgoing requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboundConfig {
    /// Rule for the addresses that may be reached.
    pub filter: AddressFilter,
    /// Authorities in PEM that are trusted in place of the system's.
    pub roots_pem: Option<Vec<u8>>,
    /// Time for one attempt to connect, and for the TLS handshake.
    pub connect_within: Duration,
}

impl Default for OutboundConfig {
    fn default() -> Self {
        OutboundConfig {
            filter: AddressFilter::PublicOnly,
            roots_pem: None,
            connect_within: limits::OUTBOUND_CONNECT,
        }
    }
}

/// One request, and the limits of its response.
#[derive(Debug, Clone)]
pub struct OutboundRequest<'a> {
    /// The URL that is asked.
    pub url: &'a OutboundUrl,
    /// Content type and bytes of a POST; without them it is a GET.
    pub body: Option<(&'static str, Vec<u8>)>,
    /// Content type that the response must have.
    pub accept: &'static str,
    /// Time from resolving the name to the last byte of the response.
    pub deadline: Duration,
    /// Bytes of the body of the response.
    pub bytes_max: usize,
}

/// A client that reaches only what its filter admits. Requests share no state but the trusted authorities.
pub struct OutboundClient {
    filter: AddressFilter,
    connect_within: Duration,
    roots: Roots,
    resolver: Arc<dyn Resolve>,
}

impl OutboundClient {
    /// Reads the trusted authorities, and resolves names as the system does. Blocks.
    ///
    /// # Errors
    ///
    /// If no authority can be used.
    pub fn new(config: &OutboundConfig) -> Result<Self, OutboundError> {
        OutboundClient::with_resolver(config, Arc::new(SystemResolver::default()))
    }

    /// Does the same with another resolver.
    ///
    /// # Errors
    ///
    /// As [`OutboundClient::new`].
    pub fn with_resolver(config: &OutboundConfig, resolver: Arc<dyn Resolve>) -> Result<Self, OutboundError> {
        let roots = match &config.roots_pem {
            Some(pem) => Roots::from_pem(pem)?,
            None => Roots::system()?,
        };
        let OutboundConfig { filter, roots_pem: _, connect_within } = *config;
        Ok(OutboundClient { filter, connect_within, roots, resolver })
    }

    /// Sends a request and returns the body of its response. Must be called inside a runtime; dropping the future
    /// closes the connection.
    ///
    /// # Errors
    ///
    /// If the host may not or cannot be reached, the response is not a 200 of the expected type, is too long or
    /// not there in time.
    pub async fn fetch(&self, request: &OutboundRequest<'_>) -> Result<Vec<u8>, OutboundError> {
        let answer = timeout(request.deadline, self.exchange(request)).await;
        answer.unwrap_or(Err(OutboundError::Deadline { after: request.deadline }))
    }

    async fn exchange(&self, request: &OutboundRequest<'_>) -> Result<Vec<u8>, OutboundError> {
        let url = request.url;
        let stream = connect(url, self.filter, self.resolver.as_ref(), self.connect_within).await?;
        match url.scheme() {
            Scheme::Http => converse(stream, request).await,
            Scheme::Https => {
                let failed = |cause: String| OutboundError::Handshake { host: url.authority(), cause };
                let connector = self.roots.connector(&url.host().to_string())?;
                let shaken = timeout(self.connect_within, connector.connect(stream)).await;
                let stream = shaken.map_err(|_elapsed| failed("it took too long".to_owned()))?;
                converse(stream.map_err(|error| failed(error.to_string()))?, request).await
            }
        }
    }
}

impl fmt::Debug for OutboundClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutboundClient").field("filter", &self.filter).finish_non_exhaustive()
    }
}

/// Sends the request over a connection and reads the response.
async fn converse(
    io: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    request: &OutboundRequest<'_>,
) -> Result<Vec<u8>, OutboundError> {
    let mut builder = http1::Builder::new();
    builder.max_headers(limits::OUTBOUND_HEADERS_MAX).max_buf_size(limits::OUTBOUND_HEAD_BYTES_MAX);
    let (mut sender, connection) =
        builder.handshake(TokioIo::new(io)).await.map_err(|error| answer::broken(&error))?;
    // Ends with this function, however that ends.
    let mut driver = JoinSet::new();
    driver.spawn(connection);
    let response = sender.send_request(to_http(request)).await.map_err(|error| answer::broken(&error))?;
    answer::check(&response, request.accept)?;
    answer::read(response.into_body(), request.bytes_max).await
}

fn to_http(request: &OutboundRequest<'_>) -> Request<Full<Bytes>> {
    let (method, body) = match &request.body {
        Some((_, body)) => ("POST", Bytes::copy_from_slice(body)),
        None => ("GET", Bytes::new()),
    };
    let mut builder = Request::builder()
        .method(method)
        .uri(request.url.target())
        .header(HOST, request.url.authority())
        .header(USER_AGENT, concat!("cairn/", env!("CARGO_PKG_VERSION")))
        .header(ACCEPT, HeaderValue::from_static(request.accept))
        .header(ACCEPT_ENCODING, "identity")
        .header(CONNECTION, "close");
    if let Some((content_type, _)) = &request.body {
        builder = builder.header(CONTENT_TYPE, HeaderValue::from_static(content_type));
    }
    builder.body(Full::new(body)).expect("a checked URL has a valid target and a valid host")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    /// Has a server send these bytes, whatever it is asked, and close the connection.
    fn respond(bytes: &[u8]) -> Result<Vec<u8>, OutboundError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        runtime.block_on(async {
            let url = OutboundUrl::parse("http://example.org/").expect("a URL");
            let request = OutboundRequest {
                url: &url,
                body: None,
                accept: "a/b",
                deadline: Duration::from_secs(300),
                bytes_max: 64,
            };
            let (near, mut far) = tokio::io::duplex(64 * 1024);
            let serve = async {
                // Bytes before the request would end the connection unread.
                let mut heard = Vec::new();
                while !heard.ends_with(b"\r\n\r\n") {
                    assert_ne!(far.read_buf(&mut heard).await.expect("it reads"), 0, "a whole request");
                }
                // Fails if the client has gone already.
                let _ = far.write_all(bytes).await;
                let _ = far.shutdown().await;
            };
            tokio::join!(serve, converse(near, &request)).1
        })
    }

    proptest! {
        #[test]
        fn any_bytes_of_a_server_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(respond(&bytes).is_err());
        }

        #[test]
        fn any_bytes_after_a_good_start_are_read_or_refused(
            start in prop::sample::select(vec![
                "HTTP/1.1 ",
                "HTTP/1.1 200 OK\r\n",
                "HTTP/1.1 200 OK\r\ncontent-type: a/b\r\n",
                "HTTP/1.1 200 OK\r\ncontent-type: a/b\r\n\r\n",
                "HTTP/1.1 200 OK\r\ncontent-type: a/b\r\ncontent-length: ",
                "HTTP/1.1 200 OK\r\ncontent-type: a/b\r\ntransfer-encoding: chunked\r\n\r\n",
            ]),
            rest in prop::collection::vec(any::<u8>(), 0..200),
        ) {
            let mut bytes = start.as_bytes().to_vec();
            bytes.extend(rest);
            if let Ok(body) = respond(&bytes) {
                prop_assert!(body.len() <= 64);
            }
        }
    }

    #[test]
    fn bodies_end_at_the_limit() {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: a/b\r\n";
        let closed = |length: usize| format!("{head}\r\n{}", "x".repeat(length));
        let sized = |length: usize| format!("{head}content-length: {length}\r\n\r\n{}", "x".repeat(length));
        for make in [&closed as &dyn Fn(usize) -> String, &sized] {
            assert_eq!(respond(make(64).as_bytes()).expect("at the limit").len(), 64);
            let found = respond(make(65).as_bytes());
            assert!(matches!(found, Err(OutboundError::TooLarge { max: 64 })), "{found:?}");
        }
    }
}
