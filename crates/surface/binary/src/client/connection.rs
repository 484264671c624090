//! One connection: a request out, its answer in.

use std::io;

use cairn_tls::{Connector, is_distrust};
use tokio::io::{AsyncReadExt, BufReader};

use super::config::ClientToken;
use super::error::ClientError;
use super::outgoing::Outgoing;
use super::stream::Stream;
use crate::answer::Greeting;
use crate::error::ErrorAnswer;
use crate::frame::{HEADER_BYTES, Header, MessageType};
use crate::limits;
use crate::request::Hello;
use crate::send::send;

/// Memory is taken for so much of an answer at once; more as it comes in.
const ROOM_BYTES: usize = 64 << 10;

/// A connection that has said HELLO.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: BufReader<Stream>,
    last_id: u64,
}

/// What a server says to a request.
pub(crate) enum Reply {
    /// The body of the answer, and its flags.
    Done(Vec<u8>, u16),
    /// It was not done.
    Refused(ErrorAnswer),
}

impl Connection {
    pub(crate) async fn open(
        addr: &str,
        tag: &str,
        token: Option<&ClientToken>,
        tls: Option<&Connector>,
    ) -> Result<Self, ClientError> {
        let stream = Stream::connect(addr, tls).await.map_err(|error| {
            let addr = addr.to_owned();
            if is_distrust(&error) {
                ClientError::Untrusted { addr, reason: error }
            } else {
                ClientError::Connect { addr, source: error }
            }
        })?;
        let mut connection = Connection { stream: BufReader::new(stream), last_id: 0 };
        let hello = Hello::with_token(tag.to_owned(), token.map(ClientToken::reveal));
        let mut request = Outgoing::new(MessageType::Hello, |out| hello.encode(out))?;
        match connection.exchange(&mut request).await? {
            Reply::Done(body, _) => {
                let Greeting { session, version } = Greeting::parse(&body)?;
                tracing::debug!(addr, session, version, "connected");
                Ok(connection)
            }
            Reply::Refused(error) => Err(error.into()),
        }
    }

    /// Whether nothing was heard since the last answer: neither an end nor bytes that nobody asked for.
    pub(crate) fn is_quiet(&mut self) -> bool {
        self.stream.buffer().is_empty() && self.stream.get_mut().is_quiet()
    }

    /// Sends a request and reads its answer. After an error, or when the future is dropped, nobody knows
    /// what comes next: the connection is of no more use.
    pub(crate) async fn exchange(&mut self, request: &mut Outgoing) -> Result<Reply, ClientError> {
        self.last_id += 1;
        let asked = self.last_id;
        send(self.stream.get_mut(), request.frame(asked)).await.map_err(ClientError::Lost)?;
        let mut bytes = [0; HEADER_BYTES];
        self.stream.read_exact(&mut bytes).await.map_err(ClientError::Lost)?;
        let header = Header::decode(&bytes);
        let is_error = header.kind == MessageType::Error.number();
        if header.request_id != asked || !(is_error || header.kind == request.kind().number()) {
            return Err(ClientError::WrongAnswer { asked, found: header.request_id, kind: header.kind });
        }
        let body = self.body(&header).await?;
        Ok(if is_error {
            Reply::Refused(ErrorAnswer::parse(&body)?)
        } else {
            Reply::Done(body, header.flags)
        })
    }

    async fn body(&mut self, header: &Header) -> Result<Vec<u8>, ClientError> {
        let len = usize::try_from(header.len).unwrap_or(usize::MAX);
        if len > limits::BINARY_FRAME_BYTES_MAX {
            return Err(ClientError::AnswerTooLarge { bytes: header.len });
        }
        let mut body = Vec::with_capacity(len.min(ROOM_BYTES));
        let mut rest = (&mut self.stream).take(u64::from(header.len));
        rest.read_to_end(&mut body).await.map_err(ClientError::Lost)?;
        if body.len() < len {
            return Err(ClientError::Lost(io::ErrorKind::UnexpectedEof.into()));
        }
        Ok(body)
    }
}
