//! One HTTP connection that is used again and again, to a server that may be killed.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

/// A connection.
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
    addr: String,
}

impl Connection {
    pub(crate) fn open(addr: &str) -> Connection {
        let stream = TcpStream::connect(addr).expect("it listens");
        stream.set_nodelay(true).expect("an option of sockets");
        Connection { stream: BufReader::new(stream), addr: addr.to_owned() }
    }

    /// Status and body of a response; `None` if the server is gone.
    pub(crate) fn ask(&mut self, method: &str, path: &str, body: &[u8]) -> Option<(u16, Value)> {
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            self.addr,
            body.len()
        );
        self.stream.get_mut().write_all(&[head.as_bytes(), body].concat()).ok()?;
        let line = self.line()?;
        let status = line.split(' ').nth(1)?.parse().ok()?;
        let mut length = 0;
        loop {
            let line = self.line()?.to_lowercase();
            if line.is_empty() {
                break;
            }
            assert!(!line.starts_with("transfer-encoding"), "{path} has no length");
            if let Some(bytes) = line.strip_prefix("content-length: ") {
                length = bytes.parse().expect("a number");
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).ok()?;
        Some((status, serde_json::from_slice(&body).unwrap_or_else(|error| panic!("{path}: {error}"))))
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        self.stream.read_line(&mut line).ok().filter(|bytes| *bytes > 0)?;
        Some(line.trim_end().to_owned())
    }
}
