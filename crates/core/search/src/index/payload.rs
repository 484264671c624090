//! What every commit of the index on disk says about itself.

use cairn_base::Position;
use serde::{Deserialize, Serialize};

use super::statistics::{Row, Statistics};
use crate::SearchError;

/// Raised whenever documents are taken apart or kept in another way: older indexes are made again.
const VERSION: u32 = 1;

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Payload {
    version: u32,
    store: String,
    position: u64,
    pub(super) partitions: Vec<Row>,
}

impl Payload {
    pub(super) fn new(store: &str, position: Position, statistics: &Statistics) -> Self {
        Payload {
            version: VERSION,
            store: store.into(),
            position: position.to_stored(),
            partitions: statistics.rows(),
        }
    }

    /// Reads what the last commit says; one that says nothing is of an index nobody fed yet.
    pub(super) fn parse(text: Option<&str>, store: &str) -> Result<Self, SearchError> {
        let Some(text) = text else { return Ok(Payload::default()) };
        let payload: Payload =
            serde_json::from_str(text).map_err(|error| SearchError::Damaged(error.to_string()))?;
        if payload.version != VERSION {
            return Err(SearchError::Damaged("it was written by another version".into()));
        }
        if payload.store != store {
            return Err(SearchError::Damaged("it belongs to another store".into()));
        }
        Ok(payload)
    }

    pub(super) fn position(&self) -> Position {
        Position::from_stored(self.position)
    }

    pub(super) fn text(&self) -> Result<String, SearchError> {
        serde_json::to_string(self).map_err(|error| SearchError::Damaged(error.to_string()))
    }
}
