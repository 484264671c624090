//! A store with many turns and an index of all of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use cairn_base::{SystemClock, SystemEntropy};
use cairn_embedded::{EmbeddedOptions, EmbeddedStore};
use cairn_engine::{Engine, EngineConfig, SearchHome};
use cairn_seam::Store;

use super::home_in;
use super::words::{Vocabulary, payload};
use crate::measure::Setting;
use crate::turns::load::{Framing, Load, Span, Talk};
use crate::turns::server::Server;
use crate::turns::wire;

const CONNECTIONS: usize = 64;
/// Says that the store is whole, and what is in it.
const MADE: &str = "made";
/// How long an index may take.
const PATIENCE: Duration = Duration::from_secs(900);

/// What is there.
#[derive(Debug)]
pub(crate) struct Million {
    pub(crate) store: PathBuf,
    pub(crate) turns: u64,
    pub(crate) text_bytes: u64,
    /// The name of the node, which is in the index.
    pub(crate) node: String,
    /// Documents per second when the index was made.
    pub(crate) made_per_second: f64,
}

impl Million {
    /// Makes it if it is not there yet.
    pub(crate) fn ready(setting: &Setting) -> Result<Self> {
        let dir = setting.keep.as_ref().unwrap_or(&setting.dir).join("million");
        let turns = setting.pick(1_000_000, 20_000);
        if let Some(made) = Million::read(&dir).filter(|made| made.turns == turns) {
            return Ok(made);
        }
        if dir.exists() {
            fs::remove_dir_all(&dir)?;
        }
        fs::create_dir_all(&dir)?;
        let began = Instant::now();
        let vocabulary = Vocabulary::new();
        let text_bytes = fill(&dir.join("store"), turns, &vocabulary)?;
        eprintln!("   {turns} turns in {:.0} s", began.elapsed().as_secs_f64());
        let (node, seconds) = make_index(&dir.join("store"))?;
        eprintln!("   an index of them in {seconds:.0} s");
        fs::write(dir.join(MADE), format!("{turns} {text_bytes} {node} {}", turns as f64 / seconds))?;
        Million::read(&dir).context("what was just made is not there")
    }

    fn read(dir: &Path) -> Option<Self> {
        let made = fs::read_to_string(dir.join(MADE)).ok()?;
        let mut words = made.split_whitespace();
        Some(Million {
            store: dir.join("store"),
            turns: words.next()?.parse().ok()?,
            text_bytes: words.next()?.parse().ok()?,
            node: words.next()?.to_owned(),
            made_per_second: words.next()?.parse().ok()?,
        })
    }

    /// The folder with the files of the index.
    pub(crate) fn index(&self) -> Result<PathBuf> {
        let folder = self.store.join(SearchHome::FOLDER);
        let places = ["a", "b"].map(|place| folder.join(place));
        places.into_iter().find(|place| place.join("meta.json").exists()).context("there is no index")
    }
}

/// Appends texts to contexts in turn, and says how many bytes they have.
fn fill(dir: &Path, turns: u64, vocabulary: &Vocabulary) -> Result<u64> {
    let server = Server::start(dir)?;
    let mut load = Load::connect(server.addr, CONNECTIONS, Framing::Binary)?;
    let contexts = turns / 1000;
    for _ in 0..contexts {
        wire::body(&load.call(|out| wire::create(out, 0))?, 2)?;
    }
    let mut texts = Texts { contexts, turns: Some(turns), next: 0, text_bytes: 0, vocabulary };
    load.run(Span::WHOLE, &mut texts)?;
    server.stop()?;
    Ok(texts.text_bytes)
}

/// Appends one text after the other.
pub(crate) struct Texts<'a> {
    pub(crate) contexts: u64,
    /// How many; for ever if that is not said.
    pub(crate) turns: Option<u64>,
    pub(crate) next: u64,
    pub(crate) text_bytes: u64,
    pub(crate) vocabulary: &'a Vocabulary,
}

impl Talk for Texts<'_> {
    fn ask(&mut self, _: usize, out: &mut Vec<u8>) -> bool {
        if self.turns.is_some_and(|turns| self.next >= turns) {
            return false;
        }
        let text = self.vocabulary.text(self.next);
        self.text_bytes += text.len() as u64;
        let payload = payload(&text);
        wire::append_with(out, 1 + self.next % self.contexts, payload.len(), |out| {
            out.extend_from_slice(&payload);
        });
        self.next += 1;
        true
    }

    fn hear(&mut self, _: usize, answer: &[u8]) -> Result<()> {
        wire::body(answer, 5).map(drop)
    }
}

/// Opens a store as the product does.
pub(crate) fn open(dir: &Path) -> Result<Arc<Engine>> {
    open_with(dir, EmbeddedOptions::default())
}

/// Opens a store as these options say, and the engine over it.
pub(crate) fn open_with(dir: &Path, options: EmbeddedOptions) -> Result<Arc<Engine>> {
    let store = Arc::new(EmbeddedStore::open(dir, options)?);
    Ok(Engine::open(
        store as Arc<dyn Store>,
        Arc::new(SystemClock),
        Arc::new(SystemEntropy),
        EngineConfig::default(),
    )?)
}

/// Waits until everything can be found.
pub(crate) fn wait_until_ready(engine: &Engine) -> Result<()> {
    let began = Instant::now();
    while engine.search_status().state != "ready" {
        ensure!(began.elapsed() < PATIENCE, "there is no index: {:?}", engine.search_status());
        thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// The name of the node, and the seconds until everything can be found. Merging is waited for.
fn make_index(dir: &Path) -> Result<(String, f64)> {
    let engine = open(dir)?;
    let began = Instant::now();
    engine.start_search(home_in(dir))?;
    wait_until_ready(&engine)?;
    let seconds = began.elapsed().as_secs_f64();
    let node = engine.node().id.to_string();
    engine.close()?;
    Ok((node, seconds))
}
