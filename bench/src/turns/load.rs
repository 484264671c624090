//! One thread that keeps many connections busy, each with one request at a time.

use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

use super::wire::HEADER_BYTES;
use crate::drive::Run;
use crate::spread::Spread;

/// How long an answer may take before the run is given up.
const PATIENCE: Duration = Duration::from_secs(30);
const BUFFER_BYTES: usize = 256 << 10;

/// What to send, and what to make of answers.
pub(super) trait Talk {
    /// Puts the next request of a connection into `out`; `false` when it has none.
    fn ask(&mut self, connection: usize, out: &mut Vec<u8>) -> bool;

    /// Hears an answer, a whole frame.
    fn hear(&mut self, connection: usize, answer: &[u8]) -> Result<()>;
}

/// Connections to a server.
pub(super) struct Load {
    poll: Poll,
    connections: Vec<Connection>,
}

struct Connection {
    stream: TcpStream,
    request: Vec<u8>,
    answer: Vec<u8>,
    filled: usize,
    sent: Option<Instant>,
}

/// How long to warm up and to measure; a talk that ends by itself ends the run earlier.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) warm_up: Duration,
    pub(super) measured: Duration,
}

impl Span {
    /// Until the talk ends.
    pub(super) const WHOLE: Span = Span { warm_up: Duration::ZERO, measured: Duration::MAX };
}

impl Load {
    /// Connects.
    pub(super) fn connect(addr: SocketAddr, connections: usize) -> Result<Self> {
        let poll = Poll::new()?;
        let connect = |number| -> Result<Connection> {
            let stream = std::net::TcpStream::connect(addr).context("connecting to the server")?;
            stream.set_nodelay(true)?;
            stream.set_nonblocking(true)?;
            let mut stream = TcpStream::from_std(stream);
            poll.registry().register(&mut stream, Token(number), Interest::READABLE)?;
            Ok(Connection {
                stream,
                request: Vec::new(),
                answer: vec![0; BUFFER_BYTES],
                filled: 0,
                sent: None,
            })
        };
        let connections = (0..connections).map(connect).collect::<Result<_>>()?;
        Ok(Load { poll, connections })
    }

    /// One request and its answer, on the first connection.
    pub(super) fn call(&mut self, request: impl FnOnce(&mut Vec<u8>)) -> Result<Vec<u8>> {
        struct Once<F>(Option<F>, Vec<u8>);
        impl<F: FnOnce(&mut Vec<u8>)> Talk for Once<F> {
            fn ask(&mut self, connection: usize, out: &mut Vec<u8>) -> bool {
                if connection > 0 {
                    return false;
                }
                self.0.take().map(|request| request(out)).is_some()
            }

            fn hear(&mut self, _: usize, answer: &[u8]) -> Result<()> {
                self.1 = answer.to_vec();
                Ok(())
            }
        }
        let mut once = Once(Some(request), Vec::new());
        self.run(Span::WHOLE, &mut once)?;
        Ok(once.1)
    }

    /// Talks on all connections.
    pub(super) fn run(&mut self, span: Span, talk: &mut dyn Talk) -> Result<Run> {
        let began = Instant::now();
        let from = began + span.warm_up;
        let until = from.checked_add(span.measured);
        let mut times = Vec::with_capacity(1 << 16);
        let mut open = 0;
        for (number, connection) in self.connections.iter_mut().enumerate() {
            open += usize::from(connection.send(number, talk)?);
        }
        let mut events = Events::with_capacity(1024);
        let mut last = from;
        while open > 0 {
            self.poll.poll(&mut events, Some(PATIENCE))?;
            ensure!(!events.is_empty(), "the server does not answer");
            for event in &events {
                let number = event.token().0;
                let connection = &mut self.connections[number];
                if !connection.receive()? {
                    continue;
                }
                let now = Instant::now();
                let sent = connection.sent.take().context("an answer to no request")?;
                if sent >= from && until.is_none_or(|until| now <= until) {
                    times.push(now - sent);
                    last = now;
                }
                talk.hear(number, connection.whole())?;
                let goes_on = until.is_none_or(|until| now < until) && connection.send(number, talk)?;
                open -= usize::from(!goes_on);
            }
        }
        let latency = Spread::new(times);
        let elapsed = last.saturating_duration_since(from).as_secs_f64();
        Ok(Run { rate: latency.count() as f64 / elapsed.max(1e-9), latency })
    }
}

impl Connection {
    fn send(&mut self, number: usize, talk: &mut dyn Talk) -> Result<bool> {
        if !talk.ask(number, &mut self.request) {
            return Ok(false);
        }
        self.filled = 0;
        self.sent = Some(Instant::now());
        // Requests are far shorter than the buffer of a socket that waits for its answer.
        let written = self.stream.write(&self.request).context("sending a request")?;
        ensure!(written == self.request.len(), "a request was cut");
        Ok(true)
    }

    /// Reads what is there; `true` when the answer is whole.
    fn receive(&mut self) -> Result<bool> {
        loop {
            let wanted = self.wanted();
            if self.answer.len() < wanted {
                self.answer.resize(wanted, 0);
            }
            match self.stream.read(&mut self.answer[self.filled..]) {
                Ok(0) => bail!("the server closed the connection"),
                Ok(bytes) => self.filled += bytes,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            }
            if self.filled >= HEADER_BYTES && self.filled >= self.wanted() {
                return Ok(true);
            }
        }
    }

    /// Bytes of the answer, as far as that is known.
    fn wanted(&self) -> usize {
        if self.filled < HEADER_BYTES {
            return HEADER_BYTES;
        }
        let [a, b, c, d, ..] = self.answer[..] else { return HEADER_BYTES };
        HEADER_BYTES + u32::from_le_bytes([a, b, c, d]) as usize
    }

    fn whole(&self) -> &[u8] {
        &self.answer[..self.filled]
    }
}
