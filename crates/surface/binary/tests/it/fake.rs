//! A server that answers what a test says.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use cairn_binary::client::{Client, ClientConfig};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use crate::wire::*;

/// A request as it came in.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) kind: u16,
    pub(crate) id: u64,
    pub(crate) body: Vec<u8>,
    /// The number of its connection, from 1.
    pub(crate) connection: usize,
}

impl Request {
    /// An answer of the same type and id.
    pub(crate) fn answer(&self, body: &[u8]) -> Reaction {
        Reaction::Send(frame(self.kind, 0, self.id, body))
    }

    /// The head of the context that was asked for, at turn 7.
    pub(crate) fn answer_head(&self) -> Reaction {
        self.answer(&[&self.body[..8], &7_u64.to_le_bytes(), &0_u32.to_le_bytes()].concat())
    }

    pub(crate) fn refuse(&self, code: u32, detail: &str) -> Reaction {
        let length = u32::try_from(detail.len()).unwrap();
        let body = [&code.to_le_bytes()[..], &length.to_le_bytes(), detail.as_bytes()].concat();
        Reaction::Send(frame(ERROR, 0, self.id, &body))
    }
}

/// What a fake server does about a request.
pub(crate) enum Reaction {
    Send(Vec<u8>),
    /// Sends this, and closes the connection.
    SendAndClose(Vec<u8>),
    /// Nothing, and the connection stays open.
    Silence,
}

pub(crate) struct Fake {
    pub(crate) addr: SocketAddr,
    connections: Arc<AtomicUsize>,
}

impl Fake {
    /// Answers HELLO as it should be, and the rest as `react` says.
    pub(crate) async fn start<R>(react: impl Fn(Request) -> R + Clone + Send + Sync + 'static) -> Self
    where
        R: Future<Output = Reaction> + Send + 'static,
    {
        Fake::start_rude(move |request| {
            let react = react.clone();
            async move {
                if request.kind == HELLO {
                    request.answer(&[1, 0, 0, 0, 0, 0, 0, 0, 1, 0])
                } else {
                    react(request).await
                }
            }
        })
        .await
    }

    /// Answers everything as `react` says.
    pub(crate) async fn start_rude<R>(react: impl Fn(Request) -> R + Clone + Send + Sync + 'static) -> Self
    where
        R: Future<Output = Reaction> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&connections);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let number = counted.fetch_add(1, Ordering::SeqCst) + 1;
                tokio::spawn(converse(stream, number, react.clone()));
            }
        });
        Fake { addr, connections }
    }

    /// Connections there have been.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    pub(crate) async fn client(&self, config: ClientConfig) -> Client {
        Client::connect(self.addr, config).await.unwrap()
    }
}

async fn converse<R: Future<Output = Reaction>>(
    mut stream: TcpStream,
    connection: usize,
    react: impl Fn(Request) -> R,
) {
    while let Some((kind, id, body)) = receive(&mut stream).await {
        match react(Request { kind, id, body, connection }).await {
            Reaction::Send(bytes) => stream.write_all(&bytes).await.unwrap(),
            Reaction::SendAndClose(bytes) => return stream.write_all(&bytes).await.unwrap(),
            Reaction::Silence => {}
        }
    }
}

/// Type, request id and body of the next frame, if there is one.
pub(crate) async fn receive(stream: &mut TcpStream) -> Option<(u16, u64, Vec<u8>)> {
    let mut header = [0; 16];
    stream.read_exact(&mut header).await.ok()?;
    let mut body = vec![0; u32::from_le_bytes(header[..4].try_into().unwrap()) as usize];
    stream.read_exact(&mut body).await.ok()?;
    let kind = u16::from_le_bytes(header[4..6].try_into().unwrap());
    Some((kind, u64::from_le_bytes(header[8..].try_into().unwrap()), body))
}

/// Runs a test to its end, within reason.
pub(crate) fn run<T>(test: impl Future<Output = T>) -> T {
    run_on(Runtime::new().unwrap(), test)
}

pub(crate) fn run_on_one_thread<T>(test: impl Future<Output = T>) -> T {
    run_on(Builder::new_current_thread().enable_all().build().unwrap(), test)
}

fn run_on<T>(runtime: Runtime, test: impl Future<Output = T>) -> T {
    let done = runtime.block_on(async { timeout(Duration::from_secs(300), test).await.unwrap() });
    runtime.shutdown_timeout(Duration::from_secs(5));
    done
}

/// A configuration for tests that do not want to wait.
pub(crate) fn hasty() -> ClientConfig {
    ClientConfig { pause_min: Duration::from_millis(1), ..ClientConfig::default() }
}
