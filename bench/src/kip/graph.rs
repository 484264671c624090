//! A store with the graph in it, and one voice that asks.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use cairn_access::Principal;
use cairn_base::{TenantId, Value};
use cairn_embedded::EmbeddedOptions;
use cairn_engine::{Engine, KipImportOptions, MEMORY_SPACE};
use cairn_kip::KipRequest;

use super::workload::{Concept, DEFINED_PREDICATES, Proposition, Size, TYPES};
use crate::search::home_in;
use crate::search::million::{open_with, wait_until_ready};

const CONCEPTS_PER_COMMAND: u64 = 100;
const PROPOSITIONS_PER_COMMAND: u64 = 200;
/// How long loading may take, and how long the index may take after that.
const LOADING_MAX: Duration = Duration::from_secs(1800);
const CATCHING_UP_MAX: Duration = Duration::from_secs(600);

/// An engine with a graph.
pub(super) struct Graph {
    engine: Arc<Engine>,
    owner: Principal,
}

/// How long loading took.
#[derive(Debug, Clone, Copy)]
pub(super) struct Loaded {
    /// Concepts and propositions together.
    pub(super) elements: u64,
    /// Until the last command was answered.
    pub(super) took: Duration,
    /// Until everything could be found by its words as well.
    pub(super) found_after: Duration,
}

impl Graph {
    /// Opens a store; its search gets ready by and by.
    pub(super) fn open(dir: &Path) -> Result<Self> {
        Graph::open_with(dir, EmbeddedOptions::default())
    }

    /// Opens a store as these options say.
    pub(super) fn open_with(dir: &Path, options: EmbeddedOptions) -> Result<Self> {
        let engine = open_with(dir, options)?;
        engine.start_search(home_in(dir))?;
        Ok(Graph { engine, owner: Principal::local_owner() })
    }

    /// Waits until its search is ready.
    pub(super) fn wait_for_search(&self) -> Result<()> {
        wait_until_ready(&self.engine)
    }

    /// Opens an empty store with what concepts and propositions need.
    pub(super) fn create(dir: &Path) -> Result<Self> {
        Graph::open(dir)?.defined()
    }

    /// Defines what concepts and propositions need.
    pub(super) fn defined(self) -> Result<Self> {
        self.wait_for_search()?;
        let mut text = String::from("UPSERT {\n");
        let definitions = TYPES.iter().map(|name| ("$ConceptType", name));
        for (kind, name) in
            definitions.chain(DEFINED_PREDICATES.iter().map(|name| ("$PropositionType", name)))
        {
            text.push_str(&format!("CONCEPT {{ {{type: \"{kind}\", name: \"{name}\"}} }}\n"));
        }
        text.push('}');
        self.ask(&text, &[])?;
        Ok(self)
    }

    /// Imports the graph as one stream of UPSERT texts, and says how long that took.
    pub(super) fn import(&self, size: Size) -> Result<Duration> {
        let mut stream = Stream { texts: commands(size), text: Vec::new(), read: 0 };
        let began = Instant::now();
        let report = self.engine.kip_import(
            &self.owner,
            TenantId::LOCAL,
            &mut stream,
            &KipImportOptions::default(),
            &mut |_| began.elapsed() < LOADING_MAX,
        )?;
        let took = began.elapsed();
        ensure!(report.bytes_skipped == 0 && report.only_read == 0, "not everything was imported");
        Ok(took)
    }

    /// Loads the graph through UPSERT texts, one command after the other.
    pub(super) fn load(&self, size: Size) -> Result<Loaded> {
        let began = Instant::now();
        for text in commands(size) {
            self.ask(&text, &[])?;
            ensure!(began.elapsed() < LOADING_MAX, "loading takes longer than {} s", LOADING_MAX.as_secs());
        }
        let took = began.elapsed();
        let last = [("name", Concept::new(size.concepts - 1).name)];
        while self.answer("SEARCH CONCEPT :name LIMIT 1", &last)?.get("result").is_none()
            || self.engine.search_status().behind_ms > 0
        {
            ensure!(began.elapsed() < took + CATCHING_UP_MAX, "the index does not get there");
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(Loaded { elements: size.concepts + size.propositions, took, found_after: began.elapsed() })
    }

    /// What a command answers; an error ends the run.
    pub(super) fn ask(&self, command: &str, parameters: &[(&str, String)]) -> Result<Value> {
        let mut answer = self.answer(command, parameters)?;
        let result = if let Value::Object(entries) = &mut answer { entries.remove("result") } else { None };
        result.with_context(|| format!("{command:.200} answers {}", answer.to_json()))
    }

    fn answer(&self, command: &str, parameters: &[(&str, String)]) -> Result<Value> {
        let request = request(command, parameters)?;
        let answer = self.engine.kip(&self.owner, TenantId::LOCAL, &request);
        Ok(answer.context("the engine does not answer")?.into_value())
    }

    /// Makes an index of a field of a type, and says how long that took.
    pub(super) fn create_index(&self, (kind, field): (&str, &str)) -> Result<Duration> {
        let began = Instant::now();
        let (owner, tenant) = (&self.owner, TenantId::LOCAL);
        let made =
            self.engine.create_ordered_index(owner, tenant, MEMORY_SPACE, kind, field, &mut |_| true)?;
        ensure!(made.state == "ready", "the index of {field} of {kind} is {}", made.state);
        Ok(began.elapsed())
    }

    /// Bytes written to the log so far.
    pub(super) fn log_bytes(&self) -> Result<u64> {
        Ok(self.engine.stats(&self.owner)?.store.files.unwrap_or_default().log_bytes_written)
    }

    /// Closes the store.
    pub(super) fn close(self) -> Result<()> {
        self.engine.close()?;
        Ok(())
    }
}

/// A request as clients send it.
fn request(command: &str, parameters: &[(&str, String)]) -> Result<KipRequest> {
    let parameters = parameters.iter().map(|(name, value)| ((*name).to_owned(), Value::from(value.as_str())));
    let entries = [
        ("command".to_owned(), Value::from(command)),
        ("parameters".to_owned(), Value::Object(parameters.collect())),
    ];
    Ok(KipRequest::decode(Value::Object(entries.into()))?)
}

/// The whole graph as UPSERT texts, concepts first.
fn commands(size: Size) -> impl Iterator<Item = String> {
    let concepts =
        texts(size.concepts, CONCEPTS_PER_COMMAND, |number, text| Concept::new(number).block(text));
    let propositions = texts(size.propositions, PROPOSITIONS_PER_COMMAND, move |number, text| {
        Proposition::new(number, size.concepts).block(text);
    });
    concepts.chain(propositions)
}

/// Texts one after the other, as a file has them.
struct Stream<I> {
    texts: I,
    text: Vec<u8>,
    read: usize,
}

impl<I: Iterator<Item = String>> Read for Stream<I> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read == self.text.len() {
            self.text = self.texts.next().map(|text| text + "\n").unwrap_or_default().into_bytes();
            self.read = 0;
        }
        let bytes = buffer.len().min(self.text.len() - self.read);
        buffer[..bytes].copy_from_slice(&self.text[self.read..self.read + bytes]);
        self.read += bytes;
        Ok(bytes)
    }
}

/// UPSERT texts with so many blocks each.
fn texts<'a>(
    count: u64,
    per_command: u64,
    block: impl Fn(u64, &mut String) + 'a,
) -> impl Iterator<Item = String> + 'a {
    (0..count.div_ceil(per_command)).map(move |command| {
        let mut text = String::from("UPSERT {\n");
        for number in command * per_command..((command + 1) * per_command).min(count) {
            block(number, &mut text);
        }
        text.push('}');
        text
    })
}
