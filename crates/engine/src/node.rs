//! Who this node is: one record, written once.

use std::fmt;

use cairn_access::{Action, Principal, Resource, Scope};
use cairn_base::{Entropy, Position};
use cairn_seam::{Event, Reader, StoreError};

use crate::access::make_local_tenant;
use crate::pipeline::Pipeline;
use crate::secret::Secret;
use crate::{Act, EngineError, record, tables};

/// A node's name: 16 random bytes, shown as 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub [u8; 16]);

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Who this node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// Its name.
    pub id: NodeId,
    /// When it was made, in Unix milliseconds.
    pub created_at_ms: u64,
}

/// Reads the node record, or makes it if the store is fresh.
pub(crate) fn load_or_initialise(pipeline: &Pipeline, entropy: &dyn Entropy) -> Result<Node, EngineError> {
    let principal = Principal::node();
    let act = Act::new(Action::NodeInit, Resource::NODE);
    let scope = pipeline.permit(&principal, &act)?.scope();
    if let Some(node) = load(&*pipeline.store().snapshot(Position::START)?, &scope)? {
        return Ok(node);
    }
    let mut id = [0; 16];
    entropy.fill(&mut id);
    let node = Node { id: NodeId(id), created_at_ms: pipeline.shared().clock.now_ms() };
    let secret = Secret::random(entropy);
    let act = act.on(node.id.to_string());
    let committed = pipeline.transact(&principal, &act, move |tx, scope| {
        // On a shared store another process may have been quicker.
        if let Some(existing) = load(tx, scope)? {
            return Ok(existing);
        }
        let body = record::encode_node(&node);
        tx.put(tables::NODE, &scope.key(), &body)?;
        tx.emit(Event { kind: tables::NODE_INITIALISED, body })?;
        secret.put(tx, scope)?;
        make_local_tenant(tx, scope, node.created_at_ms)?;
        Ok(node)
    });
    match committed {
        // Its record is lost with damaged bytes: what can be read is served all the same.
        Err(EngineError::Store(StoreError::ReadOnly { .. })) => Ok(node),
        committed => Ok(committed?.value),
    }
}

fn load<R: Reader + ?Sized>(reader: &R, scope: &Scope) -> Result<Option<Node>, EngineError> {
    let stored = cairn_seam::get(reader, tables::NODE, &scope.key())?;
    stored.as_deref().map(record::decode_node).transpose()
}
