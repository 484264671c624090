//! A server over a store in memory, and sockets to it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use cairn_base::{Clock, ContentHash, SeededEntropy, SystemClock};
use cairn_binary::{BinaryConfig, serve};
use cairn_engine::{Engine, EngineConfig};
use cairn_gate::{Gate, GateConfig};
use cairn_seam::MemoryStore;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

pub(crate) const HELLO: u16 = 1;
pub(crate) const CREATE: u16 = 2;
pub(crate) const FORK: u16 = 3;
pub(crate) const HEAD: u16 = 4;
pub(crate) const APPEND: u16 = 5;
pub(crate) const LAST: u16 = 6;
pub(crate) const BEFORE: u16 = 7;
pub(crate) const BY_DEPTH: u16 = 8;
pub(crate) const GET_BLOB: u16 = 9;
pub(crate) const ATTACH: u16 = 10;
pub(crate) const PUT_BLOB: u16 = 11;
pub(crate) const PUT_BUNDLE: u16 = 12;
pub(crate) const ERROR: u16 = 255;

pub(crate) struct Server {
    pub(crate) addr: SocketAddr,
    pub(crate) engine: Arc<Engine>,
    stop: Option<oneshot::Sender<()>>,
    runtime: Option<Runtime>,
}

impl Server {
    pub(crate) fn start() -> Self {
        Server::with(BinaryConfig::default())
    }

    pub(crate) fn with(config: BinaryConfig) -> Self {
        Server::over(store(), config)
    }

    /// A server over what another one left.
    pub(crate) fn over(store: Arc<MemoryStore>, config: BinaryConfig) -> Self {
        Server::behind(store, Arc::new(SystemClock), config, GateConfig::default())
    }

    /// A server with a clock and a gate of its own.
    pub(crate) fn behind(
        store: Arc<MemoryStore>,
        clock: Arc<dyn Clock>,
        config: BinaryConfig,
        gate: GateConfig,
    ) -> Self {
        let runtime = Runtime::new().unwrap();
        let engine =
            Engine::open(store, clock, Arc::new(SeededEntropy::new(1)), EngineConfig::default()).unwrap();
        let gate = Gate::new(Arc::clone(&engine), gate);
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let addr = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        runtime.spawn(serve(listener, gate, config, async {
            let _ = stopped.await;
        }));
        Server { addr, engine, stop: Some(stop), runtime: Some(runtime) }
    }

    pub(crate) fn connect(&self) -> Client {
        let stream = TcpStream::connect(self.addr).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(300))).unwrap();
        stream.set_nodelay(true).unwrap();
        Client { stream, next: 100 }
    }
}

pub(crate) fn store() -> Arc<MemoryStore> {
    Arc::new(MemoryStore::new(Arc::new(SystemClock)))
}

impl Server {
    /// Tells it to stop, and does not wait.
    pub(crate) fn stop(&mut self) {
        drop(self.stop.take());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_secs(5));
        }
    }
}

pub(crate) struct Client {
    pub(crate) stream: TcpStream,
    next: u64,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) kind: u16,
    pub(crate) flags: u16,
    pub(crate) request_id: u64,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn u32_at(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.body[at..at + 4].try_into().unwrap())
    }

    pub(crate) fn u64_at(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.body[at..at + 8].try_into().unwrap())
    }

    /// Number and text of an ERROR frame.
    pub(crate) fn error(&self) -> (u32, String) {
        assert_eq!(self.kind, ERROR, "{self:?}");
        let detail = &self.body[8..];
        assert_eq!(self.u32_at(4) as usize, detail.len());
        let detail: serde_json::Value = serde_json::from_slice(detail).unwrap();
        assert!(detail["code"].is_string() && detail["details"].is_object(), "{detail}");
        (self.u32_at(0), detail["message"].as_str().unwrap().to_owned())
    }

    pub(crate) fn ok(self) -> Self {
        assert_ne!(self.kind, ERROR, "{}", String::from_utf8_lossy(&self.body));
        self
    }
}

pub(crate) fn frame(kind: u16, flags: u16, request_id: u64, body: &[u8]) -> Vec<u8> {
    let mut bytes = u32::try_from(body.len()).unwrap().to_le_bytes().to_vec();
    bytes.extend(kind.to_le_bytes());
    bytes.extend(flags.to_le_bytes());
    bytes.extend(request_id.to_le_bytes());
    bytes.extend(body);
    bytes
}

/// A HELLO that shows a token; without one it shows nothing.
pub(crate) fn hello(token: &str) -> Vec<u8> {
    let meta = if token.is_empty() { String::new() } else { format!("{{\"token\":\"{token}\"}}") };
    let length = u32::try_from(meta.len()).unwrap().to_le_bytes();
    [&[1, 0, 0, 0][..], &length, meta.as_bytes()].concat()
}

impl Client {
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    pub(crate) fn receive(&mut self) -> Reply {
        let mut header = [0; 16];
        self.stream.read_exact(&mut header).unwrap();
        let len = u32::from_le_bytes(header[..4].try_into().unwrap());
        let mut body = vec![0; len as usize];
        self.stream.read_exact(&mut body).unwrap();
        let kind = u16::from_le_bytes(header[4..6].try_into().unwrap());
        let flags = u16::from_le_bytes(header[6..8].try_into().unwrap());
        let is_window = [LAST, BEFORE, BY_DEPTH].contains(&kind);
        assert!(flags == 0 || (is_window && flags == 1), "only windows have a flag, not {kind}: {flags}");
        Reply { kind, flags, request_id: u64::from_le_bytes(header[8..].try_into().unwrap()), body }
    }

    pub(crate) fn ask(&mut self, kind: u16, body: &[u8]) -> Reply {
        self.ask_with(kind, 0, body)
    }

    pub(crate) fn ask_with(&mut self, kind: u16, flags: u16, body: &[u8]) -> Reply {
        self.next += 1;
        self.send(&frame(kind, flags, self.next, body));
        let reply = self.receive();
        assert_eq!(reply.request_id, self.next);
        assert!(reply.kind == kind || reply.kind == ERROR);
        reply
    }

    pub(crate) fn create(&mut self) -> u64 {
        self.ask(CREATE, &0_u64.to_le_bytes()).ok().u64_at(0)
    }

    /// Appends, and says the turn's number and depth.
    pub(crate) fn append(&mut self, context: u64, payload: &[u8]) -> (u64, u32) {
        let reply = self.ask(APPEND, &Append::new(context, payload).encode()).ok();
        assert_eq!((reply.body.len(), reply.u64_at(0)), (52, context));
        assert_eq!(reply.body[20..], *ContentHash::of(payload).as_bytes());
        (reply.u64_at(8), reply.u32_at(16))
    }

    pub(crate) fn put_blob(&mut self, bytes: &[u8]) -> ContentHash {
        let hash = ContentHash::of(bytes);
        let length = u32::try_from(bytes.len()).unwrap().to_le_bytes();
        let reply = self.ask(PUT_BLOB, &[hash.as_bytes(), &length[..], bytes].concat()).ok();
        assert_eq!((&reply.body[..32], reply.body.len()), (&hash.as_bytes()[..], 33));
        hash
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Append<'a> {
    pub(crate) context: u64,
    pub(crate) parent: u64,
    pub(crate) type_id: &'a [u8],
    pub(crate) compression: u32,
    pub(crate) uncompressed_len: u32,
    pub(crate) hash: [u8; 32],
    pub(crate) payload: Vec<u8>,
    pub(crate) key: &'a [u8],
    pub(crate) tree: Option<[u8; 32]>,
}

impl Append<'_> {
    pub(crate) fn new(context: u64, payload: &[u8]) -> Self {
        Append {
            context,
            parent: 0,
            type_id: b"test.Said",
            compression: 0,
            uncompressed_len: u32::try_from(payload.len()).unwrap(),
            hash: *ContentHash::of(payload).as_bytes(),
            payload: payload.to_vec(),
            key: b"",
            tree: None,
        }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = self.context.to_le_bytes().to_vec();
        let counted = |out: &mut Vec<u8>, bytes: &[u8]| {
            out.extend(u32::try_from(bytes.len()).unwrap().to_le_bytes());
            out.extend(bytes);
        };
        out.extend(self.parent.to_le_bytes());
        counted(&mut out, self.type_id);
        for number in [3_u32, 1, self.compression, self.uncompressed_len] {
            out.extend(number.to_le_bytes());
        }
        out.extend(self.hash);
        counted(&mut out, &self.payload);
        counted(&mut out, self.key);
        out.extend(self.tree.into_iter().flatten());
        out
    }
}

/// A turn of a window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) turn: u64,
    pub(crate) parent: u64,
    pub(crate) depth: u32,
    pub(crate) type_id: String,
    pub(crate) compression: u32,
    pub(crate) uncompressed_len: u32,
    pub(crate) payload: Vec<u8>,
}

/// Reads a window as both known clients do; says how many bytes are left behind it.
pub(crate) fn rows(reply: &Reply) -> (Vec<Row>, usize) {
    let mut rest = &reply.body[..];
    let mut take = |count: usize| {
        let (taken, behind) = rest.split_at(count);
        rest = behind;
        taken.to_vec()
    };
    let u32_of = |bytes: Vec<u8>| u32::from_le_bytes(bytes.try_into().unwrap());
    let u64_of = |bytes: Vec<u8>| u64::from_le_bytes(bytes.try_into().unwrap());
    let mut rows = Vec::new();
    for _ in 0..u32_of(take(4)) {
        let (turn, parent, depth) = (u64_of(take(8)), u64_of(take(8)), u32_of(take(4)));
        let type_bytes = u32_of(take(4)) as usize;
        let type_id = String::from_utf8(take(type_bytes)).unwrap();
        let (version, encoding) = (u32_of(take(4)), u32_of(take(4)));
        assert_eq!((version, encoding), (3, 1));
        let (compression, uncompressed_len) = (u32_of(take(4)), u32_of(take(4)));
        let hash = take(32);
        let payload_bytes = u32_of(take(4)) as usize;
        let payload = take(payload_bytes);
        if payload_bytes > 0 {
            assert_eq!(hash, ContentHash::of(&payload).as_bytes());
        }
        rows.push(Row { turn, parent, depth, type_id, compression, uncompressed_len, payload });
    }
    (rows, rest.len())
}

pub(crate) fn window(context: u64, limit: u32, with_payload: u32) -> Vec<u8> {
    [&context.to_le_bytes()[..], &limit.to_le_bytes(), &with_payload.to_le_bytes()].concat()
}
