//! A node that is searched, over a store in memory, with its index in a folder.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cairn_access::{Action, Principal, Resource};
use cairn_base::{ContextId, ManualClock, MsgpackWriter, TenantId, TurnId};
use cairn_engine::{
    Act, Engine, EngineError, SearchHome, SearchIn, SearchPage, SearchQuestion, SearchStatus,
};
use cairn_seam::{Blob, MemoryStore, Store};
use cairn_turns::prune::Rule;
use cairn_turns::registry::{self, Bundle};
use cairn_turns::{Append, DeclaredType};
use tempfile::TempDir;

use super::tampered::Tampered;
use crate::support::{NOW_MS, open};

pub(crate) const TENANT: TenantId = TenantId::LOCAL;
const STRIDES_SEED: u64 = 19;

pub(crate) struct Kit {
    pub(crate) folder: TempDir,
    pub(crate) store: Arc<Tampered>,
    pub(crate) clock: ManualClock,
    pub(crate) engine: Arc<Engine>,
    pub(crate) owner: Principal,
    pub(crate) tail_bytes: usize,
}

/// The name of the thread that keeps the index.
pub(crate) fn is_search_thread() -> bool {
    std::thread::current().name() == Some("cairn-search")
}

/// Waits until something holds, and not for ever.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(300);
    while !holds() {
        assert!(Instant::now() < end, "not in time: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A word for a number, and no part of any other one.
pub(crate) fn word(number: usize) -> String {
    let letters = format!("{number:04}");
    let letters = letters.bytes().map(|digit| char::from(b'k' + (digit - b'0')));
    letters.fold("xe".to_owned(), |word, letter| format!("{word}{letter}u"))
}

/// A payload with one text.
pub(crate) fn text(text: &str) -> Vec<u8> {
    let mut to = MsgpackWriter::new();
    to.map(1);
    to.unsigned(1);
    to.text(text);
    to.into_bytes()
}

pub(crate) fn question(words: &str) -> SearchQuestion {
    SearchQuestion {
        tenant: TENANT,
        text: words.into(),
        search_in: SearchIn::Turns,
        kinds: Vec::new(),
        context: None,
        since_ms: None,
        until_ms: None,
        limit: 100,
        skip: 0,
        half_life_ms: 0,
    }
}

pub(crate) fn request(context: ContextId, payload: Vec<u8>) -> Append {
    of_blob(context, Blob::new(payload).unwrap())
}

pub(crate) fn of_blob(context: ContextId, payload: Blob) -> Append {
    Append {
        context,
        parent: None,
        expected_head: None,
        declared: DeclaredType { id: "note".into(), version: 1 },
        encoding: 1,
        compression: 0,
        payload_bytes: u32::try_from(payload.len()).unwrap(),
        payload,
        tree: None,
        key: None,
        remember_ms: 0,
        now_ms: NOW_MS,
        strict: false,
    }
}

impl Kit {
    /// A node that is not searched yet.
    pub(crate) fn still() -> Self {
        let clock = ManualClock::new(NOW_MS);
        // Nothing here may depend on how far positions are apart.
        let store = MemoryStore::new(Arc::new(clock.clone())).with_strides(STRIDES_SEED);
        let store = Arc::new(Tampered::new(store));
        let engine = open(Arc::clone(&store) as Arc<dyn Store>, &clock).unwrap();
        let folder = tempfile::tempdir().unwrap();
        Kit { folder, store, clock, engine, owner: Principal::local_owner(), tail_bytes: 16 << 20 }
    }

    pub(crate) fn new() -> Self {
        let kit = Kit::still();
        kit.start();
        kit
    }

    pub(crate) fn home(&self) -> SearchHome {
        let folder = Some(self.folder.path().to_owned());
        SearchHome { folder, writer_bytes: 16 << 20, tail_bytes: self.tail_bytes }
    }

    pub(crate) fn start(&self) {
        self.engine.start_search(self.home()).unwrap();
    }

    /// An engine without search in place of this one, over the same store; this one is closed or just
    /// dropped.
    pub(crate) fn leave(&mut self, closing: bool) {
        if closing {
            self.engine.close().unwrap();
        }
        self.engine = open(Arc::clone(&self.store) as Arc<dyn Store>, &self.clock).unwrap();
    }

    pub(crate) fn restart(&mut self) {
        self.leave(true);
        self.start();
    }

    pub(crate) fn status(&self) -> SearchStatus {
        self.engine.search_status()
    }

    pub(crate) fn ready(&self) {
        until("the index is ready", || self.status().state == "ready" && self.status().detail.is_none());
    }

    pub(crate) fn index_files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for place in ["a", "b"] {
            let Ok(entries) = std::fs::read_dir(self.folder.path().join(place)) else { continue };
            files.extend(entries.map(|entry| entry.unwrap().path()));
        }
        files.sort();
        files
    }

    pub(crate) fn context_of(&self, tenant: TenantId, base: Option<TurnId>) -> ContextId {
        let now_ms = NOW_MS;
        let made = self.engine.transact(&self.owner, writing(tenant), move |tx, scope| {
            Ok(cairn_turns::create(tx, scope, base, now_ms)?)
        });
        made.unwrap().value.id
    }

    pub(crate) fn context(&self) -> ContextId {
        self.context_of(TENANT, None)
    }

    pub(crate) fn append(&self, tenant: TenantId, request: Append) -> TurnId {
        self.try_append(tenant, request).unwrap()
    }

    pub(crate) fn try_append(&self, tenant: TenantId, request: Append) -> Result<TurnId, EngineError> {
        let appended = self.engine.transact(&self.owner, writing(tenant), move |tx, scope| {
            Ok(cairn_turns::append(tx, scope, &request)?)
        });
        Ok(appended?.value.turn.id)
    }

    pub(crate) fn say(&self, context: ContextId, words: &str) -> TurnId {
        self.append(TENANT, request(context, text(words)))
    }

    pub(crate) fn publish(&self, json: &'static str) {
        let published = self.engine.transact(&self.owner, writing(TENANT), move |tx, scope| {
            let bundle = Bundle::parse(json.as_bytes()).unwrap();
            Ok(registry::publish(tx, scope, &bundle, &Blob::new(json.as_bytes().to_vec()).unwrap())?)
        });
        published.unwrap();
    }

    pub(crate) fn prune(&self, contexts: &[ContextId]) {
        let rule = Rule::Named(contexts.iter().copied().collect());
        self.engine.prune(&self.owner, TENANT, &rule, true, &mut |_| true).unwrap();
    }

    /// Answers when there is an index.
    pub(crate) fn ask(&self, question: &SearchQuestion) -> SearchPage {
        self.ready();
        self.engine.search(&self.owner, question).unwrap()
    }

    /// The turns that are found by these words, the smallest number first. Nothing is missing from them.
    pub(crate) fn found(&self, words: &str) -> Vec<u64> {
        let page = self.ask(&question(words));
        assert!(!page.behind && !page.rebuilding, "{words}: {:?}", self.status());
        sorted(&page)
    }
}

pub(crate) fn sorted(page: &SearchPage) -> Vec<u64> {
    let mut turns: Vec<_> = page.hits.iter().filter_map(|hit| hit.turn).map(|turn| turn.0).collect();
    turns.sort_unstable();
    turns
}

pub(crate) fn writing(tenant: TenantId) -> Act {
    Act::new(Action::TurnsWrite, Resource::tenant(tenant))
}
