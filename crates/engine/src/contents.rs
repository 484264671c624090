//! What surfaces ask for by its name: one turn, one blob, one file of a tree.

use cairn_access::{Action, Principal, Resource};
use cairn_base::{ContentHash, Position, TenantId, TurnId, limits};
use cairn_seam::{BlobReader, StoreError};
use cairn_turns::{Found, Turn, TurnsError};

use crate::turns::whole_blob;
use crate::{Act, Engine, EngineError, TurnPayload};

/// A turn, and what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnContent {
    /// The turn.
    pub turn: Turn,
    /// The name of its type.
    pub type_name: String,
    /// The root of its own file tree.
    pub tree: Option<ContentHash>,
    /// Its payload, if that was wanted.
    pub payload: Option<TurnPayload>,
}

/// What a path in a turn's file tree leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreePath {
    /// The root of the tree.
    pub root: ContentHash,
    /// What is there.
    pub found: Found,
}

fn reading(tenant: TenantId) -> Act {
    Act::new(Action::TurnsRead, Resource::tenant(tenant))
}

impl Engine {
    /// One turn. With a payload, `begin` hears how long that is before it is read, and may refuse. A damaged
    /// payload is marked, and does not fail the turn.
    pub fn turn(
        &self,
        principal: &Principal,
        tenant: TenantId,
        id: TurnId,
        begin: Option<&mut dyn FnMut(u64) -> Result<(), EngineError>>,
    ) -> Result<TurnContent, EngineError> {
        self.pipeline.read(principal, &reading(tenant), Position::START, |snapshot, scope| {
            let turn = cairn_turns::turn(snapshot, scope, id)?;
            let payload = begin.map(|begin| {
                begin(u64::from(turn.payload_bytes))?;
                self.payload(snapshot, scope, &turn)
            });
            Ok(TurnContent {
                turn,
                type_name: cairn_turns::type_name(snapshot, scope, turn.type_number)?,
                tree: cairn_turns::own_trees(snapshot, scope, &[turn])?.pop().flatten(),
                payload: payload.transpose()?,
            })
        })
    }

    /// The roots of the file trees that turns themselves have, in their order.
    pub fn own_trees(
        &self,
        principal: &Principal,
        tenant: TenantId,
        turns: &[Turn],
    ) -> Result<Vec<Option<ContentHash>>, EngineError> {
        self.pipeline.read(principal, &reading(tenant), Position::START, |snapshot, scope| {
            Ok(cairn_turns::own_trees(snapshot, scope, turns)?)
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
        let opened =
            self.pipeline.work(principal, &reading(tenant), |store| Ok(store.open_blob(tenant, hash)?));
        self.pipeline.shared().metrics.blobs.observe(self.clock().monotonic().saturating_sub(started));
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
        let root = self.pipeline.read(principal, &reading(tenant), Position::START, |snapshot, scope| {
            let turn = cairn_turns::turn(snapshot, scope, turn)?;
            let root = cairn_turns::tree_root(snapshot, scope, &turn)?;
            Ok(root.ok_or(TurnsError::NoTree(turn.id))?.1)
        })?;
        self.pipeline.work(principal, &reading(tenant), |store| {
            let mut room = limits::TREE_READ_BYTES_MAX;
            let mut refused = None;
            let mut fetch = |hash: &ContentHash| {
                let read = whole_blob(store, tenant, hash, room, |bytes| {
                    room -= bytes;
                    begin(bytes)
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
