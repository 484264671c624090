//! Reading the audit trail, newest line last.

use std::fmt;
use std::ops::Bound;
use std::str::FromStr;

use cairn_access::{Action, Principal, Resource};
use cairn_base::{Position, TenantId, prefix_end};
use cairn_seam::{KeyRange, Visit};

use super::{AuditLine, Place, bad_key, trail};
use crate::{Act, Engine, EngineError, limits, record, tables};

/// After which line to read on. Opaque; a page gives the next one. As text it passes through a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditCursor(Place);

impl AuditCursor {
    /// Before everything that happened at a time or later; nothing is before the first millisecond.
    pub fn before(ms: u64) -> Option<AuditCursor> {
        Some(AuditCursor(Place { ms: ms.checked_sub(1)?, sequence: u64::MAX }))
    }
}

impl fmt::Display for AuditCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}.{:x}", self.0.ms, self.0.sequence)
    }
}

/// The text is no cursor of a trail.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the cursor is none of the audit trail; begin without one")]
pub struct BadAuditCursor;

impl FromStr for AuditCursor {
    type Err = BadAuditCursor;

    fn from_str(text: &str) -> Result<Self, BadAuditCursor> {
        let (ms, sequence) = text.split_once('.').ok_or(BadAuditCursor)?;
        let number = |digits| u64::from_str_radix(digits, 16).map_err(|_| BadAuditCursor);
        let cursor = AuditCursor(Place { ms: number(ms)?, sequence: number(sequence)? });
        // One place has one name.
        if cursor.to_string() == text { Ok(cursor) } else { Err(BadAuditCursor) }
    }
}

/// Part of the audit trail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditPage {
    /// Lines in the order they were committed.
    pub lines: Vec<AuditLine>,
    /// Where to read on, unless this page ends the trail.
    pub next: Option<AuditCursor>,
    /// Where to read on later, also if this page ends the trail: what comes is after it.
    pub last: Option<AuditCursor>,
}

/// Which end of what was asked for a page is cut from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Oldest,
    Newest,
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
        self.audit_lines(principal, tenant, after, limit, End::Oldest)
    }

    /// The last lines of a tenant's audit trail, none of them at a cursor or before it.
    pub fn audit_newest(
        &self,
        principal: &Principal,
        tenant: TenantId,
        after: Option<AuditCursor>,
        limit: usize,
    ) -> Result<AuditPage, EngineError> {
        let page = self.audit_lines(principal, tenant, after, limit, End::Newest)?;
        Ok(AuditPage { next: None, ..page })
    }

    fn audit_lines(
        &self,
        principal: &Principal,
        tenant: TenantId,
        after: Option<AuditCursor>,
        limit: usize,
        end: End,
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
            let range = if end == End::Newest { range.descending() } else { range };
            let mut rows = Vec::new();
            snapshot.multi_scan(tables::AUDIT, &[range], &mut |_, key, value| {
                rows.push((key.to_vec(), value.to_vec()));
                Visit::Continue
            })?;
            let more = rows.len() > limit;
            rows.truncate(limit);
            if end == End::Newest {
                rows.reverse();
            }
            let last = rows.last().map(|(key, _)| Place::from_key(key)).transpose().map_err(bad_key)?;
            let last = last.map(AuditCursor);
            Ok(AuditPage {
                lines: rows.iter().map(|(_, value)| record::decode_audit(value)).collect::<Result<_, _>>()?,
                next: last.filter(|_| more),
                last: last.or(after),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_one_text_and_a_text_one_cursor() {
        for (ms, sequence) in [(0, 0), (1, 0xab), (u64::MAX, u64::MAX)] {
            let cursor = AuditCursor(Place { ms, sequence });
            assert_eq!(cursor.to_string().parse(), Ok(cursor));
        }
        for bad in ["", ".", "1", "1.", ".1", "1.1.1", "A.0", "01.0", "1.+1", " 1.1", "1.10000000000000000"] {
            assert_eq!(bad.parse::<AuditCursor>(), Err(BadAuditCursor), "{bad:?}");
        }
        assert_eq!(AuditCursor::before(0), None);
        assert_eq!(
            AuditCursor::before(16).map(|cursor| cursor.to_string()),
            Some(format!("f.{:x}", u64::MAX))
        );
    }
}
