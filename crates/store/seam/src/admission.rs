//! What a transaction may do: the rules and the counting that are the same in every store.

use std::cell::RefCell;
use std::ops::Bound;

use cairn_base::{TenantId, prefix_end};

use crate::{Blob, Event, KeyRange, StoreError, limits};

/// Bytes a blob's name adds to a commit.
const HASH_BYTES: usize = 32;

/// Checks every call of one run of a transaction, and counts what it changes.
///
/// Each call that changes something is one change, also when it repeats an earlier one; its bytes
/// are those of key and value (of name and content for a blob, of the body for an event).
///
/// The first error handed to the closure dooms the transaction: a closure that overlooks it and
/// returns `Ok` must not commit the half that went well.
#[derive(Debug)]
pub struct Admission {
    tenant: TenantId,
    first: [u8; 4],
    bytes: usize,
    changes: usize,
    refusal: RefCell<Option<StoreError>>,
}

impl Admission {
    /// For one run of a transaction of `tenant`.
    pub fn new(tenant: TenantId) -> Self {
        let first = tenant.0.to_be_bytes();
        Admission { tenant, first, bytes: 0, changes: 0, refusal: RefCell::new(None) }
    }

    /// The tenant the transaction stays inside.
    pub fn tenant(&self) -> TenantId {
        self.tenant
    }

    /// Whether nothing has been changed so far.
    pub fn is_unchanged(&self) -> bool {
        self.changes == 0
    }

    /// How many changes were counted.
    pub fn changes(&self) -> usize {
        self.changes
    }

    /// How many bytes were counted.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Remembers an error on its way to the closure.
    pub fn note<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        if let Err(error) = &result {
            self.refusal.borrow_mut().get_or_insert_with(|| error.clone());
        }
        result
    }

    /// The first error the closure was handed, if any: then nothing may be kept.
    pub fn verdict(&self) -> Result<(), StoreError> {
        self.refusal.borrow().clone().map_or(Ok(()), Err)
    }

    /// Whether a key of an ordered keyspace may be read or written.
    pub fn key(&self, key: &[u8]) -> Result<(), StoreError> {
        if !(limits::KEY_BYTES_MIN..=limits::KEY_BYTES_MAX).contains(&key.len()) {
            return Err(StoreError::KeyLength { bytes: key.len() });
        }
        if key.starts_with(&self.first) { Ok(()) } else { Err(StoreError::ForeignTenant) }
    }

    /// Whether a tenant named in a read is the transaction's own.
    pub fn same_tenant(&self, tenant: TenantId) -> Result<(), StoreError> {
        if tenant == self.tenant { Ok(()) } else { Err(StoreError::ForeignTenant) }
    }

    /// The range with open ends replaced by the ends of the tenant; both bounds must lie inside it.
    ///
    /// The end of the tenant itself, excluded, is inside: that is how the range of a prefix ends.
    pub fn range(&self, range: &KeyRange) -> Result<KeyRange, StoreError> {
        let end = prefix_end(&self.first);
        let low = match &range.low {
            Bound::Unbounded => Bound::Included(self.first.to_vec()),
            Bound::Included(key) | Bound::Excluded(key) if key.starts_with(&self.first) => range.low.clone(),
            Bound::Included(_) | Bound::Excluded(_) => return Err(StoreError::ForeignTenant),
        };
        let high = match &range.high {
            Bound::Unbounded => end.map_or(Bound::Unbounded, Bound::Excluded),
            Bound::Included(key) | Bound::Excluded(key) if key.starts_with(&self.first) => range.high.clone(),
            Bound::Excluded(key) if Some(key) == end.as_ref() => range.high.clone(),
            Bound::Included(_) | Bound::Excluded(_) => return Err(StoreError::ForeignTenant),
        };
        Ok(KeyRange { low, high, order: range.order, limit: range.limit })
    }

    /// Admits a put.
    pub fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.key(key)?;
        check_value(value)?;
        self.charge(key.len() + value.len())
    }

    /// Admits the deletion of one key.
    pub fn delete(&mut self, key: &[u8]) -> Result<(), StoreError> {
        self.key(key)?;
        self.charge(key.len())
    }

    /// Admits an entry of a hashed keyspace. Its key carries no tenant and may be short, not empty.
    pub fn hashed_put(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        if !(1..=limits::KEY_BYTES_MAX).contains(&key.len()) {
            return Err(StoreError::KeyLength { bytes: key.len() });
        }
        if value.len() > limits::HASHED_VALUE_BYTES_MAX {
            return Err(StoreError::HashedValueTooLarge { bytes: value.len() });
        }
        self.charge(key.len() + value.len())
    }

    /// Admits a blob that the tenant does not have yet.
    pub fn blob(&mut self, blob: &Blob) -> Result<(), StoreError> {
        // Those in a place of their own are no part of the commit.
        self.charge(HASH_BYTES + blob.bytes().map_or(0, <[u8]>::len))
    }

    /// Admits an event.
    pub fn event(&mut self, event: &Event) -> Result<(), StoreError> {
        if event.body.len() > limits::EVENT_BYTES_MAX {
            return Err(StoreError::ValueTooLarge { bytes: event.body.len() });
        }
        self.charge(event.body.len())
    }

    fn charge(&mut self, bytes: usize) -> Result<(), StoreError> {
        if self.changes >= limits::COMMIT_CHANGES_MAX || bytes > limits::COMMIT_BYTES_MAX - self.bytes {
            return Err(StoreError::CommitTooLarge);
        }
        self.changes += 1;
        self.bytes += bytes;
        Ok(())
    }
}

fn check_value(value: &[u8]) -> Result<(), StoreError> {
    if value.len() > limits::VALUE_BYTES_MAX {
        return Err(StoreError::ValueTooLarge { bytes: value.len() });
    }
    Ok(())
}

/// Whether an entry of a hashed keyspace is gone: from `expires_at_ms` on it is.
pub fn is_expired(expires_at_ms: Option<u64>, now_ms: u64) -> bool {
    expires_at_ms.is_some_and(|expires| now_ms >= expires)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Bounds = (Bound<Vec<u8>>, Bound<Vec<u8>>);

    fn clamped(tenant: u32, low: Bound<&[u8]>, high: Bound<&[u8]>) -> Option<Bounds> {
        let range = KeyRange::new(low.map(<[u8]>::to_vec), high.map(<[u8]>::to_vec));
        Admission::new(TenantId(tenant)).range(&range).ok().map(|range| (range.low, range.high))
    }

    #[test]
    fn ranges_are_clamped_to_the_tenant_and_refused_outside_of_it() {
        use Bound::{Excluded, Included, Unbounded};
        let whole = Some((Included(vec![0, 0, 0, 255]), Excluded(vec![0, 0, 1])));
        assert_eq!(clamped(255, Unbounded, Unbounded), whole);
        assert_eq!(clamped(255, Included(&[0, 0, 0, 255]), Excluded(&[0, 0, 1])), whole);
        assert_eq!(
            clamped(u32::MAX, Unbounded, Unbounded),
            Some((Included(vec![255; 4]), Unbounded)),
            "the last tenant ends where everything ends"
        );
        for (low, high) in [
            (Included(&[0, 0, 0, 254][..]), Unbounded),
            (Excluded(&[0, 0, 0][..]), Unbounded),
            (Unbounded, Included(&[0, 0, 1][..])),
            (Unbounded, Excluded(&[0, 0, 1, 0][..])),
            (Unbounded, Included(&[][..])),
        ] {
            assert_eq!(clamped(255, low, high), None, "{low:?} {high:?}");
        }
    }

    #[test]
    fn the_first_error_is_the_verdict() {
        let admission = Admission::new(TenantId(1));
        assert!(admission.verdict().is_ok());
        assert!(admission.note(admission.key(&[0, 0, 0])).is_err());
        assert!(admission.note(admission.key(&[0, 0, 0, 2])).is_err());
        assert!(matches!(admission.verdict(), Err(StoreError::KeyLength { bytes: 3 })));
    }
}
