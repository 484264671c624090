//! Documents out of records: what of a turn and of a context can be found.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use cairn_access::Scope;
use cairn_base::{ContextId, TurnId};
use cairn_seam::{Snapshot, StoreError};
use cairn_search::document::{Change, Document, Partition};
use cairn_turns::registry::{Described, Registry};
use cairn_turns::search::{CONTEXTS, PAYLOAD_BYTES_MAX, TURNS, context_document, turn_document};
use cairn_turns::{Turn, TypeNumber};

use super::partition;
use crate::search::in_spite_of_damage;
use crate::{Engine, EngineError};

/// How much of payloads is in memory at once.
const PART_BYTES: usize = 8 << 20;

/// Makes the documents of one scope, out of one snapshot.
pub(crate) struct Documents<'a> {
    engine: &'a Engine,
    snapshot: &'a dyn Snapshot,
    scope: Scope,
    registry: Arc<Registry>,
    type_names: HashMap<TypeNumber, Arc<str>>,
}

impl<'a> Documents<'a> {
    pub(crate) fn new(
        engine: &'a Engine,
        snapshot: &'a dyn Snapshot,
        scope: Scope,
    ) -> Result<Self, EngineError> {
        let registry = engine.registry_at(snapshot, &scope)?;
        Ok(Documents { engine, snapshot, scope, registry, type_names: HashMap::new() })
    }

    /// Turns that are there, in parts whose payloads fit into memory together.
    pub(crate) fn parts(&self, ids: &[TurnId]) -> Result<Vec<Vec<Turn>>, EngineError> {
        let records = |ids: &[TurnId]| Ok(cairn_turns::turns(self.snapshot, &self.scope, ids)?);
        let mut parts: Vec<Vec<Turn>> = Vec::new();
        let mut bytes = PART_BYTES;
        for turn in in_spite_of_damage(ids, "turn", records)? {
            bytes += (turn.payload_bytes as usize).min(PAYLOAD_BYTES_MAX);
            match parts.last_mut().filter(|_| bytes <= PART_BYTES) {
                Some(part) => part.push(turn),
                None => {
                    bytes = (turn.payload_bytes as usize).min(PAYLOAD_BYTES_MAX);
                    parts.push(vec![turn]);
                }
            }
        }
        Ok(parts)
    }

    /// Turns as documents.
    pub(crate) fn of_turns(&mut self, turns: &[Turn]) -> Result<Vec<(Partition, Document)>, EngineError> {
        in_spite_of_damage(turns, "payload", |turns| {
            let payloads = self.payloads(turns)?;
            let home = partition(&TURNS, &self.scope);
            turns.iter().zip(payloads).map(|(turn, payload)| Ok((home, self.turn(turn, &payload)?))).collect()
        })
    }

    fn turn(&mut self, turn: &Turn, payload: &[u8]) -> Result<Document, EngineError> {
        let kind = self.type_name(turn.type_number)?;
        let described = self.registry.descriptor(&kind, turn.type_version);
        let is_described = described.is_some();
        Ok(turn_document(turn, &kind, is_described, texts_of(turn, payload, described)))
    }

    /// The texts of turns that are there and readable, for showing.
    pub(crate) fn texts(&mut self, ids: &[TurnId]) -> Result<HashMap<TurnId, Vec<String>>, EngineError> {
        let texts = in_spite_of_damage(ids, "payload", |ids| {
            let turns = cairn_turns::turns(self.snapshot, &self.scope, ids)?;
            let payloads = self.payloads(&turns)?;
            let mut texts = Vec::with_capacity(turns.len());
            for (turn, payload) in turns.iter().zip(payloads) {
                let kind = self.type_name(turn.type_number)?;
                let described = self.registry.descriptor(&kind, turn.type_version);
                texts.push((turn.id, texts_of(turn, &payload, described)));
            }
            Ok(texts)
        });
        Ok(texts?.into_iter().collect())
    }

    /// What is now to be found of contexts.
    pub(crate) fn contexts(&self, ids: &[ContextId]) -> Result<Vec<(Partition, Change)>, EngineError> {
        in_spite_of_damage(ids, "context", |ids| self.changes_of(ids))
    }

    fn changes_of(&self, ids: &[ContextId]) -> Result<Vec<(Partition, Change)>, EngineError> {
        let said = cairn_turns::metadata(self.snapshot, &self.scope, ids)?;
        let mut changes = Vec::with_capacity(ids.len());
        for (id, said) in ids.iter().zip(said) {
            let created_at_ms = match cairn_turns::head(self.snapshot, &self.scope, *id) {
                Ok(context) => context.created_at_ms,
                Err(cairn_turns::TurnsError::NoContext(_)) => continue,
                Err(error) => return Err(error.into()),
            };
            let change = match context_document(*id, &said, created_at_ms) {
                Some(document) => Change::Replace(document),
                None => Change::Remove(Document::id_of(id.0)),
            };
            changes.push((partition(&CONTEXTS, &self.scope), change));
        }
        Ok(changes)
    }

    fn type_name(&mut self, number: TypeNumber) -> Result<Arc<str>, EngineError> {
        if let Some(known) = self.type_names.get(&number) {
            return Ok(Arc::clone(known));
        }
        let name: Arc<str> = cairn_turns::type_name(self.snapshot, &self.scope, number)?.into();
        self.type_names.insert(number, Arc::clone(&name));
        Ok(name)
    }

    /// The payload of each turn, or its beginning; empty where it is gone.
    fn payloads(&self, turns: &[Turn]) -> Result<Vec<Vec<u8>>, EngineError> {
        let tenant = self.scope.tenant();
        let mut payloads = vec![Vec::new(); turns.len()];
        let small = (0..turns.len()).filter(|at| turns[*at].payload_bytes as usize <= PAYLOAD_BYTES_MAX);
        let small: Vec<usize> = small.collect();
        let hashes: Vec<_> = small.iter().map(|at| turns[*at].hash).collect();
        let read = self.snapshot.blobs(tenant, &hashes, &mut |at, bytes| {
            payloads[small[at]] = bytes.map(<[u8]>::to_vec).unwrap_or_default();
        });
        match read {
            Ok(()) => {}
            // Swept since: whoever refers to it is gone too, and its removal is on its way here.
            Err(StoreError::BlobGone { .. }) => {
                for (at, hash) in small.iter().zip(&hashes) {
                    payloads[*at] = self.beginning(*hash)?;
                }
            }
            Err(error) => return Err(error.into()),
        }
        for (at, turn) in turns.iter().enumerate() {
            if turn.payload_bytes as usize > PAYLOAD_BYTES_MAX {
                payloads[at] = self.beginning(turn.hash)?;
            }
        }
        Ok(payloads)
    }

    fn beginning(&self, hash: cairn_base::ContentHash) -> Result<Vec<u8>, EngineError> {
        let store = self.engine.pipeline.store();
        let blob = match store.open_named_blob(self.scope.tenant(), &hash) {
            // Swept since, or lost: there is nothing to find.
            Err(StoreError::BlobGone { .. } | StoreError::BlobLost { .. }) => return Ok(Vec::new()),
            opened => opened?,
        };
        let mut bytes = vec![0; PAYLOAD_BYTES_MAX];
        let read = blob.read_at(0, &mut bytes)?;
        bytes.truncate(read);
        Ok(bytes)
    }
}

/// The texts of a payload. What cannot be decoded is our fault, and takes nothing else with it.
fn texts_of(turn: &Turn, payload: &[u8], described: Option<Described<'_>>) -> Vec<String> {
    let mut texts = Vec::new();
    let decoded = catch_unwind(AssertUnwindSafe(|| {
        cairn_turns::search::texts(turn, payload, described, &mut texts);
    }));
    if decoded.is_err() {
        tracing::warn!(turn = turn.id.0, "a payload could not be decoded, and is not found as a whole");
    }
    texts
}
