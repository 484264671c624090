//! Running cairn, and talking to it over plain sockets.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;

/// The program with nothing of this machine in its environment.
pub(crate) fn cairn(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    command.args(arguments).current_dir(dir).env_clear().env("HOME", dir.join("home"));
    if arguments.first() == Some(&"serve") {
        // Servers of several tests run at once.
        command.env("CAIRN_BINARY_ADDR", "127.0.0.1:0");
    }
    command
}

/// Longer than anything here takes: only a program that should have ended runs into it.
const TOO_LONG: Duration = Duration::from_secs(300);

/// Runs it to its end.
pub(crate) fn run(dir: &Path, arguments: &[&str]) -> Output {
    output(&mut cairn(dir, arguments))
}

/// Runs it to its end. One that goes on (a server nobody expected) fails the test instead of holding it.
pub(crate) fn output(command: &mut Command) -> Output {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.expect("the program starts");
    let pid = child.id().to_string();
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || tell.send(child.wait_with_output()));
    told.recv_timeout(TOO_LONG).map(|output| output.expect("its output is read")).unwrap_or_else(|_| {
        let _ = Command::new("kill").args(["-KILL", &pid]).status();
        panic!("{command:?} did not end")
    })
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("text")
}

/// Runs something that blocks on a thread of its own, and not longer than it may take.
pub(crate) fn within<T: Send + 'static>(what: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || tell.send(work()));
    told.recv_timeout(TOO_LONG).unwrap_or_else(|_| panic!("{what} did not come within {TOO_LONG:?}"))
}

/// A server, ended with the test.
pub(crate) struct Server {
    child: Child,
    stdout: Option<BufReader<ChildStdout>>,
    /// What it printed first, with `--json`.
    pub(crate) endpoints: Value,
}

impl Server {
    /// Starts `cairn serve` on a free port and waits until it says where it is.
    pub(crate) fn start(dir: &Path, arguments: &[&str]) -> Server {
        let mut command = cairn(dir, &["serve", "--json", "--http", "127.0.0.1:0"]);
        command.args(arguments);
        Server::spawn(command)
    }

    pub(crate) fn spawn(command: Command) -> Server {
        Server::try_spawn(command)
            .unwrap_or_else(|(code, said)| panic!("it ended with {code:?} and said {said}"))
    }

    /// A server that says where it is, or the exit code and last words of one that does not.
    pub(crate) fn try_spawn(mut command: Command) -> Result<Server, (Option<i32>, String)> {
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("it is piped"));
        // Made at once, so that it is ended whatever happens.
        let mut server = Server { child, stdout: None, endpoints: Value::Null };
        let (line, stdout) = within("its first line", move || {
            let mut line = String::new();
            stdout.read_line(&mut line).expect("it prints");
            (line, stdout)
        });
        server.stdout = Some(stdout);
        if line.is_empty() {
            let (code, _, said) = server.wait();
            return Err((code, said));
        }
        server.endpoints = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error} in {line:?}"));
        Ok(server)
    }

    pub(crate) fn addr(&self) -> &str {
        self.endpoints["http"].as_str().expect("an address")
    }

    /// The whole answer to a GET.
    pub(crate) fn get(&self, path: &str) -> String {
        self.get_with(path, "")
    }

    /// The same with more lines in its head, each of which ends with CRLF.
    pub(crate) fn get_with(&self, path: &str, extra: &str) -> String {
        let mut stream = TcpStream::connect(self.addr()).expect("it listens");
        let head =
            format!("GET {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n{extra}\r\n", self.addr());
        stream.write_all(head.as_bytes()).expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer
    }

    pub(crate) fn signal(&self, name: &str) {
        let status = Command::new("kill").args([name, &self.child.id().to_string()]).status();
        assert!(status.expect("kill is there").success());
    }

    /// Waits for its end: the exit code, and the rest of what it printed.
    pub(crate) fn wait(mut self) -> (Option<i32>, String, String) {
        let mut stdout = self.stdout.take().expect("it is read once");
        let mut stderr = self.child.stderr.take().expect("it is piped");
        let (out, err) = within("its end", move || {
            let (mut out, mut err) = (String::new(), String::new());
            stdout.read_to_string(&mut out).expect("text");
            stderr.read_to_string(&mut err).expect("text");
            (out, err)
        });
        (self.child.wait().expect("it ends").code(), out, err)
    }

    /// Ends it as a power cut would: no chance to tidy up.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Only what a failing test left behind; both fail when it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
