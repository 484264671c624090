//! Many turns: memory, start-up and disk.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use cairn_embedded::{EmbeddedOptions, EmbeddedStore};
use cairn_seam::{Packer, Store};

use super::load::{Framing, Load, Span, Talk};
use super::server::Server;
use super::wire::{self, Payloads};
use crate::drive::Run;
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::scratch::Scratch;
use crate::spread::{median, ms};

const CONNECTIONS: usize = 64;

pub(crate) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "million")?;
    let (turns, contexts) = setting.pick((1_000_000, 1000), (20_000, 100));
    let server = Server::start(dir.path())?;
    let filled = fill(&server, contexts, turns)?;
    let (now, most) = server.memory_mib()?;
    report.add(
        Figure::new("memory of the server, at the most", most, Unit::Mebibytes)
            .target(Target::Below(300.0))
            .beside(format!("{now:.0} MiB at the end; {:.0} appends/s", filled.rate)),
    );
    server.stop()?;
    let bytes = disk_bytes(dir.path())?;
    report.add(
        Figure::new("bytes on disk per turn", bytes as f64 / turns as f64, Unit::Count)
            .target(Target::AtMost(1150.0))
            .beside(format!(
                "payloads of {} bytes that compress to {:.0}",
                wire::PAYLOAD_BYTES,
                packed_bytes()
            )),
    );
    let mut starts = Vec::new();
    let mut memory = Vec::new();
    for _ in 0..5 {
        let began = Instant::now();
        let server = Server::start(dir.path())?;
        let answer = Load::connect(server.addr, 1, Framing::Binary)?.call(|out| wire::last(out, 1, 1))?;
        wire::body(&answer, 6)?;
        starts.push(ms(began.elapsed()));
        memory.push(server.memory_mib()?.1);
        server.stop()?;
    }
    report.add(
        Figure::new("from start to the first answer", median(starts), Unit::Millis)
            .target(Target::Below(1000.0))
            .beside(format!("{:.0} MiB of memory then", median(memory))),
    );
    Ok(())
}

/// Appends turns to contexts in turn, so that those of one lie far apart.
pub(crate) fn fill(server: &Server, contexts: u64, turns: u64) -> Result<Run> {
    let mut load = Load::connect(server.addr, CONNECTIONS, Framing::Binary)?;
    for _ in 0..contexts {
        wire::body(&load.call(|out| wire::create(out, 0))?, 2)?;
    }
    let payloads = Payloads::new();
    load.run(Span::WHOLE, &mut Fill { contexts, turns, next: 0, payloads })
}

struct Fill {
    contexts: u64,
    turns: u64,
    next: u64,
    payloads: Payloads,
}

impl Talk for Fill {
    fn ask(&mut self, _: usize, out: &mut Vec<u8>) -> bool {
        let number = self.next;
        self.next += 1;
        wire::append(out, 1 + number % self.contexts, &self.payloads, number);
        number < self.turns
    }

    fn hear(&mut self, _: usize, answer: &[u8]) -> Result<()> {
        wire::body(answer, 5).map(drop)
    }
}

/// What the files take, without what is only prepared for later.
fn disk_bytes(dir: &Path) -> Result<u64> {
    let store = EmbeddedStore::open(dir, EmbeddedOptions::default())?;
    store.close()?;
    let mut bytes = store.stats().files.unwrap_or_default().log_bytes;
    drop(store);
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_log = name.ends_with(".log") || name.starts_with("spare");
        if !is_log && entry.metadata()?.is_file() {
            bytes += entry.metadata()?.blocks() * 512;
        }
        eprintln!("   {name}: {} bytes, {} blocks", entry.metadata()?.len(), entry.metadata()?.blocks());
    }
    Ok(bytes)
}

fn packed_bytes() -> f64 {
    let payloads = Payloads::new();
    let mut packer = Packer::default();
    let packed = (0..100).map(|number| {
        let mut plain = Vec::new();
        payloads.put(number, &mut plain);
        packer.pack(&plain).map_or(plain.len(), |packed| packed.len())
    });
    packed.sum::<usize>() as f64 / 100.0
}
