//! What can be set about the HTTP surface.

use std::time::Duration;

use cairn_tls::Tls;

use crate::limits;

/// Limits and permissions of the HTTP surface. How many requests run at
/// once, and for how long, is the gate's.
#[derive(Debug, Clone)]
pub struct HttpConfig {
    /// The certificate to serve over TCP with; without one, nothing is encrypted.
    pub tls: Option<Tls>,
    /// Origins other than the server's own whose pages may call it.
    pub allowed_origins: Vec<String>,
    /// Largest request body.
    pub body_bytes_max: usize,
    /// Largest request body where it is a payload or a blob.
    pub content_bytes_max: usize,
    /// Largest content of an artifact that is uploaded by itself, at most what the store takes.
    pub upload_bytes_max: u64,
    /// Largest request body with commands of KIP.
    pub commands_bytes_max: usize,
    /// Memory for bodies and large answers, all connections together.
    pub memory_bytes: usize,
    /// Large blobs that are sent at once; more are told to come back.
    pub content_streams_max: usize,
    /// Time a client has to send the head of a request, and may leave a connection idle.
    pub header_read_timeout: Duration,
    /// Largest head of a request.
    pub header_bytes_max: usize,
    /// Most headers of a request.
    pub headers_max: usize,
    /// Most connections at once; more are turned away.
    pub connections_max: usize,
    /// How long a client may take nothing of an answer before it is cut.
    pub patience: Duration,
    /// Most streams of events at once; more are told to come back.
    pub event_streams_max: usize,
    /// Time requests under way have to finish when the server stops.
    pub drain: Duration,
}

impl Default for HttpConfig {
    fn default() -> Self {
        HttpConfig {
            tls: None,
            allowed_origins: Vec::new(),
            body_bytes_max: limits::HTTP_BODY_BYTES_MAX,
            content_bytes_max: cairn_gate::limits::HTTP_CONTENT_BYTES_MAX,
            upload_bytes_max: cairn_seam::limits::BLOB_BYTES_MAX,
            commands_bytes_max: cairn_kip::limits::KIP_BODY_BYTES_MAX,
            memory_bytes: limits::HTTP_MEMORY_BYTES,
            content_streams_max: limits::CONTENT_STREAMS_MAX,
            header_read_timeout: Duration::from_secs(15),
            header_bytes_max: 32 * 1024,
            headers_max: 100,
            connections_max: 1024,
            patience: limits::HTTP_PATIENCE,
            event_streams_max: limits::EVENT_STREAMS_MAX,
            drain: cairn_gate::limits::HTTP_DEADLINE,
        }
    }
}
