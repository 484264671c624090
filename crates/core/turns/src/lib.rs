//! Turns: what was said and done.
//!
//! A turn is immutable and knows its parent; a context is a name for the newest turn of a chain. So a
//! fork copies nothing: it is one more name. Every second turn also knows a turn far above it, which
//! makes any depth of any chain a matter of a few dozen reads.
//!
//! Everything here is a function over a reader or a transaction and a [`Scope`](cairn_access::Scope);
//! only the engine opens transactions.

mod append;
mod beside;
mod chain;
mod code;
mod context;
mod error;
mod event;
pub mod export_lines;
mod fork;
mod idempotency;
mod import;
mod intern;
pub mod limits;
mod lineage;
mod metadata;
pub mod projection;
pub mod prune;
pub mod query;
mod read;
mod record;
pub mod registry;
pub mod salvage;
pub mod search;
pub mod tables;
mod times;
mod tree;
mod turn;

pub use append::{Append, Appended, append};
pub use beside::{Beside, beside};
pub use code::TurnsCode;
pub use context::{
    Context, activity_of, contexts, contexts_after, counters, create, head, last_numbers, unlist,
};
pub use error::TurnsError;
pub use event::TurnsEvent;
pub use fork::{ForkParent, forks, parents};
pub use idempotency::IdempotencyKey;
pub use import::{ImportId, NewContext, NewTurn, Taken, import_context, import_head, import_turn};
pub use intern::{TypeNumber, type_name};
pub use lineage::ancestor_at;
pub use metadata::{
    Metadata, PROVENANCE_FIELDS, Provenance, ProvenanceField, ProvenanceKind, ProvenanceValue, metadata,
    root_of,
};
pub use read::{Admit, before, by_depth, last, turn, turns, turns_between};
pub use record::{Counters, blobs_of_turn, root_of_tree};
pub use tree::{Entry, EntryKind, Fetch, Found, TreeObject, attach, find, own_trees, tree_root};
pub use turn::{DeclaredType, Turn, TurnPayload};
