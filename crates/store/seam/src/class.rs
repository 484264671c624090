//! Which transactions a store takes while its disk is nearly full.

use crate::{Admission, StoreError, limits};

/// What a transaction may use of a disk that is nearly full.
///
/// With enough room all classes are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum WriteClass {
    /// Refused with [`StoreError::StorageFull`].
    #[default]
    Ordinary,
    /// Taken from the first half of the reserve: deletions, and notes that security depends on.
    Reserve,
    /// Taken from all of the reserve: what takes access away. No number of other acts can prevent it.
    Vital,
}

impl WriteClass {
    /// Whether the class may use the reserve at all.
    pub fn may_use_reserve(self) -> bool {
        self != WriteClass::Ordinary
    }

    /// Bytes of keys and values of one transaction that may come from the reserve.
    pub fn bytes_max(self) -> usize {
        match self {
            WriteClass::Ordinary => 0,
            WriteClass::Reserve => limits::RESERVE_COMMIT_BYTES_MAX,
            WriteClass::Vital => limits::VITAL_COMMIT_BYTES_MAX,
        }
    }

    /// Whether a transaction is small enough to come from the reserve; fails with
    /// [`StoreError::ReserveExceeded`] if it is not.
    pub fn check(self, transaction: &Admission) -> Result<(), StoreError> {
        let (bytes, bytes_max) = (transaction.bytes(), self.bytes_max());
        if bytes > bytes_max || transaction.changes() > limits::RESERVE_COMMIT_CHANGES_MAX {
            return Err(StoreError::ReserveExceeded { bytes, changes: transaction.changes(), bytes_max });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use cairn_base::TenantId;

    use super::*;

    fn transaction(changes: usize, value_bytes: usize) -> Admission {
        let mut admission = Admission::new(TenantId(0));
        for _ in 0..changes {
            admission.put(&[0; 4], &vec![0; value_bytes]).unwrap();
        }
        admission
    }

    #[test]
    fn each_class_is_taken_at_its_limits_and_not_past_them() {
        let check = |class: WriteClass, changes, value_bytes, is_taken: bool| {
            let checked = class.check(&transaction(changes, value_bytes));
            assert_eq!(checked.is_ok(), is_taken, "{class:?} {changes} {value_bytes}: {checked:?}");
        };
        check(WriteClass::Reserve, 16, (64 << 10) - 4, true);
        check(WriteClass::Reserve, 17, (64 << 10) - 4, false);
        check(WriteClass::Reserve, limits::RESERVE_COMMIT_CHANGES_MAX, 0, true);
        check(WriteClass::Reserve, limits::RESERVE_COMMIT_CHANGES_MAX + 1, 0, false);
        check(WriteClass::Vital, 16, (4 << 10) - 4, true);
        check(WriteClass::Vital, 16, (4 << 10) - 3, false);
        check(WriteClass::Ordinary, 1, 0, false);
    }
}
