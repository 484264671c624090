//! Export: everything of a tenant's turns, page by page, parents before children.
//!
//! Turns come in the order of their numbers, and each context before the first turn that was appended to
//! it and after the turn that it was forked from. Numbers are given one after the other, so both hold
//! when a context comes as soon as all turns up to its base were there. What comes while the export runs
//! is left to the next one. What is damaged costs nothing else: the turn comes with a mark in place of what
//! cannot be read, and the end counts and names what is missing.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use cairn_access::{Action, Principal, Resource, Scope};
use cairn_base::{ContentHash, ContextId, Position, TenantId, TurnId};
use cairn_seam::{Order, Snapshot, StoreError};
use cairn_turns::export_lines::{
    ExportCounts, ExportItem, ExportedTree, ExportedTurn, UnreadableParts, write_line,
};
use cairn_turns::{Context, Turn, TurnPayload, TypeNumber};

use super::trees::{Fetched, Next, Trees};
use crate::turns::{in_spite_of_damage, named_blob, unreadable, whole_blob};
use crate::{Act, Engine, EngineError, limits};

/// Turns that are walked over in one page, in search of what chosen contexts reach.
const WALK_TURNS: usize = 20_000;

/// An export under way. It holds no snapshot between two pages.
#[derive(Debug)]
pub struct Export {
    tenant: TenantId,
    phase: Phase,
    /// The last numbers when it began.
    last: (ContextId, TurnId),
    /// Only these, if some were chosen.
    chosen: Option<Chosen>,
    /// Turns up to here are done, or are left out.
    at: TurnId,
    /// Contexts up to here were read.
    contexts_at: ContextId,
    /// Contexts that wait for the turns up to their base.
    waiting: VecDeque<Context>,
    trees: Trees,
    type_names: HashMap<TypeNumber, Arc<str>>,
    counts: ExportCounts,
    unreadable: UnreadableParts,
}

#[derive(Debug)]
enum Phase {
    Begin,
    /// Walks up from chosen contexts.
    Collect,
    /// Bundles up to this place are done.
    Bundles(u64),
    History,
    /// Heads of contexts up to this one are done.
    Heads(ContextId),
    Done,
}

/// What was chosen, and what it reaches.
#[derive(Debug, Default)]
struct Chosen {
    ids: VecDeque<ContextId>,
    contexts: Vec<Context>,
    /// Turns to walk up from.
    walk: Vec<TurnId>,
    reached: HashSet<TurnId>,
    /// The same in order, when all were found.
    turns: Vec<TurnId>,
}

/// A page in the making.
struct Page {
    items: Vec<ExportItem>,
    bytes: usize,
}

impl Page {
    fn push(&mut self, item: ExportItem, bytes: usize) {
        self.items.push(item);
        self.bytes += bytes;
    }

    fn is_full(&self) -> bool {
        self.items.len() >= limits::BULK_TURNS || self.bytes >= limits::BULK_BYTES
    }
}

impl Export {
    /// Of all contexts, or of some and all that they reach; without the turns up to `after`.
    pub fn new(tenant: TenantId, contexts: &[ContextId], after: TurnId) -> Self {
        let mut ids = contexts.to_vec();
        ids.sort_unstable();
        ids.dedup();
        Export {
            tenant,
            phase: Phase::Begin,
            last: (ContextId(0), TurnId::NONE),
            chosen: (!ids.is_empty()).then(|| Chosen { ids: ids.into(), ..Chosen::default() }),
            at: after,
            contexts_at: ContextId(0),
            waiting: VecDeque::new(),
            trees: Trees::default(),
            type_names: HashMap::new(),
            counts: ExportCounts::default(),
            unreadable: UnreadableParts::default(),
        }
    }

    /// Whether everything came, the end included.
    pub fn is_done(&self) -> bool {
        matches!(self.phase, Phase::Done)
    }

    /// How far it is: the turn it is at, and the last one that comes.
    pub fn progress(&self) -> (TurnId, TurnId) {
        (self.at.min(self.last.1), self.last.1)
    }
}

impl Engine {
    /// The next page of an export, of a few megabytes unless one payload has more. It may be empty before
    /// the export is done.
    pub fn export_page(
        &self,
        principal: &Principal,
        export: &mut Export,
    ) -> Result<Vec<ExportItem>, EngineError> {
        let act = Act::new(Action::TurnsRead, Resource::tenant(export.tenant));
        self.pipeline.read(principal, &act, Position::START, |snapshot, scope| {
            let mut page = Page { items: Vec::new(), bytes: 0 };
            let mut goes_on = true;
            while goes_on && !page.is_full() && !export.is_done() {
                goes_on = self.export_step(snapshot, scope, export, &mut page)?;
            }
            Ok(page.items)
        })
    }

    /// The same as lines.
    pub fn export_lines(&self, principal: &Principal, export: &mut Export) -> Result<Vec<u8>, EngineError> {
        let items = self.export_page(principal, export)?;
        let mut text = Vec::new();
        items.iter().for_each(|item| write_line(&mut text, item));
        Ok(text)
    }

    /// Does a little; says whether more can be done in this page.
    fn export_step(
        &self,
        snapshot: &dyn Snapshot,
        scope: &Scope,
        export: &mut Export,
        page: &mut Page,
    ) -> Result<bool, EngineError> {
        match export.phase {
            Phase::Begin => {
                export.last = cairn_turns::last_numbers(snapshot, scope)?;
                page.push(ExportItem::Header { store: self.node().id.to_string() }, 0);
                export.phase = if export.chosen.is_some() { Phase::Collect } else { Phase::Bundles(0) };
                Ok(true)
            }
            Phase::Collect => {
                if collect(snapshot, scope, export)? {
                    export.phase = Phase::Bundles(0);
                }
                Ok(false)
            }
            Phase::Bundles(place) => {
                export.phase = match cairn_turns::registry::bundle_after(snapshot, scope, place)? {
                    Some((place, hash)) => {
                        let max = limits::BINARY_BLOB_BYTES_MAX as u64;
                        match fetched(named_blob(self.pipeline.store(), export.tenant, &hash, max).map(Some))?
                        {
                            Fetched::Bytes(bytes) => {
                                export.counts.bundles += 1;
                                let length = bytes.len();
                                page.push(ExportItem::Bundle(bytes), length);
                            }
                            Fetched::Absent | Fetched::Unreadable(_) => export.unreadable.bundle(hash),
                        }
                        Phase::Bundles(place)
                    }
                    None => Phase::History,
                };
                Ok(true)
            }
            Phase::History => self.export_history(snapshot, scope, export, page),
            Phase::Heads(after) => {
                export.phase = heads(snapshot, scope, export, after, page)?;
                Ok(true)
            }
            Phase::Done => Ok(false),
        }
    }

    fn export_history(
        &self,
        snapshot: &dyn Snapshot,
        scope: &Scope,
        export: &mut Export,
        page: &mut Page,
    ) -> Result<bool, EngineError> {
        let tenant = export.tenant;
        match export.trees.next(&mut |hash, is_root| self.exported_blob(tenant, hash, is_root))? {
            Some(Next::Blob(hash, bytes)) => {
                export.counts.blobs += 1;
                let length = bytes.len();
                page.push(ExportItem::Blob(hash, bytes), length);
                return Ok(true);
            }
            Some(Next::Unreadable(hash)) => {
                export.unreadable.blob(hash);
                return Ok(true);
            }
            None => {}
        }
        if export.waiting.is_empty() {
            wait_for_contexts(snapshot, scope, export)?;
        }
        let until = export.waiting.front().map_or(export.last.1, |context| context.base);
        if export.at < until {
            return self.export_turns(snapshot, scope, export, until, page);
        }
        match export.waiting.pop_front() {
            Some(context) => {
                export.counts.contexts += 1;
                page.push(ExportItem::Context(context), 0);
            }
            None => export.phase = Phase::Heads(ContextId(0)),
        }
        Ok(true)
    }

    /// Turns up to `until`, as far as there is room and their trees came.
    fn export_turns(
        &self,
        snapshot: &dyn Snapshot,
        scope: &Scope,
        export: &mut Export,
        until: TurnId,
        page: &mut Page,
    ) -> Result<bool, EngineError> {
        let room = limits::BULK_TURNS - page.items.len().min(limits::BULK_TURNS - 1);
        let mut turns = match &export.chosen {
            None => cairn_turns::turns_between(snapshot, scope, (export.at, until), Order::Ascending, room)?,
            Some(chosen) => {
                let from = chosen.turns.partition_point(|turn| *turn <= export.at);
                let to = chosen.turns.partition_point(|turn| *turn <= until);
                let ids = &chosen.turns[from.min(to)..to.min(from.saturating_add(room))];
                cairn_turns::turns(snapshot, scope, ids)?
            }
        };
        if turns.is_empty() {
            export.at = until;
            return Ok(true);
        }
        let mut trees = cairn_turns::own_trees(snapshot, scope, &turns)?;
        let missing = trees.iter().position(|root| root.is_some_and(|root| !export.trees.came(&root)));
        if let Some(missing) = missing {
            if missing == 0 {
                export.trees.begin(trees[0]);
                return Ok(true);
            }
            turns.truncate(missing);
        }
        // One turn comes however large it is; of the others as many as there is room for.
        let mut bytes = page.bytes;
        let overflows = |turn: &Turn| {
            bytes += turn.payload_bytes as usize;
            bytes > limits::BULK_BYTES
        };
        let fitting = turns.iter().position(overflows).unwrap_or(turns.len());
        if fitting == 0 && !page.items.is_empty() {
            return Ok(false);
        }
        turns.truncate(fitting.max(1));
        trees.truncate(turns.len());
        let payloads = self.exported_payloads(snapshot, scope, &turns)?;
        for ((turn, tree), payload) in turns.into_iter().zip(trees).zip(payloads) {
            export.at = turn.id;
            let tree = tree.map(|root| match export.trees.unreadable(&root) {
                Some(reason) => ExportedTree::Unreadable(reason.to_owned()),
                None => ExportedTree::Root(root),
            });
            let length = match &payload {
                TurnPayload::Bytes(bytes) => Some(bytes.len()),
                TurnPayload::Unreadable(_) => None,
            };
            export.counts.turns += u64::from(length.is_some());
            let without_tree = matches!(tree, Some(ExportedTree::Unreadable(_)));
            export.unreadable.turn(turn.id, length.is_none(), without_tree);
            let type_name = match export.type_names.get(&turn.type_number) {
                Some(known) => Arc::clone(known),
                None => {
                    let name = cairn_turns::type_name(snapshot, scope, turn.type_number)?;
                    let name: Arc<str> = name.into();
                    export.type_names.insert(turn.type_number, Arc::clone(&name));
                    name
                }
            };
            let exported = ExportedTurn { turn, type_name, tree, payload };
            page.push(ExportItem::Turn(Box::new(exported)), length.unwrap_or(0));
        }
        Ok(true)
    }

    fn exported_payloads(
        &self,
        snapshot: &dyn Snapshot,
        scope: &Scope,
        turns: &[Turn],
    ) -> Result<Vec<TurnPayload>, EngineError> {
        let is_large =
            |turn: &Turn| turn.payload_bytes as usize > cairn_seam::limits::BLOB_IN_COMMIT_BYTES_MAX;
        let small: Vec<_> = turns.iter().filter(|turn| !is_large(turn)).map(|turn| turn.hash).collect();
        let mut found: Vec<Option<Arc<[u8]>>> = vec![None; small.len()];
        let read = snapshot.blobs(scope.tenant(), &small, &mut |at, bytes| found[at] = bytes.map(Arc::from));
        if let Err(error) = read {
            // One is damaged: from there on they are read one by one.
            unreadable(error.into())?;
        }
        let mut found = found.into_iter();
        let payload = |turn: &Turn| {
            let bytes = if is_large(turn) { None } else { found.next().flatten() };
            let max = limits::BINARY_BLOB_BYTES_MAX as u64;
            match bytes {
                Some(bytes) => Ok(TurnPayload::Bytes(bytes)),
                None => {
                    let read = named_blob(self.pipeline.store(), scope.tenant(), &turn.hash, max);
                    in_spite_of_damage(read)
                }
            }
        };
        turns.iter().map(payload).collect()
    }

    /// A blob of a tree. A root is named by a record, so that it is damage if there is none.
    fn exported_blob(
        &self,
        tenant: TenantId,
        hash: &ContentHash,
        is_root: bool,
    ) -> Result<Fetched, EngineError> {
        let (store, max) = (self.pipeline.store(), limits::BINARY_BLOB_BYTES_MAX as u64);
        let read = match is_root {
            true => named_blob(store, tenant, hash, max).map(Some),
            false => whole_blob(store, tenant, hash, max, |_| Ok(Vec::new())),
        };
        match read {
            Err(EngineError::Store(StoreError::BlobGone { .. })) => Ok(Fetched::Absent),
            read => fetched(read),
        }
    }
}

/// What was read, where damage is no failure.
fn fetched(read: Result<Option<Vec<u8>>, EngineError>) -> Result<Fetched, EngineError> {
    match read {
        Ok(Some(bytes)) => Ok(Fetched::Bytes(bytes)),
        Ok(None) => Ok(Fetched::Absent),
        Err(error) => unreadable(error).map(Fetched::Unreadable),
    }
}

/// Finds what chosen contexts reach, a part of it at a time; says whether that is all.
fn collect(snapshot: &dyn Snapshot, scope: &Scope, export: &mut Export) -> Result<bool, EngineError> {
    let Some(chosen) = &mut export.chosen else { return Ok(true) };
    for _ in 0..WALK_TURNS {
        let Some(turn) = chosen.walk.pop() else {
            let Some(id) = chosen.ids.pop_front() else {
                chosen.turns = chosen.reached.drain().collect();
                chosen.turns.sort_unstable();
                export.last.1 = chosen.turns.last().copied().unwrap_or(TurnId::NONE);
                return Ok(true);
            };
            let context = cairn_turns::head(snapshot, scope, id)?;
            chosen.contexts.push(context);
            chosen.walk.extend([context.head, context.base]);
            continue;
        };
        if turn != TurnId::NONE && chosen.reached.insert(turn) {
            chosen.walk.push(cairn_turns::turn(snapshot, scope, turn)?.parent);
        }
    }
    Ok(false)
}

/// Reads more contexts, if there are any.
fn wait_for_contexts(snapshot: &dyn Snapshot, scope: &Scope, export: &mut Export) -> Result<(), EngineError> {
    let at = export.contexts_at;
    let found = match &export.chosen {
        None => cairn_turns::contexts_after(snapshot, scope, at, export.last.0, limits::BULK_TURNS)?,
        Some(chosen) => chosen.contexts.iter().filter(|context| context.id > at).copied().collect(),
    };
    export.contexts_at = found.last().map_or(at, |context| context.id);
    export.waiting.extend(found);
    Ok(())
}

/// Heads of contexts behind `after`. That of a context to which something was appended meanwhile is its
/// newest turn here, and so needs no word.
fn heads(
    snapshot: &dyn Snapshot,
    scope: &Scope,
    export: &mut Export,
    after: ContextId,
    page: &mut Page,
) -> Result<Phase, EngineError> {
    let limit = limits::BULK_TURNS;
    let found = match &export.chosen {
        None => cairn_turns::contexts_after(snapshot, scope, after, export.last.0, limit)?,
        Some(chosen) => {
            chosen.contexts.iter().filter(|context| context.id > after).take(limit).copied().collect()
        }
    };
    let Some(last) = found.last().map(|context| context.id) else {
        page.push(ExportItem::End(export.counts, std::mem::take(&mut export.unreadable)), 0);
        return Ok(Phase::Done);
    };
    for context in found {
        if context.head != context.base && context.head <= export.last.1 {
            page.push(ExportItem::Head(context.id, context.head, export.last.1), 0);
        }
    }
    Ok(Phase::Heads(last))
}
