//! Connections that append, each to a context of its own.

use anyhow::{Result, ensure};

use super::load::{Load, Span, Talk};
use super::wire::{self, Payloads};
use crate::drive::Run;

/// Connections and what they append to.
pub(crate) struct Writers {
    load: Load,
    contexts: Vec<u64>,
    depths: Vec<u32>,
}

/// Where payloads come from. None comes twice, whoever asks.
#[derive(Debug)]
pub(crate) struct Source {
    payloads: Payloads,
    /// Payloads so far.
    pub(crate) number: u64,
}

impl Source {
    pub(crate) fn new() -> Self {
        Source { payloads: Payloads::new(), number: 0 }
    }
}

impl Writers {
    /// Makes a context for each connection.
    pub(crate) fn new(mut load: Load) -> Result<Self> {
        let mut contexts = Vec::new();
        for _ in 0..load.connections() {
            let answer = load.call(|out| wire::create(out, 0))?;
            contexts.push(wire::u64_at(wire::body(&answer, 2)?, 0)?);
        }
        Ok(Writers { depths: vec![0; contexts.len()], load, contexts })
    }

    /// Appends on all connections.
    pub(crate) fn run(&mut self, span: Span, source: &mut Source) -> Result<Run> {
        let mut talk = Appends { contexts: &self.contexts, depths: &mut self.depths, source };
        self.load.run(span, &mut talk)
    }
}

struct Appends<'a> {
    contexts: &'a [u64],
    depths: &'a mut [u32],
    source: &'a mut Source,
}

impl Talk for Appends<'_> {
    fn ask(&mut self, connection: usize, out: &mut Vec<u8>) -> bool {
        self.source.number += 1;
        wire::append(out, self.contexts[connection], &self.source.payloads, self.source.number);
        true
    }

    fn hear(&mut self, connection: usize, answer: &[u8]) -> Result<()> {
        let body = wire::body(answer, 5)?;
        let depth = wire::u32_at(body, 16)?;
        ensure!(depth == self.depths[connection], "a turn at depth {depth}, not {}", self.depths[connection]);
        self.depths[connection] += 1;
        Ok(())
    }
}
