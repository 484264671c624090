//! Reading payloads of turns: those that were read lately from memory, the others in batches.

use std::sync::Arc;

use cairn_access::Scope;
use cairn_base::ErrorCode;
use cairn_seam::Snapshot;
use cairn_turns::{Turn, TurnPayload};

use super::blobs::named_blob;
use crate::{Engine, EngineError};

/// Payload bytes of one batch; a longer payload is a batch by itself.
const BATCH_BYTES: usize = 1 << 20;

/// What was read, where damage is a payload that is unreadable, and other failures stay failures.
pub(crate) fn in_spite_of_damage(
    read: Result<impl Into<Arc<[u8]>>, EngineError>,
) -> Result<TurnPayload, EngineError> {
    match read {
        Ok(bytes) => Ok(TurnPayload::Bytes(bytes.into())),
        Err(error) => unreadable(error).map(TurnPayload::Unreadable),
    }
}

/// The reason why something is unreadable, if that is damage; every other failure stays one.
pub(crate) fn unreadable(error: EngineError) -> Result<String, EngineError> {
    if error.code() == ErrorCode::Damaged { Ok(error.to_string()) } else { Err(error) }
}

/// Turns in their order, as many at once as their payloads fit into a batch.
pub(super) fn in_batches(turns: &[Turn]) -> impl Iterator<Item = &[Turn]> {
    batches(turns, |turn| turn.payload_bytes as usize)
}

fn batches<T>(items: &[T], bytes_of: impl Fn(&T) -> usize) -> impl Iterator<Item = &[T]> {
    let mut rest = items;
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let fits = |item: &&T| {
            bytes += bytes_of(item);
            bytes <= BATCH_BYTES
        };
        let count = rest.iter().take_while(fits).count().max(1);
        let (batch, behind) = rest.split_at_checked(count)?;
        rest = behind;
        Some(batch)
    })
}

impl Engine {
    /// Reads payloads of turns, in their order. Damage is no failure; everything else that goes wrong is one.
    pub(super) fn payloads_of(
        &self,
        snapshot: &dyn Snapshot,
        scope: &Scope,
        turns: &[Turn],
    ) -> Result<Vec<TurnPayload>, EngineError> {
        let tenant = scope.tenant();
        let mut found: Vec<_> =
            turns.iter().map(|turn| self.memories.turns.payloads.get(tenant, &turn.hash)).collect();
        let is_missing = |at: &usize| found[*at].is_none() && !is_large(&turns[*at]);
        let missing: Vec<usize> = (0..turns.len()).filter(is_missing).collect();
        if missing.len() > 1 {
            let hashes: Vec<_> = missing.iter().map(|at| turns[*at].hash).collect();
            // One that is damaged ends the batch. Then those behind it are read one by one, and so is it.
            let _ = snapshot.blobs(tenant, &hashes, &mut |at, bytes| {
                found[missing[at]] = bytes.map(Arc::from);
            });
            for at in missing {
                if let Some(bytes) = &found[at] {
                    self.memories.turns.payloads.keep(tenant, turns[at].hash, bytes);
                }
            }
        }
        let read = found.into_iter().zip(turns).map(|(found, turn)| match found {
            Some(bytes) => Ok(TurnPayload::Bytes(bytes)),
            None => in_spite_of_damage(self.payload_alone(snapshot, scope, turn)),
        });
        read.collect()
    }

    /// Reads the payload of one turn.
    pub(super) fn payload(
        &self,
        snapshot: &dyn Snapshot,
        scope: &Scope,
        turn: &Turn,
    ) -> Result<TurnPayload, EngineError> {
        match self.memories.turns.payloads.get(scope.tenant(), &turn.hash) {
            Some(bytes) => Ok(TurnPayload::Bytes(bytes)),
            None => in_spite_of_damage(self.payload_alone(snapshot, scope, turn)),
        }
    }

    /// Reads one that is not in memory.
    fn payload_alone(
        &self,
        snapshot: &dyn Snapshot,
        scope: &Scope,
        turn: &Turn,
    ) -> Result<Arc<[u8]>, EngineError> {
        let tenant = scope.tenant();
        let mut found: Option<Arc<[u8]>> = None;
        if !is_large(turn) {
            snapshot.blobs(tenant, &[turn.hash], &mut |_, bytes| found = bytes.map(Arc::from))?;
        }
        let found = match found {
            Some(found) => found,
            None => {
                let max = u64::from(turn.payload_bytes);
                Arc::from(named_blob(self.pipeline.store(), tenant, &turn.hash, max)?)
            }
        };
        self.memories.turns.payloads.keep(tenant, turn.hash, &found);
        Ok(found)
    }
}

/// Whether the payload does not fit into a commit, and is read in pieces.
fn is_large(turn: &Turn) -> bool {
    turn.payload_bytes as usize > cairn_seam::limits::BLOB_IN_COMMIT_BYTES_MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_hold_what_fits_and_at_least_one() {
        let check = |sizes: &[usize], expected: &[usize]| {
            let lengths: Vec<_> = batches(sizes, |size| *size).map(<[usize]>::len).collect();
            assert_eq!(lengths, expected, "{sizes:?}");
        };
        check(&[], &[]);
        check(&[1000; 64], &[64]);
        check(&[BATCH_BYTES * 3], &[1]);
        check(&[BATCH_BYTES * 3, 10, 10, BATCH_BYTES], &[1, 2, 1]);
        check(&[BATCH_BYTES / 2; 4], &[2, 2]);
        check(&[BATCH_BYTES / 2 + 1; 3], &[1, 1, 1]);
        check(&[0; 3], &[3]);
    }
}
