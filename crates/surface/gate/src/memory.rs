//! Memory for what comes in and goes out: everyone who shares it has a bound together.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use cairn_engine::EngineError;
use cairn_seam::StoreError;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Every request has this much to itself.
const OWN_BYTES: usize = 64 << 10;
/// What is taken of the common memory at a time.
const STEP_BYTES: usize = 1 << 20;

/// Memory that requests share. Cheap to clone; clones share their bound.
#[derive(Debug, Clone)]
pub struct Memory(Arc<Semaphore>);

/// Memory that somebody holds; given back when dropped.
pub type Share = Option<OwnedSemaphorePermit>;

/// Bytes that were read, and the memory that they hold.
#[derive(Debug)]
pub struct Held {
    /// The bytes.
    pub bytes: Vec<u8>,
    _memory: Vec<OwnedSemaphorePermit>,
}

impl Memory {
    /// So many bytes for all together, in whole MiB and at least one.
    pub fn new(bytes: usize) -> Self {
        Memory(Arc::new(Semaphore::new((bytes / STEP_BYTES).max(1))))
    }

    /// Memory for an answer, at once or not at all: who waited would hold up others. Short ones need none.
    pub fn take(&self, bytes: u64) -> Result<Share, EngineError> {
        let mut share = None;
        self.grow(&mut share, bytes)?;
        Ok(share)
    }

    /// Makes a share large enough for so many bytes in all, at once or not at all.
    pub fn grow(&self, share: &mut Share, bytes: u64) -> Result<(), EngineError> {
        if bytes <= OWN_BYTES as u64 {
            return Ok(());
        }
        let steps = u32::try_from(bytes.div_ceil(STEP_BYTES as u64)).unwrap_or(u32::MAX);
        let held = share.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let more = steps.saturating_sub(u32::try_from(held).unwrap_or(u32::MAX));
        if more == 0 {
            return Ok(());
        }
        let taken = Arc::clone(&self.0).try_acquire_many_owned(more);
        let taken = taken.map_err(|_| EngineError::Store(StoreError::Overloaded))?;
        match share {
            Some(held) => held.merge(taken),
            None => *share = Some(taken),
        }
        Ok(())
    }

    /// Reads so many bytes. Memory is taken as they come in: who says much and sends little holds little.
    /// Each step of it has to come within `patience`; waiting for memory that others hold is not counted.
    pub async fn read(
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
    pub fn into_buffer(self) -> Vec<u8> {
        let mut bytes = self.bytes;
        bytes.clear();
        bytes.shrink_to(OWN_BYTES);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn shares_grow_within_the_bound_and_come_back() {
        let memory = Memory::new(4 << 20);
        assert!(memory.take(OWN_BYTES as u64).expect("short").is_none());
        let mut share = memory.take(OWN_BYTES as u64 + 1).expect("there is room");
        memory.grow(&mut share, MIB).expect("it has that already");
        memory.grow(&mut share, 2 * MIB + 1).expect("three of four");
        assert!(memory.take(2 * MIB).is_err(), "one is left");
        assert!(memory.grow(&mut share, 4 * MIB + 1).is_err(), "more than there is");
        let last = memory.take(MIB).expect("the last one");
        drop((share, last));
        assert!(memory.take(4 * MIB).is_ok());
    }
}
