//! Writes lines, each of them whole.

use std::io;

use tokio::io::{AsyncWrite, AsyncWriteExt};

/// Capacity that is kept after a long line.
const KEPT_BYTES: usize = 64 * 1024;

/// The output stream and what it has not taken yet.
pub(crate) struct Output<W> {
    /// `None` once it is closed.
    stream: Option<W>,
    unsent: Vec<u8>,
    /// Number of unsent bytes that the stream has taken.
    taken: usize,
}

impl<W: AsyncWrite + Unpin> Output<W> {
    pub(crate) fn new(stream: W) -> Self {
        Output { stream: Some(stream), unsent: Vec::new(), taken: 0 }
    }

    /// Sends a line. If the future is dropped, the next call sends the rest first, so that lines never interleave.
    pub(crate) async fn send(&mut self, line: &[u8]) -> io::Result<()> {
        let stream = self.stream.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        self.unsent.extend_from_slice(line);
        self.unsent.push(b'\n');
        while self.taken < self.unsent.len() {
            let taken = stream.write(&self.unsent[self.taken..]).await?;
            if taken == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            self.taken += taken;
        }
        self.taken = 0;
        self.unsent.clear();
        self.unsent.shrink_to(KEPT_BYTES);
        stream.flush().await
    }

    /// Closes the stream.
    pub(crate) fn close(&mut self) {
        self.stream = None;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::AsyncReadExt;
    use tokio::time::timeout;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_line_that_was_given_up_is_finished_by_the_next() {
        let (ours, mut theirs) = tokio::io::duplex(4);
        let mut output = Output::new(ours);
        let given_up = timeout(Duration::from_secs(1), output.send(b"a long line")).await;
        assert!(given_up.is_err(), "nobody reads");
        let reading = tokio::spawn(async move {
            let mut heard = String::new();
            theirs.read_to_string(&mut heard).await.expect("text");
            heard
        });
        output.send(b"another").await.expect("it is read");
        output.close();
        assert_eq!(output.send(b"late").await.expect_err("it is closed").kind(), io::ErrorKind::NotConnected);
        assert_eq!(reading.await.expect("it ends"), "a long line\nanother\n");
    }
}
