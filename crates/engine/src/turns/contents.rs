//! What surfaces ask for by its name: one turn, one blob, one file of a tree.

use std::sync::Arc;

use cairn_access::Principal;
use cairn_base::{ContentHash, Position, TenantId, TurnId};
use cairn_seam::{BlobReader, StoreError};
use cairn_turns::projection::View;
use cairn_turns::registry::Registry;
use cairn_turns::{Found, Turn, TurnsError};

use super::acts::reading;
use super::blobs::whole_blob;
use crate::{Engine, EngineError, ShownTurn, TurnPayload, limits};

/// A turn, and what belongs to it.
#[derive(Debug, Clone)]
pub struct TurnContent {
    /// The turn.
    pub turn: Turn,
    /// The name of its type.
    pub type_name: String,
    /// The root of its own file tree.
    pub tree: Option<ContentHash>,
    /// Its payload, if the view needs it.
    pub payload: Option<TurnPayload>,
    /// The types to show its payload as, in typed views.
    pub registry: Option<Arc<Registry>>,
}

impl TurnContent {
    /// The turn as it is shown.
    pub fn shown(&self) -> ShownTurn<'_> {
        let TurnContent { turn, type_name, tree, payload, .. } = self;
        ShownTurn { turn, type_name, tree: *tree, payload: payload.as_ref() }
    }
}

/// What a path in a turn's file tree leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreePath {
    /// The root of the tree.
    pub root: ContentHash,
    /// What is there.
    pub found: Found,
}

impl Engine {
    /// Reads one turn, with its payload if the view needs it. A damaged payload is marked, and does not fail
    /// the turn.
    ///
    /// Before the payload is read, `begin` hears how long it is, and may refuse. Fails with
    /// [`TurnsError::Hint`] if the turn is not of the type that the view names.
    pub fn turn(
        &self,
        principal: &Principal,
        tenant: TenantId,
        id: TurnId,
        view: &View,
        begin: impl FnOnce(u64) -> Result<(), EngineError>,
    ) -> Result<TurnContent, EngineError> {
        self.pipeline.read(principal, &reading(tenant), Position::START, |snapshot, scope| {
            let turn = cairn_turns::turn(snapshot, scope, id)?;
            let type_name = cairn_turns::type_name(snapshot, scope, turn.type_number)?;
            let registry = self.registry_for(snapshot, scope, view)?;
            if let Some(registry) = &registry {
                view.hint.check(registry, &[&type_name]).map_err(TurnsError::from)?;
            }
            let payload = view.needs_bytes().then(|| {
                begin(u64::from(turn.payload_bytes))?;
                self.payload(snapshot, scope, &turn)
            });
            Ok(TurnContent {
                turn,
                type_name,
                tree: cairn_turns::own_trees(snapshot, scope, &[turn])?.pop().flatten(),
                payload: payload.transpose()?,
                registry,
            })
        })
    }

    /// Opens a blob for reading in pieces; `None` if there is none. It stays readable until dropped.
    pub fn open_blob(
        &self,
        principal: &Principal,
        tenant: TenantId,
        hash: &ContentHash,
    ) -> Result<Option<Box<dyn BlobReader>>, EngineError> {
        let started = self.clock().monotonic();
        let opened = self.pipeline.work(principal, &reading(tenant), |store| {
            if self.is_hidden_blob(principal, tenant, hash)? {
                return Ok(None);
            }
            Ok(store.open_blob(tenant, hash)?)
        });
        self.memories.turns.blobs.observe(self.clock().monotonic().saturating_sub(started));
        opened
    }

    /// Follows a path in the file tree that a turn has or inherits. Before a tree object is read, `begin`
    /// hears how long it is, and may refuse.
    pub fn tree_path(
        &self,
        principal: &Principal,
        tenant: TenantId,
        turn: TurnId,
        path: &str,
        begin: &mut dyn FnMut(u64) -> Result<(), EngineError>,
    ) -> Result<TreePath, EngineError> {
        let permit = self.pipeline.permit(principal, &reading(tenant))?;
        self.pipeline.work_under(permit, |store, scope| {
            let root = {
                let snapshot = store.snapshot(Position::START)?;
                let turn = cairn_turns::turn(&*snapshot, scope, turn)?;
                let root = cairn_turns::tree_root(&*snapshot, scope, &turn)?;
                root.ok_or(TurnsError::NoTree(turn.id))?.1
            };
            let mut room = limits::TREE_READ_BYTES_MAX;
            let mut refused = None;
            let mut fetch = |hash: &ContentHash| {
                let read = whole_blob(store, tenant, hash, room, |bytes| {
                    room -= bytes;
                    begin(bytes).map(|()| Vec::new())
                });
                match read {
                    Ok(bytes) => bytes.ok_or(TurnsError::NoBlob(*hash)),
                    Err(EngineError::Store(error)) => Err(error.into()),
                    Err(error) => {
                        // Kept aside, because following a path knows failures of the store only.
                        refused = Some(error);
                        Err(StoreError::Aborted.into())
                    }
                }
            };
            let found = cairn_turns::find(&root, path, &mut fetch);
            if let Some(error) = refused {
                return Err(error);
            }
            let found = found?.ok_or_else(|| TurnsError::NoPath { turn, path: path.to_owned() })?;
            Ok(TreePath { root, found })
        })
    }
}
