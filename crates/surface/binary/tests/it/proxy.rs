//! Between a client and a server: cuts connections where it hurts, and leads to another server.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};

use crate::fake::receive;
use crate::wire::frame;

/// Where a connection is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// As soon as it is there.
    AtOnce,
    /// When this message type has come in; the server does not get it.
    BeforeServer(u16),
    /// When the server has answered this message type; the client does not get the answer.
    BeforeAnswer(u16),
}

#[derive(Debug, Clone)]
pub(crate) struct Proxy {
    pub(crate) addr: SocketAddr,
    shared: Arc<Mutex<Shared>>,
}

#[derive(Debug)]
struct Shared {
    server: SocketAddr,
    cuts: VecDeque<Cut>,
    seen: Vec<(u16, Vec<u8>)>,
}

impl Proxy {
    pub(crate) async fn start(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let shared = Shared { server, cuts: VecDeque::new(), seen: Vec::new() };
        let proxy = Proxy { addr: listener.local_addr().unwrap(), shared: Arc::new(Mutex::new(shared)) };
        let served = proxy.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(served.clone().connection(stream));
            }
        });
        proxy
    }

    pub(crate) fn lead_to(&self, server: SocketAddr) {
        self.shared.lock().unwrap().server = server;
    }

    /// Adds a cut; they are made in the order in which they were added.
    pub(crate) fn cut(&self, cut: Cut) {
        self.shared.lock().unwrap().cuts.push_back(cut);
    }

    /// The bodies of all requests of this type that have come in.
    pub(crate) fn seen(&self, kind: u16) -> Vec<Vec<u8>> {
        let shared = self.shared.lock().unwrap();
        shared.seen.iter().filter(|(seen, _)| *seen == kind).map(|(_, body)| body.clone()).collect()
    }

    /// Whether the next cut is this one; then it is made.
    fn is_due(&self, cut: Cut) -> bool {
        let mut shared = self.shared.lock().unwrap();
        shared.cuts.pop_front_if(|next| *next == cut).is_some()
    }

    async fn connection(self, mut client: TcpStream) {
        if self.is_due(Cut::AtOnce) {
            return;
        }
        let server = self.shared.lock().unwrap().server;
        let Ok(mut server) = TcpStream::connect(server).await else { return };
        let mut end = [0];
        loop {
            // A server that goes takes the connection with it.
            let request = tokio::select! {
                request = receive(&mut client) => request,
                _ = server.peek(&mut end) => return,
            };
            let Some((kind, id, body)) = request else { return };
            self.shared.lock().unwrap().seen.push((kind, body.clone()));
            if self.is_due(Cut::BeforeServer(kind)) {
                return;
            }
            // What is forwarded has no tree, hence no flags.
            server.write_all(&frame(kind, 0, id, &body)).await.unwrap();
            let Some((kind, id, answer)) = receive(&mut server).await else { return };
            if self.is_due(Cut::BeforeAnswer(kind)) {
                return;
            }
            if client.write_all(&frame(kind, 0, id, &answer)).await.is_err() {
                return;
            }
        }
    }
}
