//! A page of a context's history with everything that it takes to show it, out of one snapshot.

use std::sync::Arc;

use cairn_access::{Principal, Scope};
use cairn_base::{ContentHash, Position, TenantId, TurnId};
use cairn_seam::Snapshot;
use cairn_turns::projection::View;
use cairn_turns::registry::Registry;
use cairn_turns::{Turn, TurnsError};

use super::acts::reading;
use super::window::{With, find};
use crate::{Engine, EngineError, TurnPayload, Window, WindowTurns};

/// A page of turns, oldest first.
#[derive(Debug, Clone)]
pub struct TurnsPage {
    /// The context, the turns and the names of their types.
    pub window: WindowTurns,
    /// The roots of the file trees of the turns themselves, in their order.
    pub trees: Vec<Option<ContentHash>>,
    /// Their payloads, in their order; empty if the view needs none.
    pub payloads: Vec<TurnPayload>,
    /// The types to show payloads as, in typed views.
    pub registry: Option<Arc<Registry>>,
}

/// A turn that is to be shown.
#[derive(Debug, Clone, Copy)]
pub struct ShownTurn<'a> {
    /// The turn.
    pub turn: &'a Turn,
    /// The name of its type.
    pub type_name: &'a str,
    /// The root of its own file tree.
    pub tree: Option<ContentHash>,
    /// Its payload, if the view needs it.
    pub payload: Option<&'a TurnPayload>,
}

impl TurnsPage {
    /// The turns with what belongs to them.
    pub fn turns(&self) -> impl Iterator<Item = ShownTurn<'_>> {
        self.window.turns.iter().zip(&self.trees).enumerate().map(|(at, (turn, tree))| ShownTurn {
            turn,
            type_name: self.window.type_name(turn),
            tree: *tree,
            payload: self.payloads.get(at),
        })
    }

    /// The oldest turn, before which the next page ends; `None` if it is the first of all.
    pub fn next_before(&self) -> Option<TurnId> {
        let oldest = self.window.turns.first().filter(|oldest| oldest.parent != TurnId::NONE);
        oldest.map(|oldest| oldest.id)
    }
}

impl Engine {
    /// Reads a page of turns, with payloads if the view needs them. A payload that is damaged costs no other
    /// turn of the page.
    ///
    /// Before any payload is read, `begin` sees the turns, and may refuse. Fails with [`TurnsError::Hint`] if
    /// the turns are not of the type that the view names.
    pub fn turns_page(
        &self,
        principal: &Principal,
        tenant: TenantId,
        window: Window,
        view: &View,
        begin: impl FnOnce(&WindowTurns) -> Result<(), EngineError>,
    ) -> Result<TurnsPage, EngineError> {
        let started = self.clock().monotonic();
        let window = Window { with_payload: view.needs_bytes(), ..window };
        let read = self.pipeline.read(principal, &reading(tenant), Position::START, |snapshot, scope| {
            let (found, trees) = find(snapshot, scope, window, With::Trees)?;
            begin(&found)?;
            let registry = || self.registry_of(snapshot, scope, found.generation);
            let registry = view.is_typed.then(registry).transpose()?;
            if let Some(registry) = &registry {
                let names: Vec<&str> = found.turns.iter().map(|turn| found.type_name(turn)).collect();
                view.hint.check(registry, &names).map_err(TurnsError::from)?;
            }
            // All in one round: the whole page is in memory in any case, and `begin` has agreed to that.
            let turns = if window.with_payload { &found.turns[..] } else { &[] };
            let payloads = self.payloads_of(snapshot, scope, turns)?;
            Ok(TurnsPage { window: found, trees, payloads, registry })
        });
        self.memories.turns.windows.observe(self.clock().monotonic().saturating_sub(started));
        read
    }

    /// The types to show payloads as, if the view is typed.
    pub(super) fn registry_for(
        &self,
        snapshot: &dyn Snapshot,
        scope: &Scope,
        view: &View,
    ) -> Result<Option<Arc<Registry>>, EngineError> {
        view.is_typed.then(|| self.registry_at(snapshot, scope)).transpose()
    }
}
