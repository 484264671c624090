//! JWTs that were used.
//!
//! The memory is in the store, so that a restart forgets none. It is written without waiting: a request's
//! own write is queued later, so no effect of a request is on disk before its JWT is. Until a note is
//! readable it is kept here.

use std::collections::HashMap;
use std::sync::Arc;

use cairn_access::{Action, SignedJwt, limits, tables};
use cairn_base::TenantId;
use cairn_seam::{Store, StoreError};
use parking_lot::Mutex;

use super::Connection;

type Name = [u8; 32];

pub(crate) struct Replay {
    /// Tells connections of this process from those of others.
    process: u64,
    /// Notes that are on their way to the store, and those that it did not take.
    unwritten: Arc<Mutex<HashMap<Name, Note>>>,
}

#[derive(Clone, Copy)]
struct Note {
    used_by: [u8; 16],
    expires_at_ms: u64,
}

impl Replay {
    pub(super) fn new(process: u64) -> Self {
        Replay { process, unwritten: Arc::default() }
    }

    /// Notes that a connection uses a JWT; `false` if another one has.
    pub(super) fn use_up(
        &self,
        store: &dyn Store,
        tenant: TenantId,
        jwt: &SignedJwt<'_>,
        expires_at_ms: Option<u64>,
        connection: Connection,
    ) -> Result<bool, StoreError> {
        let name = name(jwt);
        let mut used_by = [0; 16];
        used_by[..8].copy_from_slice(&self.process.to_be_bytes());
        used_by[8..].copy_from_slice(&connection.0.to_be_bytes());
        // A little longer than it holds: clocks are set back, and whoever checked it looked at one before.
        let skew_ms = u64::try_from(limits::CLOCK_SKEW.as_millis()).unwrap_or(0);
        let expires_at_ms = expires_at_ms.unwrap_or(u64::MAX).saturating_add(skew_ms);

        // Held while looking: of two at once one is the first.
        let mut unwritten = self.unwritten.lock();
        if let Some(note) = unwritten.get(&name) {
            return Ok(note.used_by == used_by);
        }
        let mut stored = None;
        let snapshot = store.snapshot(cairn_base::Position::START)?;
        snapshot.hashed_get(tables::USED_JWTS, tenant, &[&name], &mut |_, value| {
            stored = value.map(|value| value == used_by);
        })?;
        if let Some(by_same) = stored {
            return Ok(by_same);
        }
        unwritten.insert(name, Note { used_by, expires_at_ms });
        drop(unwritten);

        let pending = Arc::clone(&self.unwritten);
        cairn_seam::submit_as(
            store,
            tenant,
            Action::Authenticate.row().class,
            move |tx| tx.hashed_put(tables::USED_JWTS, &name, &used_by, Some(expires_at_ms)),
            move |outcome: Result<_, StoreError>| {
                // What the disk did not take stays here for as long as it counts.
                if outcome.is_ok() {
                    pending.lock().remove(&name);
                }
            },
        );
        Ok(true)
    }

    /// Drops notes that do not count any more.
    pub(crate) fn tidy(&self, now_ms: u64) {
        self.unwritten.lock().retain(|_, note| note.expires_at_ms > now_ms);
    }
}

/// What a JWT is called among all: by its key and by what its key calls it.
fn name(jwt: &SignedJwt<'_>) -> Name {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&jwt.key().0);
    hasher.update(jwt.claims().id.as_bytes());
    *hasher.finalize().as_bytes()
}
