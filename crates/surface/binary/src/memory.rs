//! Memory for frames: all connections together have a bound.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use cairn_engine::EngineError;
use cairn_seam::StoreError;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Every connection has this much to itself.
const OWN_BYTES: usize = 64 << 10;
/// What is taken of the common memory at a time.
const STEP_BYTES: usize = 1 << 20;

/// Memory that connections share.
#[derive(Debug, Clone)]
pub(crate) struct Shared(Arc<Semaphore>);

/// Memory that somebody holds; given back when dropped.
pub(crate) type Share = Option<OwnedSemaphorePermit>;

/// A body, and the memory that it holds.
pub(crate) struct Held {
    pub(crate) bytes: Vec<u8>,
    _memory: Vec<OwnedSemaphorePermit>,
}

impl Shared {
    pub(crate) fn new(bytes: usize) -> Self {
        Shared(Arc::new(Semaphore::new((bytes / STEP_BYTES).max(1))))
    }

    /// Memory for an answer, at once or not at all: who waited would hold up others. Short ones need none.
    pub(crate) fn take(&self, bytes: u64) -> Result<Share, EngineError> {
        if bytes <= OWN_BYTES as u64 {
            return Ok(None);
        }
        let steps = u32::try_from(bytes.div_ceil(STEP_BYTES as u64)).unwrap_or(u32::MAX);
        let taken = Arc::clone(&self.0).try_acquire_many_owned(steps);
        taken.map(Some).map_err(|_| EngineError::Store(StoreError::Overloaded))
    }

    /// Reads a body. Memory is taken as bytes come in: who says much and sends little holds little. Each
    /// step of it has to come within `patience`; waiting for memory that others hold is not counted.
    pub(crate) async fn read(
        &self,
        stream: &mut (impl AsyncRead + Unpin),
        len: usize,
        mut bytes: Vec<u8>,
        patience: Duration,
    ) -> io::Result<Held> {
        bytes.clear();
        let mut memory = Vec::new();
        while bytes.len() < len {
            let step = if bytes.len() < OWN_BYTES { OWN_BYTES } else { STEP_BYTES };
            if bytes.len() >= OWN_BYTES {
                let permit = Arc::clone(&self.0).acquire_owned().await;
                memory.push(permit.map_err(|_| io::Error::other("the server stops"))?);
            }
            let end = len.min(bytes.len() + step);
            let start = bytes.len();
            bytes.resize(end, 0);
            timeout(patience, stream.read_exact(&mut bytes[start..])).await??;
        }
        Ok(Held { bytes, _memory: memory })
    }
}

impl Held {
    /// The buffer, for the next body, unless it has grown large.
    pub(crate) fn into_buffer(self) -> Vec<u8> {
        let mut bytes = self.bytes;
        bytes.clear();
        bytes.shrink_to(OWN_BYTES);
        bytes
    }
}
