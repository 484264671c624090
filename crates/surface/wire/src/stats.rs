//! Figures about a node, for people.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::scrub::ScrubFigures;
use crate::search::SearchFigures;

/// Figures about the node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Stats {
    /// The node's id.
    pub node_id: String,
    /// When the node was made, in Unix milliseconds.
    pub created_at_ms: u64,
    /// The version of cairn that answers.
    pub version: String,
    /// The newest position that reads see. Positions can be compared and mean nothing else.
    pub position: u64,
    /// How long the server has been up.
    pub uptime_ms: u64,
    /// The store's own.
    pub store: StoreFigures,
    /// Who follows the change feed.
    pub consumers: Vec<Follower>,
    /// Live listeners.
    pub bus: Bus,
    /// How the search is doing.
    pub search: SearchFigures,
    /// Background verification of all files.
    pub scrub: ScrubFigures,
}

/// A follower of the change feed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Follower {
    /// Its name.
    pub name: String,
    /// Everything up to here it has dealt with.
    pub position: u64,
    /// When it said so, in Unix milliseconds.
    pub advanced_at_ms: u64,
}

/// Live listeners.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Bus {
    /// Listeners now.
    pub listeners: usize,
    /// Transactions announced.
    pub published: u64,
    /// Times a listener fell behind.
    pub lagged: u64,
}

/// Figures of the store; counters count since the start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct StoreFigures {
    /// What kind of store it is.
    pub kind: String,
    /// Transactions made durable.
    pub commits: u64,
    /// Groups of transactions written, one disk sync each.
    pub groups: u64,
    /// Transactions that gave up or failed without touching the store.
    pub aborts: u64,
    /// Bytes written to the log.
    pub log_bytes_written: u64,
    /// Bytes of the log on disk.
    pub log_bytes: u64,
    /// Segments of the log.
    pub segments: u64,
    /// Side files of hashed keyspaces.
    pub side_files: u64,
    /// Bytes of the index file.
    pub index_bytes: u64,
    /// Bytes published and not yet in the index.
    pub unapplied_bytes: u64,
    /// Index commits made by the applier.
    pub applies: u64,
    /// Times a writer had to wait for the applier.
    pub backpressure: u64,
    /// Transactions waiting in the queue now.
    pub queued: u64,
    /// Bytes free on the disk when last looked at.
    pub disk_free_bytes: u64,
}
