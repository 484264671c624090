//! A store with the graph in it, and one voice that asks.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use cairn_access::Principal;
use cairn_base::{TenantId, Value};
use cairn_engine::Engine;
use cairn_kip::KipRequest;

use super::workload::{Concept, DEFINED_PREDICATES, Proposition, Size, TYPES};
use crate::search::home_in;
use crate::search::million::{open, wait_until_ready};

const CONCEPTS_PER_COMMAND: u64 = 100;
const PROPOSITIONS_PER_COMMAND: u64 = 200;
const PATIENCE: Duration = Duration::from_secs(600);

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
    /// Opens an empty store, and defines what concepts and propositions need.
    pub(super) fn open(dir: &Path) -> Result<Self> {
        let engine = open(dir)?;
        engine.start_search(home_in(dir))?;
        wait_until_ready(&engine)?;
        let graph = Graph { engine, owner: Principal::local_owner() };
        let mut text = String::from("UPSERT {\n");
        let definitions = TYPES.iter().map(|name| ("$ConceptType", name));
        for (kind, name) in definitions.chain(DEFINED_PREDICATES.iter().map(|name| ("$PropositionType", name))) {
            text.push_str(&format!("CONCEPT {{ {{type: \"{kind}\", name: \"{name}\"}} }}\n"));
        }
        text.push('}');
        graph.ask(&text, &[])?;
        Ok(graph)
    }

    /// Loads the graph through UPSERT texts, one command after the other.
    pub(super) fn load(&self, size: Size) -> Result<Loaded> {
        let concepts = texts(size.concepts, CONCEPTS_PER_COMMAND, |number, text| Concept::new(number).block(text));
        let propositions = texts(size.propositions, PROPOSITIONS_PER_COMMAND, |number, text| {
            Proposition::new(number, size.concepts).block(text);
        });
        let began = Instant::now();
        for text in concepts.chain(propositions) {
            self.ask(&text, &[])?;
        }
        let took = began.elapsed();
        let last = Concept::new(size.concepts - 1);
        while self.answer("SEARCH CONCEPT :name LIMIT 1", &[("name", &last.name)])?.get("result").is_none() {
            ensure!(began.elapsed() < PATIENCE, "the index does not get there");
        }
        while self.engine.search_status().behind_ms > 0 {
            ensure!(began.elapsed() < PATIENCE, "the index does not get there");
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(Loaded { elements: size.concepts + size.propositions, took, found_after: began.elapsed() })
    }

    /// What a command answers; an error ends the run.
    pub(super) fn ask(&self, command: &str, parameters: &[(&str, &str)]) -> Result<Value> {
        let answer = self.answer(command, parameters)?;
        match answer.get("result") {
            Some(result) => Ok(result.clone()),
            None => bail!("{command:.200} answers {}", answer.to_json()),
        }
    }

    fn answer(&self, command: &str, parameters: &[(&str, &str)]) -> Result<Value> {
        let request = request(command, parameters)?;
        let answer = self.engine.kip(&self.owner, TenantId::LOCAL, &request);
        Ok(answer.context("the engine does not answer")?.into_value())
    }

    /// Closes the store.
    pub(super) fn close(self) -> Result<()> {
        self.engine.close()?;
        Ok(())
    }
}

/// A request as clients send it.
fn request(command: &str, parameters: &[(&str, &str)]) -> Result<KipRequest> {
    let parameters = parameters.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value)));
    let entries = [
        ("command".to_owned(), Value::from(command)),
        ("parameters".to_owned(), Value::Object(parameters.collect())),
    ];
    Ok(KipRequest::decode(Value::Object(entries.into()))?)
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
