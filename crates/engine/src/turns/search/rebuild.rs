//! The part of turns and contexts in a new index.

use std::ops::Bound;

use cairn_access::Scope;
use cairn_base::{ContextId, KeyReader, TenantId, TurnId};
use cairn_seam::{KeyRange, Order, Snapshot, Visit};
use cairn_search::document::Change;
use cairn_turns::tables::COUNTERS;
use cairn_turns::{contexts_after, last_numbers, turns_between};

use super::documents::Documents;
use crate::memory::Walk;
use crate::search::Filling;
use crate::{Engine, EngineError};

/// Turns and contexts that are read from one snapshot.
const PAGE: usize = 512;

/// A walk over every turn and context up to the last ones of a snapshot.
pub(super) struct Everything<'a> {
    engine: &'a Engine,
    ends: Vec<(Scope, (ContextId, TurnId))>,
}

impl<'a> Everything<'a> {
    pub(super) fn of(engine: &'a Engine, snapshot: &dyn Snapshot) -> Result<Self, EngineError> {
        let mut ends = Vec::new();
        for tenant in tenants(snapshot)? {
            let scope = engine.own_scope(tenant)?;
            ends.push((scope, last_numbers(snapshot, &scope)?));
        }
        Ok(Everything { engine, ends })
    }

    fn turns(&self, scope: Scope, last_turn: TurnId, filling: &Filling<'_>) -> Result<(), EngineError> {
        let mut turn = TurnId::NONE;
        loop {
            let snapshot = filling.snapshot()?;
            let page = turns_between(&*snapshot, &scope, (turn, last_turn), Order::Ascending, PAGE)?;
            let Some(last) = page.last() else { return Ok(()) };
            turn = last.id;
            let ids: Vec<_> = page.iter().map(|turn| turn.id).collect();
            let mut documents = Documents::new(self.engine, &*snapshot, scope)?;
            for part in documents.parts(&ids)? {
                let added = documents.of_turns(&part)?.into_iter();
                let changes: Vec<_> = added.map(|(home, document)| (home, Change::Add(document))).collect();
                filling.add(&changes, part.len() as u64)?;
            }
        }
    }

    fn contexts(&self, scope: Scope, end: ContextId, filling: &Filling<'_>) -> Result<(), EngineError> {
        let mut context = ContextId(0);
        loop {
            let snapshot = filling.snapshot()?;
            let page = contexts_after(&*snapshot, &scope, context, end, PAGE)?;
            let Some(last) = page.last() else { return Ok(()) };
            context = last.id;
            let ids: Vec<_> = page.iter().map(|context| context.id).collect();
            let changes = Documents::new(self.engine, &*snapshot, scope)?.contexts(&ids)?;
            filling.add(&changes, ids.len() as u64)?;
        }
    }
}

impl Walk for Everything<'_> {
    fn size(&self) -> u64 {
        self.ends.iter().map(|(_, (contexts, turns))| contexts.0 + turns.0).sum()
    }

    fn run(&mut self, filling: &Filling<'_>) -> Result<(), EngineError> {
        for (scope, (last_context, last_turn)) in &self.ends {
            self.turns(*scope, *last_turn, filling)?;
            self.contexts(*scope, *last_context, filling)?;
        }
        Ok(())
    }
}

fn tenants(snapshot: &dyn Snapshot) -> Result<Vec<TenantId>, EngineError> {
    let mut tenants = Vec::new();
    let everything = [KeyRange::new(Bound::Unbounded, Bound::Unbounded)];
    snapshot.multi_scan(COUNTERS, &everything, &mut |_, key, _| {
        tenants.extend(KeyReader::new(key).tenant());
        Visit::Continue
    })?;
    tenants.dedup();
    Ok(tenants)
}
