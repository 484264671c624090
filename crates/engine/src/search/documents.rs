//! Documents out of records: what of a turn and of a context can be found.

use std::collections::HashMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use cairn_access::Scope;
use cairn_base::{ContextId, ErrorCode, TurnId};
use cairn_seam::{Snapshot, StoreError};
use cairn_search::document::{Change, Document, Partition};
use cairn_turns::registry::{Described, Registry};
use cairn_turns::{Metadata, Turn, TypeNumber, projection};

use super::collections::{CONTEXTS, TURNS, id_of, partition};
use crate::{Engine, EngineError};

/// How much of a payload is looked at for words. What is longer is found by its beginning.
pub(crate) const PAYLOAD_BYTES_MAX: usize = 1 << 20;

/// How much of payloads is in memory at once.
const PART_BYTES: usize = 8 << 20;

/// Begins the tag of turns whose type nobody has described yet. No request can ask for it.
pub(crate) const UNDESCRIBED: &str = "\0undescribed\0";

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
        let tags = match described {
            Some(_) => Vec::new(),
            None => vec![undescribed_tag(&kind, turn.type_version)],
        };
        Ok(Document {
            id: id_of(turn.id.0),
            group: turn.context.0,
            subgroup: window_of(turn.context, turn.depth),
            texts: texts_of(turn, payload, described).into_iter().map(|text| (0, text)).collect(),
            kind: kind.to_string(),
            tags,
            visible_to: Vec::new(),
            time_ms: turn.created_at_ms,
            language: None,
        })
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
                None => Change::Remove(id_of(id.0)),
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

/// Does something to all of these; if one is damaged, to all that are not: what comes after it shall be
/// found.
pub(super) fn in_spite_of_damage<I: fmt::Debug, T>(
    all: &[I],
    what: &'static str,
    mut take: impl FnMut(&[I]) -> Result<Vec<T>, EngineError>,
) -> Result<Vec<T>, EngineError> {
    let is_damage = |error: &EngineError| error.code() == ErrorCode::Damaged;
    match take(all) {
        Err(error) if is_damage(&error) => {}
        taken => return taken,
    }
    let mut whole = Vec::with_capacity(all.len());
    for one in all.chunks(1) {
        match take(one) {
            Err(error) if is_damage(&error) => {
                tracing::warn!(%error, what, which = ?one, "it is damaged, and not found");
            }
            taken => whole.extend(taken?),
        }
    }
    Ok(whole)
}

/// How many turns, one after the other, are one window.
const WINDOW_TURNS: u32 = 8;

/// The window that a turn of a context belongs to.
fn window_of(context: ContextId, depth: u32) -> u64 {
    (context.0 << 28) | u64::from(depth / WINDOW_TURNS)
}

/// The tag of turns of a version of a type that nobody has described yet.
pub(crate) fn undescribed_tag(kind: &str, version: u32) -> String {
    format!("{UNDESCRIBED}{version}\0{kind}")
}

/// The version and the type that a tag of [`undescribed_tag`] names.
pub(crate) fn undescribed_type(tag: &str) -> Option<(u32, &str)> {
    let (version, kind) = tag.strip_prefix(UNDESCRIBED)?.split_once('\0')?;
    Some((version.parse().ok()?, kind))
}

fn texts_of(turn: &Turn, payload: &[u8], described: Option<Described<'_>>) -> Vec<String> {
    const MSGPACK: u32 = 1;
    let mut texts = Vec::new();
    if turn.encoding == MSGPACK {
        // What cannot be decoded to its end is found by what comes before, also if that is our fault.
        let decoded = catch_unwind(AssertUnwindSafe(|| {
            let _ = projection::texts(payload, described, &mut |text| texts.push(text.to_owned()));
        }));
        if decoded.is_err() {
            tracing::warn!(turn = turn.id.0, "a payload could not be decoded, and is not found as a whole");
        }
    }
    texts
}

/// A context as a document, if it says anything about itself.
fn context_document(id: ContextId, said: &Metadata, created_at_ms: u64) -> Option<Document> {
    let texts = said.title.iter().map(|title| (0, title.clone()));
    let labels = said.labels.iter().map(|label| (1, label.clone()));
    let about = said.client_tag.iter().chain(said.custom.values()).map(|text| (2, text.clone()));
    let texts: Vec<_> = texts.chain(labels).chain(about).collect();
    (!texts.is_empty()).then(|| Document {
        id: id_of(id.0),
        group: id.0,
        subgroup: 0,
        kind: "context".into(),
        texts,
        tags: said.labels.clone(),
        visible_to: Vec::new(),
        time_ms: created_at_ms,
        language: None,
    })
}
