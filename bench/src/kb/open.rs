//! An engine over a store with one filled branch, `main`.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use cairn_access::Principal;
use cairn_base::{SystemClock, SystemEntropy, TenantId, Value};
use cairn_embedded::{EmbeddedOptions, EmbeddedStore};
use cairn_engine::{Engine, EngineConfig, KbTarget};
use cairn_kb::tools::{RelationshipInput, SearchInput, StatusOutput, UpsertInput, UpsertOutput};
use cairn_kb::{EntityType, Properties, Relation};
use cairn_seam::Store;

use super::{Size, synthetic};
use crate::search::home_in;
use crate::search::million::{open_with, wait_until_ready};

const WORKSPACE: &str = "bench";
/// The branch that is filled.
pub(super) const MAIN: &str = "main";
/// As in the product.
const UPKEEP: Duration = Duration::from_secs(1);
/// How long the index may take to catch up.
const PATIENCE: Duration = Duration::from_secs(300);

/// An engine with a KB.
pub(super) struct Kb {
    pub(super) engine: Arc<Engine>,
    pub(super) owner: Principal,
}

impl Kb {
    /// Fills a new store, and opens it as the product does. The index holds everything when this returns.
    pub(super) fn filled(dir: &Path, size: Size) -> Result<Self> {
        fill(dir, size)?;
        let kb = Kb::open(dir)?;
        kb.engine.start_search(home_in(dir))?;
        kb.engine.start_upkeep(UPKEEP)?;
        wait_until_ready(&kb.engine)?;
        kb.wait_for_index(MAIN)?;
        Ok(kb)
    }

    /// Opens a store that is there, without search.
    pub(super) fn open(dir: &Path) -> Result<Self> {
        let engine = open_with(dir, EmbeddedOptions::default())?;
        Ok(Kb { engine, owner: Principal::local_owner() })
    }

    /// Waits until everything that was written to a branch can be found.
    pub(super) fn wait_for_index(&self, branch: &str) -> Result<()> {
        let began = Instant::now();
        let input = SearchInput { query: "number".into(), limit: Some(1), ..SearchInput::default() };
        while self.engine.kb_search(&self.owner, &target(branch), &input)?.behind
            || self.engine.search_status().behind_ms > 0
        {
            ensure!(began.elapsed() < PATIENCE, "the index does not catch up");
            thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    pub(super) fn status(&self, branch: &str) -> Result<StatusOutput> {
        Ok(self.engine.kb_status(&self.owner, &target(branch))?)
    }

    /// Creates a branch; as a copy if another one is named.
    pub(super) fn create(&self, branch: &str, from: Option<&str>) -> Result<()> {
        let ensured = self.engine.kb_ensure_branch(&self.owner, &target(branch), from, &mut |_| true)?;
        ensure!(ensured.created, "{branch} was there already");
        Ok(())
    }

    /// Writes a requirement that is specified by a scenario of the branch.
    pub(super) fn upsert(&self, branch: &str, client: u64, number: u64) -> Result<UpsertOutput> {
        let id = format!("REQ-NEW-{client}-{number}");
        let input = UpsertInput {
            kind: EntityType::Req,
            id: id.clone(),
            properties: Properties::from([
                ("title", Value::from(format!("new requirement {number} of client {client}").as_str())),
                ("status", Value::from("open")),
                ("priority", Value::from("must")),
                ("source", Value::from("docs/req/new.md")),
                ("body", Value::from(synthetic::body(number).as_str())),
            ]),
            relationships: vec![RelationshipInput {
                relation: Relation::RelatesTo,
                from: id,
                to: LINKED.to_owned(),
                created_at: None,
                created_by: None,
                source: None,
                confidence: None,
            }],
            request_id: None,
        };
        Ok(self.engine.kb_upsert(&self.owner, &target(branch), &input, None)?)
    }

    /// Writes the scenario that upserts link to, for a branch that was empty.
    pub(super) fn upsert_linked(&self, branch: &str) -> Result<()> {
        let input = UpsertInput {
            kind: EntityType::Scenario,
            id: LINKED.to_owned(),
            properties: Properties::from([
                ("title", Value::from("a scenario")),
                ("status", Value::from("active")),
            ]),
            relationships: Vec::new(),
            request_id: None,
        };
        self.engine.kb_upsert(&self.owner, &target(branch), &input, None)?;
        Ok(())
    }

    /// Bytes written to the log so far.
    pub(super) fn log_bytes(&self) -> Result<u64> {
        Ok(self.engine.stats(&self.owner)?.store.files.unwrap_or_default().log_bytes_written)
    }

    pub(super) fn close(self) -> Result<()> {
        self.engine.close()?;
        Ok(())
    }
}

/// The entity that upserts link to.
const LINKED: &str = "SCEN-LINKED";

/// Makes a store with a filled branch, and closes it again.
pub(super) fn fill(dir: &Path, size: Size) -> Result<()> {
    let store = Arc::new(EmbeddedStore::open(dir, EmbeddedOptions::default())?) as Arc<dyn Store>;
    let (clock, entropy) = (Arc::new(SystemClock), Arc::new(SystemEntropy));
    let engine = Engine::open(Arc::clone(&store), clock, entropy, EngineConfig::default())?;
    let kb = Kb { engine, owner: Principal::local_owner() };
    kb.create(MAIN, None)?;
    synthetic::fill(&*store, &target(MAIN), size)?;
    kb.upsert_linked(MAIN)?;
    let StatusOutput { entities, .. } = kb.status(MAIN)?;
    ensure!(entities as usize >= size.entities * 9 / 10, "only {entities} entities");
    kb.close()
}

/// A branch of the workspace.
pub(super) fn target(branch: &str) -> KbTarget {
    KbTarget { tenant: TenantId::LOCAL, workspace: WORKSPACE.to_owned(), branch: branch.to_owned() }
}
