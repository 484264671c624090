//! What surfaces ask of the turn memory that needs more than a snapshot: whole blobs, windows with
//! their payloads, uploads.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use cairn_access::{Action, Principal, Resource, Scope};
use cairn_base::{ContentHash, ContextId, ErrorCode, Position, TenantId, TurnId, limits};
use cairn_seam::{Blob, BlobReader, Snapshot, Store, StoreError, Visit};
use cairn_turns::{Context, Turn, TypeNumber};

use crate::{Act, Engine, EngineError};

/// Which turns to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Of which context.
    pub context: ContextId,
    /// Where it lies.
    pub at: WindowAt,
    /// How many turns at the most.
    pub limit: usize,
    /// Whether payloads are wanted.
    pub with_payload: bool,
    /// Bytes that turns and payloads may take; the newest stay, or the oldest of a range by depth. One
    /// turn stays however large it is, so that paging gets past it.
    pub bytes_max: usize,
}

/// Where a window lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowAt {
    /// Up to the newest turn.
    Head,
    /// Before a turn.
    Before(TurnId),
    /// From a depth on.
    Depth(u32),
}

/// The payload of a turn, as far as it can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnPayload {
    /// Its bytes, verified.
    Bytes(Arc<[u8]>),
    /// The store lost or cannot read it: the reason. The rest of the turn is whole.
    Unreadable(String),
}

/// Called with a turn of a window, and its payload if that is wanted.
pub type VisitTurn<'a> = &'a mut dyn FnMut(&WindowTurns, &Turn, Option<&TurnPayload>);

/// What a turn takes in a window besides its payload, at the most.
const TURN_BYTES: usize = 128 + limits::TYPE_ID_BYTES_MAX;

/// The turns of a window, oldest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowTurns {
    /// The context.
    pub context: Context,
    /// The turns.
    pub turns: Vec<Turn>,
    /// Names of their types.
    pub type_names: HashMap<TypeNumber, String>,
    /// Whether turns that were asked for were left out because of [`Window::bytes_max`] or
    /// [`limits::TURNS_PAGE_MAX`].
    pub is_cut: bool,
}

impl WindowTurns {
    /// Bytes of all their payloads.
    pub fn payload_bytes(&self) -> u64 {
        self.turns.iter().map(|turn| u64::from(turn.payload_bytes)).sum()
    }

    /// The name of a turn's type.
    pub fn type_name(&self, turn: &Turn) -> &str {
        self.type_names.get(&turn.type_number).map_or("", String::as_str)
    }
}

impl Engine {
    /// Makes bytes a blob that a transaction can put; long ones are written to disk here.
    pub fn blob(&self, principal: &Principal, tenant: TenantId, bytes: Vec<u8>) -> Result<Blob, EngineError> {
        let act = Act::new(Action::TurnsWrite, Resource::tenant(tenant));
        self.pipeline.work(principal, &act, |store| {
            if bytes.len() <= limits::BLOB_IN_COMMIT_BYTES_MAX {
                return Ok(Blob::new(bytes)?);
            }
            let mut upload = store.upload(tenant)?;
            upload.write(&bytes)?;
            Ok(upload.finish()?)
        })
    }

    /// A whole blob of at most `bytes_max` bytes; `None` if there is none.
    ///
    /// Before it is read, `begin` hears how long it is, and may refuse.
    pub fn whole_blob(
        &self,
        principal: &Principal,
        tenant: TenantId,
        hash: &ContentHash,
        bytes_max: u64,
        begin: impl FnOnce(u64) -> Result<(), EngineError>,
    ) -> Result<Option<Vec<u8>>, EngineError> {
        let act = Act::new(Action::TurnsRead, Resource::tenant(tenant));
        let started = self.clock().monotonic();
        let read =
            self.pipeline.work(principal, &act, |store| whole_blob(store, tenant, hash, bytes_max, begin));
        self.pipeline.shared().metrics.blobs.observe(self.clock().monotonic().saturating_sub(started));
        read
    }

    /// Reads a window, and gives every turn of it to `visit`, oldest first, with its payload if that is
    /// wanted. A payload that is damaged costs no other turn of the window.
    ///
    /// Before any payload is read, `begin` sees the turns, and may refuse.
    pub fn turns_window(
        &self,
        principal: &Principal,
        tenant: TenantId,
        window: Window,
        begin: impl FnOnce(&WindowTurns) -> Result<(), EngineError>,
        visit: VisitTurn<'_>,
    ) -> Result<(), EngineError> {
        let act = Act::new(Action::TurnsRead, Resource::tenant(tenant));
        let started = self.clock().monotonic();
        let read = self.pipeline.read(principal, &act, Position::START, |snapshot, scope| {
            let found = find(snapshot, scope, window)?;
            begin(&found)?;
            for turn in &found.turns {
                if window.with_payload {
                    let payload = self.payload(snapshot, scope, turn)?;
                    visit(&found, turn, Some(&payload));
                } else {
                    visit(&found, turn, None);
                }
            }
            Ok(())
        });
        self.pipeline.shared().metrics.windows.observe(self.clock().monotonic().saturating_sub(started));
        read
    }

    /// Reads the payload of a turn. Damage is no failure; everything else that goes wrong is one.
    pub(crate) fn payload(
        &self,
        snapshot: &dyn Snapshot,
        scope: &Scope,
        turn: &Turn,
    ) -> Result<TurnPayload, EngineError> {
        TurnPayload::in_spite_of_damage(self.payload_bytes(snapshot, scope, turn))
    }

    fn payload_bytes(
        &self,
        snapshot: &dyn Snapshot,
        scope: &Scope,
        turn: &Turn,
    ) -> Result<Arc<[u8]>, EngineError> {
        let tenant = scope.tenant();
        if let Some(found) = self.payloads.get(tenant, &turn.hash) {
            return Ok(found);
        }
        let is_large = turn.payload_bytes as usize > limits::BLOB_IN_COMMIT_BYTES_MAX;
        let mut found: Option<Arc<[u8]>> = None;
        if !is_large {
            snapshot.blobs(tenant, &[turn.hash], &mut |_, bytes| found = bytes.map(Arc::from))?;
        }
        let found = match found {
            Some(found) => found,
            None => {
                let max = u64::from(turn.payload_bytes);
                Arc::from(named_blob(self.pipeline.store(), tenant, &turn.hash, max)?)
            }
        };
        self.payloads.keep(tenant, turn.hash, &found);
        Ok(found)
    }
}

impl TurnPayload {
    /// What was read, where damage is a payload that is unreadable, and other failures stay failures.
    pub(crate) fn in_spite_of_damage(
        read: Result<impl Into<Arc<[u8]>>, EngineError>,
    ) -> Result<Self, EngineError> {
        match read {
            Ok(bytes) => Ok(TurnPayload::Bytes(bytes.into())),
            Err(error) => unreadable(error).map(TurnPayload::Unreadable),
        }
    }
}

/// The reason why something is unreadable, if that is damage; every other failure stays one.
pub(crate) fn unreadable(error: EngineError) -> Result<String, EngineError> {
    if error.code() == ErrorCode::Damaged { Ok(error.to_string()) } else { Err(error) }
}

fn find(snapshot: &dyn Snapshot, scope: &Scope, window: Window) -> Result<WindowTurns, EngineError> {
    let (mut room, mut is_first, mut is_cut) = (window.bytes_max, true, false);
    let mut admit = |turn: &Turn| {
        let payload = if window.with_payload { turn.payload_bytes as usize } else { 0 };
        let left = room.checked_sub(TURN_BYTES + payload);
        let fits = left.is_some() || is_first;
        (room, is_first) = (left.unwrap_or(0), false);
        is_cut |= !fits;
        if fits { Visit::Continue } else { Visit::Stop }
    };
    let limit = window.limit.min(limits::TURNS_PAGE_MAX);
    let context = window.context;
    let (context, turns) = match window.at {
        WindowAt::Head => cairn_turns::last(snapshot, scope, context, limit, &mut admit)?,
        WindowAt::Before(turn) => cairn_turns::before(snapshot, scope, context, turn, limit, &mut admit)?,
        WindowAt::Depth(start) => cairn_turns::by_depth(snapshot, scope, context, start, limit, &mut admit)?,
    };
    // Fewer were asked of the history than the client wants, and there were as many.
    if limit < window.limit && turns.len() == limit {
        is_cut |= match window.at {
            WindowAt::Head | WindowAt::Before(_) => {
                turns.first().is_some_and(|oldest| oldest.parent != TurnId::NONE)
            }
            WindowAt::Depth(_) => turns.last().is_some_and(|newest| newest.id != context.head),
        };
    }
    let mut type_names = HashMap::new();
    for turn in &turns {
        if let Entry::Vacant(missing) = type_names.entry(turn.type_number) {
            missing.insert(cairn_turns::type_name(snapshot, scope, turn.type_number)?);
        }
    }
    Ok(WindowTurns { context, turns, type_names, is_cut })
}

/// Reads a blob that a record names: one that cannot be found is damage.
pub(crate) fn named_blob(
    store: &dyn Store,
    tenant: TenantId,
    hash: &ContentHash,
    bytes_max: u64,
) -> Result<Vec<u8>, EngineError> {
    read_whole(&*store.open_named_blob(tenant, hash)?, bytes_max, |_| Ok(()))
}

pub(crate) fn whole_blob(
    store: &dyn Store,
    tenant: TenantId,
    hash: &ContentHash,
    bytes_max: u64,
    begin: impl FnOnce(u64) -> Result<(), EngineError>,
) -> Result<Option<Vec<u8>>, EngineError> {
    let Some(reader) = store.open_blob(tenant, hash)? else { return Ok(None) };
    read_whole(&*reader, bytes_max, begin).map(Some)
}

fn read_whole(
    reader: &dyn BlobReader,
    bytes_max: u64,
    begin: impl FnOnce(u64) -> Result<(), EngineError>,
) -> Result<Vec<u8>, EngineError> {
    if reader.len() > bytes_max {
        return Err(StoreError::BlobTooLarge { bytes: reader.len(), max: bytes_max }.into());
    }
    begin(reader.len())?;
    let mut bytes = vec![0; usize::try_from(reader.len()).unwrap_or(0)];
    reader.read_at(0, &mut bytes)?;
    Ok(bytes)
}
