//! A connection whose other end has to take what it is sent.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// Fails a write that makes no headway for so long: who does not read would hold its answer forever.
#[derive(Debug)]
pub(crate) struct Patient<S> {
    stream: S,
    patience: Duration,
    waiting: Pin<Box<Sleep>>,
    is_waiting: bool,
}

impl<S> Patient<S> {
    /// A connection with so much patience.
    pub(crate) fn new(stream: S, patience: Duration) -> Self {
        Patient { stream, patience, waiting: Box::pin(sleep(patience)), is_waiting: false }
    }

    /// Begins to wait, goes on waiting, or has waited enough.
    fn wait<T>(&mut self, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if !self.is_waiting {
            self.waiting.as_mut().reset(Instant::now() + self.patience);
            self.is_waiting = true;
        }
        ready!(self.waiting.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client does not take its answer")))
    }

    fn or_wait<T>(&mut self, context: &mut Context<'_>, polled: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if polled.is_pending() {
            return self.wait(context);
        }
        self.is_waiting = false;
        polled
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.or_wait(context, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.or_wait(context, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_flush(context);
        self.or_wait(context, polled)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_shutdown(context);
        self.or_wait(context, polled)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::time::timeout;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn who_does_not_read_is_left_and_who_reads_slowly_is_not() {
        let (ours, mut theirs) = tokio::io::duplex(8);
        let mut ours = Patient::new(ours, Duration::from_secs(30));
        let reading = tokio::spawn(async move {
            let mut taken = [0; 8];
            for _ in 0..4 {
                sleep(Duration::from_secs(29)).await;
                theirs.read_exact(&mut taken).await.expect("it is sent");
            }
            theirs
        });
        ours.write_all(&[7; 32]).await.expect("each piece is taken in time");
        let _theirs = reading.await.expect("it reads");
        ours.write_all(&[7; 8]).await.expect("the pipe has room");
        let started = Instant::now();
        let error = timeout(Duration::from_secs(600), ours.write_all(&[7; 1])).await.expect("it gives up");
        assert_eq!(error.map_err(|error| error.kind()), Err(io::ErrorKind::TimedOut));
        assert_eq!(started.elapsed().as_secs(), 30);
    }
}
