//! Hashed keyspaces: one entry per key, no versions, swept when expired.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use cairn_base::TenantId;

use super::table::Bytes;
use crate::is_expired;

/// Keyspace, tenant and key of an entry.
pub(super) type Name = (u16, TenantId, Bytes);

/// What stands under a name.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// The value.
    pub(super) value: Bytes,
    /// When it is gone, in Unix milliseconds.
    pub(super) expires_at_ms: Option<u64>,
}

impl Entry {
    /// The value, unless its time is over.
    pub(super) fn alive(&self, now_ms: u64) -> Option<Bytes> {
        (!is_expired(self.expires_at_ms, now_ms)).then(|| Arc::clone(&self.value))
    }
}

/// All hashed keyspaces.
#[derive(Debug, Default)]
pub(super) struct Hashed {
    entries: HashMap<Name, Entry>,
    /// What expires, soonest first.
    expiring: BTreeSet<(u64, Name)>,
}

impl Hashed {
    /// The entry under a name, if it has not expired.
    pub(super) fn get(&self, name: &Name, now_ms: u64) -> Option<Bytes> {
        self.entries.get(name)?.alive(now_ms)
    }

    /// Sets an entry.
    pub(super) fn set(&mut self, name: Name, entry: Entry) {
        if let Some(expires) = entry.expires_at_ms {
            self.expiring.insert((expires, name.clone()));
        }
        let expires = entry.expires_at_ms;
        let before = self.entries.insert(name.clone(), entry).and_then(|before| before.expires_at_ms);
        if let Some(before) = before.filter(|_| before != expires) {
            self.expiring.remove(&(before, name));
        }
    }

    /// Drops what has expired and says how many entries that were.
    pub(super) fn sweep(&mut self, now_ms: u64) -> usize {
        let mut swept = 0;
        while self.expiring.first().is_some_and(|(expires, _)| is_expired(Some(*expires), now_ms)) {
            let Some((_, name)) = self.expiring.pop_first() else { break };
            self.entries.remove(&name);
            swept += 1;
        }
        swept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweeping_takes_what_expired_and_spares_what_was_set_anew() {
        let mut hashed = Hashed::default();
        let name = |key: &str| (1, TenantId(1), Bytes::from(key.as_bytes()));
        let entry = |expires_at_ms| Entry { value: Bytes::from(&b"v"[..]), expires_at_ms };
        hashed.set(name("gone"), entry(Some(10)));
        hashed.set(name("later"), entry(Some(10)));
        hashed.set(name("later"), entry(Some(20)));
        hashed.set(name("for ever"), entry(Some(10)));
        hashed.set(name("for ever"), entry(None));
        hashed.set(name("same"), entry(Some(10)));
        hashed.set(name("same"), entry(Some(10)));
        assert_eq!(hashed.sweep(9), 0);
        assert_eq!(hashed.sweep(10), 2);
        assert_eq!((hashed.entries.len(), hashed.expiring.len()), (2, 1));
        assert_eq!(hashed.sweep(20), 1);
        assert_eq!(hashed.get(&name("for ever"), u64::MAX), Some(Bytes::from(&b"v"[..])));
    }
}
