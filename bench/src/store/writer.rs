//! A process that writes until it is killed, and the handle its parent holds.

use std::io::{BufRead, BufReader, Write, stdout};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use cairn_embedded::{EmbeddedOptions, EmbeddedStore};

use super::record::{self, Name};

/// Writes records and prints each one's producer and count once it is acknowledged. Never returns but
/// with an error: whoever started it kills it.
pub(super) fn write_until_killed(dir: &Path, run: u32, producers: u32) -> Result<()> {
    let store = EmbeddedStore::open(dir, EmbeddedOptions::default())?;
    thread::scope(|scope| {
        let produce = |producer| {
            let store = &store;
            move || -> Result<()> {
                for count in 0.. {
                    record::commit_one(store, Name { run, producer, count })?;
                    // In one write, so that a line is whole or missing.
                    let line = format!("{producer} {count}\n");
                    stdout().lock().write_all(line.as_bytes())?;
                }
                Ok(())
            }
        };
        let threads: Vec<_> = (0..producers).map(|producer| scope.spawn(produce(producer))).collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("a producer does not panic"))
    })
}

/// A running writer. Killed when dropped.
#[derive(Debug)]
pub(super) struct Writer {
    child: Child,
    /// Producer and count of every record acknowledged so far.
    reader: Option<JoinHandle<Vec<(u32, u64)>>>,
    first: Receiver<()>,
}

impl Writer {
    /// Starts a writer.
    pub(super) fn start(dir: &Path, run: u32, producers: u32) -> Result<Self> {
        let program = std::env::current_exe().context("finding this program")?;
        let mut child = Command::new(program)
            .args(["child", "write"])
            .arg(dir)
            .args([run.to_string(), producers.to_string()])
            .stdout(Stdio::piped())
            .spawn()
            .context("starting a writer")?;
        let output = child.stdout.take().context("a writer without output")?;
        let (begun, first) = channel();
        let reader = thread::spawn(move || {
            let mut acknowledged = Vec::new();
            for line in BufReader::new(output).lines() {
                let Some(pair) = line.ok().and_then(|line| parse(&line)) else { break };
                acknowledged.push(pair);
                if acknowledged.len() == 1 {
                    // Nobody may be waiting for it.
                    let _ = begun.send(());
                }
            }
            acknowledged
        });
        Ok(Writer { child, reader: Some(reader), first })
    }

    /// Waits until something was acknowledged.
    pub(super) fn wait_until_writing(&self) -> Result<()> {
        self.first.recv_timeout(Duration::from_secs(60)).context("the writer wrote nothing")
    }

    /// Kills it where it stands and says what was acknowledged until then.
    pub(super) fn kill(mut self) -> Result<Vec<(u32, u64)>> {
        if let Some(status) = self.child.try_wait()? {
            bail!("the writer ended by itself ({status})");
        }
        self.child.kill()?;
        self.child.wait()?;
        let reader = self.reader.take().context("a writer is killed once")?;
        Ok(reader.join().expect("the reader of acknowledgements does not panic"))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Both fail when it is gone already, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn parse(line: &str) -> Option<(u32, u64)> {
    let (producer, count) = line.split_once(' ')?;
    Some((producer.parse().ok()?, count.parse().ok()?))
}
