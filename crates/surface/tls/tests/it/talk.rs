//! A server that says one word over TLS to whoever comes, and clients of it.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use cairn_tls::{ClientStream, ClientTls, Connector, Protocol, Tls};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

/// Longer than anything here takes.
pub(crate) const LONG: Duration = Duration::from_secs(300);

/// Serves until the runtime ends.
pub(crate) async fn serve(tls: Tls, protocol: Protocol) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let addr = listener.local_addr().expect("it is bound");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let tls = tls.clone();
            tokio::spawn(async move {
                if let Ok(mut stream) = tls.accept(stream, protocol).await {
                    let _ = stream.write_all(b"hello").await;
                    let _ = stream.read_u8().await;
                    let _ = stream.shutdown().await;
                }
            });
        }
    });
    addr
}

/// Shakes hands, or says why not.
pub(crate) async fn connect(addr: SocketAddr, trusted: &ClientTls) -> io::Result<ClientStream> {
    let connector = Connector::new(trusted).expect("roots and a name");
    let stream = TcpStream::connect(addr).await.expect("it listens");
    timeout(LONG, connector.connect(stream)).await.expect("the handshake ends")
}

pub(crate) async fn word(stream: &mut ClientStream) -> String {
    let mut bytes = [0; 5];
    timeout(LONG, stream.read_exact(&mut bytes)).await.expect("it answers").expect("it is sent");
    String::from_utf8(bytes.to_vec()).expect("text")
}
