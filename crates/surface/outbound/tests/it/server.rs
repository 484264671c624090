//! Servers that send what a test tells them, and clients of them.

use std::io::{Read as _, Write as _};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use cairn_kb::{SparqlAnswer, SparqlEndpoint as _, SparqlError, SparqlRequest};
use cairn_outbound::{AddressFilter, OutboundConfig, Resolve, Resolving, SparqlClient, SparqlConfig};
use cairn_tls::testing::Authority;

pub(crate) const EMPTY: &str = r#"{"head":{"vars":["s"]},"results":{"bindings":[]}}"#;
/// Longer than anything takes that ends by itself.
const LONG_MS: u64 = 60_000;

/// A server of plain connections, for as long as the test runs.
pub(crate) struct Server {
    pub(crate) addr: SocketAddr,
    connections: Arc<AtomicUsize>,
    /// The requests, whole.
    pub(crate) requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Reads each request and has `respond` write to the connection.
    pub(crate) fn start(respond: impl Fn(&mut TcpStream) + Send + Sync + 'static) -> Server {
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let log = Arc::clone(&requests);
        let mut server = Server::raw(move |stream| {
            let request = read_request(stream);
            log.lock().expect("no panic").push(request);
            respond(stream);
        });
        server.requests = requests;
        server
    }

    /// Hands connections over as they come.
    pub(crate) fn raw(serve: impl Fn(&mut TcpStream) + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let addr = listener.local_addr().expect("it is bound");
        let connections = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connections);
        let serve = Arc::new(serve);
        std::thread::spawn(move || {
            for stream in listener.incoming().take(64) {
                count.fetch_add(1, Ordering::SeqCst);
                let serve = Arc::clone(&serve);
                std::thread::spawn(move || serve(&mut stream.expect("a connection")));
            }
        });
        Server { addr, connections, requests: Arc::default() }
    }

    /// Sends fixed bytes as the whole response.
    pub(crate) fn fixed(bytes: impl Into<Vec<u8>>) -> Server {
        let bytes = bytes.into();
        Server::start(move |stream| {
            let _ = stream.write_all(&bytes);
        })
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/sparql", self.addr)
    }

    pub(crate) fn ask(&self) -> Result<SparqlAnswer, SparqlError> {
        self.ask_within(LONG_MS)
    }

    pub(crate) fn ask_within(&self, timeout_ms: u64) -> Result<SparqlAnswer, SparqlError> {
        let client = client(AddressFilter::PrivateToo, &Names(Vec::new()));
        client.select(&request(&self.url(), Some(timeout_ms)))
    }
}

/// A response of a good endpoint, with more headers.
pub(crate) fn response(headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/sparql-results+json\r\ncontent-length: {length}\r\n{headers}\r\n"
    );
    [head.as_bytes(), body].concat()
}

pub(crate) fn request(endpoint: &str, timeout_ms: Option<u64>) -> SparqlRequest {
    SparqlRequest::parse(endpoint, "SELECT ?s { ?s ?p ?o }", timeout_ms).expect("a request")
}

pub(crate) fn config(filter: AddressFilter) -> OutboundConfig {
    // Authorities of its own, so that a machine without any will do.
    let roots_pem = Some(Authority::new().trusted().roots_pem);
    OutboundConfig { filter, roots_pem, ..OutboundConfig::default() }
}

pub(crate) fn client(filter: AddressFilter, names: &Names) -> SparqlClient {
    let config = SparqlConfig { outbound: config(filter), ..SparqlConfig::default() };
    SparqlClient::with_resolver(&config, Arc::new(names.clone())).expect("a client")
}

/// Fixed addresses for every name.
#[derive(Clone)]
pub(crate) struct Names(pub(crate) Vec<IpAddr>);

impl Names {
    pub(crate) fn of(addresses: &[&str]) -> Names {
        Names(addresses.iter().map(|address| address.parse().expect("an address")).collect())
    }
}

impl Resolve for Names {
    fn resolve<'a>(&'a self, _name: &'a str) -> Resolving<'a> {
        Box::pin(async { Ok(self.0.clone()) })
    }
}

fn read_request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.split("content-length: ").nth(1).and_then(|rest| rest.split("\r\n").next());
            if body.len() >= length.map_or(0, |length| length.parse().expect("a number")) {
                break;
            }
        }
        match stream.read(&mut piece) {
            Ok(count) if count > 0 => bytes.extend_from_slice(&piece[..count]),
            _ => break,
        }
    }
    String::from_utf8(bytes).expect("requests are ASCII")
}
