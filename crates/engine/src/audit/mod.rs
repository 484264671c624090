//! The audit trail: who did what, and who was not allowed to.
//!
//! An administrative act leaves its line in the transaction that does it; one that is more than a transaction
//! leaves a line before it begins and another when it ended. A refused act leaves one in
//! a transaction of its own, in the trail of the tenant that asked (nobody writes into the trail of
//! another), at most `AUDIT_REFUSALS_MAX` per `AUDIT_REFUSALS_EVERY` and tenant: a flood of refusals
//! grows the store no faster than that, and the next line says how many left none.
//!
//! Lines are keyed (tenant, no space, milliseconds, sequence). A key is always greater than the last
//! one, also when the clock was set back, so the order of keys is the order of commits.

mod page;
mod refusals;

use cairn_access::{Action, Principal, RefusalReason, Resource};
use cairn_base::{ErrorCode, KeyBuf, KeyDecodeError, KeyReader, SpaceId, TenantId};
use cairn_seam::{KeyRange, Reader, Visit, WriteTx};

pub use page::{AuditCursor, AuditPage, BadAuditCursor};
pub(crate) use refusals::Refusals;

use crate::{Act, EngineError, limits, record, tables};

/// One line of the audit trail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditLine {
    /// When, by the node's clock, in Unix milliseconds.
    pub at_ms: u64,
    /// Who: the principal's user id.
    pub actor: String,
    /// What.
    pub action: Action,
    /// On what.
    pub resource: Resource,
    /// The name of the thing acted on; empty if there is none.
    pub subject: String,
    /// What became of it.
    pub outcome: AuditOutcome,
}

/// What became of an act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditOutcome {
    /// It was done: in the transaction that holds this line, or since the line that says that it was begun.
    Done,
    /// It was refused.
    Refused {
        /// Why.
        reason: RefusalReason,
        /// Refusals of this tenant since the line before that left no line of their own.
        unrecorded: u32,
    },
    /// It begins, and takes more than a transaction. If no line about its end comes after this one, it goes
    /// on or died with the process, and part of it may have been done.
    Begun,
    /// It failed; part of it may have been done.
    Failed {
        /// With what.
        code: ErrorCode,
    },
    /// Somebody stopped it; part of it may have been done.
    Stopped,
}

impl AuditOutcome {
    /// What people and programs read.
    pub fn name(self) -> &'static str {
        match self {
            AuditOutcome::Done => "done",
            AuditOutcome::Refused { .. } => "refused",
            AuditOutcome::Begun => "begun",
            AuditOutcome::Failed { .. } => "failed",
            AuditOutcome::Stopped => "stopped",
        }
    }
}

impl AuditLine {
    pub(crate) fn new(at_ms: u64, principal: &Principal, act: &Act, outcome: AuditOutcome) -> Self {
        AuditLine {
            at_ms,
            actor: cut(principal.user_id()),
            action: act.action(),
            resource: act.resource(),
            subject: cut(act.subject()),
            outcome,
        }
    }
}

/// Adds a line to the trail of the transaction's tenant.
pub(crate) fn append(tx: &mut dyn WriteTx, line: &AuditLine) -> Result<(), EngineError> {
    let place = match last_place(tx, tx.tenant())? {
        Some(last) if last.ms >= line.at_ms => Place { sequence: last.sequence + 1, ..last },
        Some(_) | None => Place { ms: line.at_ms, sequence: 0 },
    };
    Ok(tx.put(tables::AUDIT, &place.key(tx.tenant()), &record::encode_audit(line))?)
}

/// Where in the trail a line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    ms: u64,
    sequence: u64,
}

impl Place {
    fn key(self, tenant: TenantId) -> KeyBuf {
        trail(tenant).u64(self.ms).u64(self.sequence)
    }

    fn from_key(key: &[u8]) -> Result<Place, KeyDecodeError> {
        let mut parts = KeyReader::new(key);
        parts.tenant()?;
        parts.space()?;
        let place = Place { ms: parts.u64()?, sequence: parts.u64()? };
        parts.finish()?;
        Ok(place)
    }
}

fn trail(tenant: TenantId) -> KeyBuf {
    KeyBuf::new().tenant(tenant).space(SpaceId::NONE)
}

fn last_place<R: Reader + ?Sized>(reader: &R, tenant: TenantId) -> Result<Option<Place>, EngineError> {
    let mut last = None;
    let range = KeyRange::prefix(&trail(tenant)).descending().limit(1);
    reader.multi_scan(tables::AUDIT, &[range], &mut |_, key, _| {
        last = Some(Place::from_key(key));
        Visit::Stop
    })?;
    last.transpose().map_err(bad_key)
}

fn bad_key(error: KeyDecodeError) -> EngineError {
    EngineError::BadRecord { what: "audit key", detail: error.to_string() }
}

/// Names come from outside: a line keeps the beginning.
fn cut(name: &str) -> String {
    name[..name.floor_char_boundary(limits::AUDIT_NAME_BYTES_MAX)].to_owned()
}
