//! One thread that keeps many connections busy, each with one request at a time.

use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use mio::{Events, Interest, Poll, Token};

use super::stream::{Stream, Trust};
use super::wire::HEADER_BYTES;
use crate::drive::Run;
use crate::spread::Spread;

/// How long an answer may take before the run is given up.
const PATIENCE: Duration = Duration::from_secs(30);
const BUFFER_BYTES: usize = 256 << 10;

/// What to send, and what to make of answers.
pub(crate) trait Talk {
    /// Puts the next request of a connection into `out`; `false` when it has none.
    fn ask(&mut self, connection: usize, out: &mut Vec<u8>) -> bool;

    /// Hears an answer, a whole frame.
    fn hear(&mut self, connection: usize, answer: &[u8]) -> Result<()>;
}

/// How answers are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// A header with a length.
    Binary,
    /// HTTP/1.1 with `content-length`.
    Http,
}

impl Framing {
    /// Bytes of an answer that begins like this, as far as that is known.
    fn wanted(self, begun: &[u8]) -> Option<usize> {
        match self {
            Framing::Binary => {
                let [a, b, c, d, ..] = *begun.first_chunk::<HEADER_BYTES>()?;
                Some(HEADER_BYTES + u32::from_le_bytes([a, b, c, d]) as usize)
            }
            Framing::Http => {
                let head = begun.windows(4).position(|end| end == b"\r\n\r\n")? + 4;
                let text = std::str::from_utf8(&begun[..head]).ok()?;
                let length = text.lines().find_map(|line| line.strip_prefix("content-length: "))?;
                Some(head + length.trim().parse::<usize>().ok()?)
            }
        }
    }
}

/// Connections to a server.
pub(crate) struct Load {
    poll: Poll,
    connections: Vec<Connection>,
}

struct Connection {
    framing: Framing,
    stream: Stream,
    request: Vec<u8>,
    answer: Vec<u8>,
    filled: usize,
    sent: Option<Instant>,
}

/// How long to warm up and to measure; a talk that ends by itself ends the run earlier.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    pub(crate) warm_up: Duration,
    pub(crate) measured: Duration,
}

impl Span {
    /// Until the talk ends.
    pub(crate) const WHOLE: Span = Span { warm_up: Duration::ZERO, measured: Duration::MAX };
}

impl Load {
    /// Connects.
    pub(crate) fn connect(addr: SocketAddr, connections: usize, framing: Framing) -> Result<Self> {
        Load::connect_with(addr, connections, framing, None)
    }

    /// Connects, over TLS if there is somebody to trust.
    pub(crate) fn connect_with(
        addr: SocketAddr,
        connections: usize,
        framing: Framing,
        trust: Option<&Trust>,
    ) -> Result<Self> {
        let poll = Poll::new()?;
        let connect = |number| -> Result<Connection> {
            let mut stream = Stream::connect(addr, trust)?;
            poll.registry().register(stream.socket(), Token(number), Interest::READABLE)?;
            Ok(Connection {
                framing,
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

    /// How many connections there are.
    pub(crate) fn connections(&self) -> usize {
        self.connections.len()
    }

    /// One request and its answer, on the first connection.
    pub(crate) fn call(&mut self, request: impl FnOnce(&mut Vec<u8>)) -> Result<Vec<u8>> {
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
    pub(crate) fn run(&mut self, span: Span, talk: &mut dyn Talk) -> Result<Run> {
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

    /// Talks at a steady pace, spread evenly over the connections. Times are counted from when a request was
    /// due: falling behind counts.
    pub(crate) fn paced(&mut self, rate: u32, lasting: Duration, talk: &mut dyn Talk) -> Result<Spread> {
        let step = Duration::from_secs(1) / rate;
        let total = (lasting.as_nanos() / step.as_nanos()) as u32;
        let began = Instant::now();
        let (mut next, mut open) = (0_u32, 0_usize);
        let mut due = vec![None; self.connections.len()];
        let mut times = Vec::with_capacity(total as usize);
        let mut events = Events::with_capacity(1024);
        while next < total || open > 0 {
            let now = Instant::now();
            while next < total && began + step * next <= now {
                // A connection that is still busy has its request wait, and that counts.
                // In turn, because servers close connections that say nothing for long.
                let count = due.len();
                let in_turn = (0..count).map(|ahead| (next as usize + ahead) % count);
                let Some(free) = in_turn.into_iter().find(|number| due[*number].is_none()) else { break };
                due[free] = Some(began + step * next);
                ensure!(self.connections[free].send(free, talk)?, "a talk at a pace has no end");
                next += 1;
                open += 1;
            }
            let until_next = (began + step * next).saturating_duration_since(Instant::now());
            let all_busy = due.iter().all(Option::is_some);
            let patience = if next < total && !all_busy { until_next } else { PATIENCE };
            self.poll.poll(&mut events, Some(patience))?;
            for event in &events {
                let number = event.token().0;
                if self.connections[number].receive()? {
                    let was_due: Instant = due[number].take().context("an answer to no request")?;
                    times.push(was_due.elapsed());
                    talk.hear(number, self.connections[number].whole())?;
                    open -= 1;
                }
            }
        }
        Ok(Spread::new(times))
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
            let wanted = self.framing.wanted(&self.answer[..self.filled]);
            if self.answer.len() < wanted.unwrap_or(self.filled + 1) {
                self.answer.resize(wanted.unwrap_or(2 * self.answer.len()), 0);
            }
            match self.stream.read(&mut self.answer[self.filled..]) {
                Ok(0) => bail!("the server closed the connection"),
                Ok(bytes) => self.filled += bytes,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            }
            if self.framing.wanted(&self.answer[..self.filled]).is_some_and(|wanted| self.filled >= wanted) {
                return Ok(true);
            }
        }
    }

    fn whole(&self) -> &[u8] {
        &self.answer[..self.filled]
    }
}
