//! Reading the audit trail, newest line last.

use std::ops::Bound;

use cairn_access::{Action, Principal, Resource};
use cairn_base::{Position, TenantId, limits, prefix_end};
use cairn_seam::{KeyRange, Visit};

use super::{AuditLine, Place, bad_key, trail};
use crate::{Act, Engine, EngineError, record, tables};

/// After which line to read on. Opaque; [`AuditPage::next`] gives the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditCursor(Place);

/// Part of the audit trail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditPage {
    /// Lines in the order they were committed.
    pub lines: Vec<AuditLine>,
    /// Where to read on, unless this page ends the trail.
    pub next: Option<AuditCursor>,
}

impl Engine {
    /// Lines of a tenant's audit trail after a cursor, at most `limit` and at most `AUDIT_PAGE_MAX`.
    pub fn audit_page(
        &self,
        principal: &Principal,
        tenant: TenantId,
        after: Option<AuditCursor>,
        limit: usize,
    ) -> Result<AuditPage, EngineError> {
        let limit = limit.clamp(1, limits::AUDIT_PAGE_MAX);
        let act = Act::new(Action::AuditRead, Resource::tenant(tenant));
        self.read(principal, act, Position::START, |snapshot, scope| {
            let prefix = trail(scope.tenant());
            let low = match after {
                Some(AuditCursor(place)) => Bound::Excluded(place.key(scope.tenant()).into_vec()),
                None => Bound::Included(prefix.to_vec()),
            };
            let high = prefix_end(&prefix).map_or(Bound::Unbounded, Bound::Excluded);
            // One more than asked for tells whether there is more.
            let range = KeyRange::new(low, high).limit(limit + 1);
            let mut rows = Vec::new();
            snapshot.multi_scan(tables::AUDIT, &[range], &mut |_, key, value| {
                rows.push((key.to_vec(), value.to_vec()));
                Visit::Continue
            })?;
            let more = rows.len() > limit;
            rows.truncate(limit);
            let last = rows.last().filter(|_| more).map(|(key, _)| Place::from_key(key));
            Ok(AuditPage {
                lines: rows.iter().map(|(_, value)| record::decode_audit(value)).collect::<Result<_, _>>()?,
                next: last.transpose().map_err(bad_key)?.map(AuditCursor),
            })
        })
    }
}
