//! What connections go over: TCP as it is, or TLS over it.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use cairn_tls::{ClientStream, Connector};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// One of both.
#[derive(Debug)]
pub(crate) enum Stream {
    /// Readable by everyone on the way.
    Plain(TcpStream),
    /// Readable by the server alone.
    Encrypted(Box<ClientStream>),
}

impl Stream {
    pub(crate) async fn connect(addr: &str, tls: Option<&Connector>) -> io::Result<Self> {
        let stream = TcpStream::connect(addr).await?;
        stream.set_nodelay(true)?;
        Ok(match tls {
            None => Stream::Plain(stream),
            Some(tls) => Stream::Encrypted(Box::new(tls.connect(stream).await?)),
        })
    }

    /// Whether there is nothing to read: neither bytes nor an end.
    pub(crate) fn is_quiet(&mut self) -> bool {
        match self {
            Stream::Plain(stream) => is_silent(stream),
            Stream::Encrypted(stream) => {
                let (stream, session) = stream.get_mut();
                // What was read with the last answer may hold more than it.
                let state = session.process_new_packets();
                let nothing_came =
                    state.is_ok_and(|state| state.plaintext_bytes_to_read() == 0 && !state.peer_has_closed());
                nothing_came && is_silent(stream)
            }
        }
    }
}

fn is_silent(stream: &TcpStream) -> bool {
    stream.try_read(&mut [0]).is_err_and(|why| why.kind() == io::ErrorKind::WouldBlock)
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Stream::Encrypted(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Stream::Encrypted(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_flush(context),
            Stream::Encrypted(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Stream::Encrypted(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use cairn_tls::testing::Authority;
    use cairn_tls::{Protocol, ServerStream, Tls};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio::time::timeout;

    use super::*;

    /// Both ends of a connection over TLS.
    async fn pair() -> (Stream, ServerStream) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let authority = Authority::new();
        let tls = Tls::open(authority.issue().write(folder.path())).expect("good files");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let addr = listener.local_addr().expect("it is bound").to_string();
        let connector = Connector::new(&authority.trusted()).expect("roots and a name");
        let accept = async {
            let (stream, _) = listener.accept().await.expect("somebody comes");
            tls.accept(stream, Protocol::Binary).await.expect("they agree")
        };
        let (ours, theirs) = tokio::join!(Stream::connect(&addr, Some(&connector)), accept);
        (ours.expect("they agree"), theirs)
    }

    async fn hear(ours: &mut Stream, expected: &[u8]) {
        let mut word = vec![0; expected.len()];
        ours.read_exact(&mut word).await.expect("it was said");
        assert_eq!(word, expected);
    }

    /// Waits until something was heard.
    async fn wait_for_noise(ours: &mut Stream) {
        let noise = async {
            while ours.is_quiet() {
                tokio::task::yield_now().await;
            }
        };
        timeout(Duration::from_secs(20), noise).await.expect("it is heard");
    }

    #[tokio::test]
    async fn what_nobody_asked_for_is_noticed() {
        let (mut ours, mut theirs) = pair().await;
        theirs.write_all(b"one").await.expect("we listen");
        hear(&mut ours, b"one").await;
        assert!(ours.is_quiet());
        // In one piece: the second half was read with the first.
        theirs.write_all(b"twothree").await.expect("we listen");
        hear(&mut ours, b"two").await;
        assert!(!ours.is_quiet());
        hear(&mut ours, b"three").await;
        assert!(ours.is_quiet());
        theirs.write_all(b"four").await.expect("we listen");
        wait_for_noise(&mut ours).await;
    }

    #[tokio::test]
    async fn an_end_is_noticed() {
        let (mut ours, mut theirs) = pair().await;
        theirs.write_all(b"one").await.expect("we listen");
        hear(&mut ours, b"one").await;
        theirs.shutdown().await.expect("we listen");
        wait_for_noise(&mut ours).await;
    }
}
