//! A transaction stays inside one tenant.

use std::ops::Bound;

use cairn_base::{ContentHash, TenantId};

use super::kit::{THEM, US, commit_for, key, key_of, now, put, refused, scan, texts, try_scan};
use super::{Make, RECORDS, SEEN};
use crate::{KeyRange, StoreError, WriteTx};

type Call = fn(&mut dyn WriteTx) -> Result<(), StoreError>;

/// No key of another tenant can be put or removed.
pub fn writes_stay_inside_the_tenant(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    put(&*store, &[("k", "1")]);
    commit_for(&*store, THEM, |tx| tx.put(RECORDS, &key_of(THEM, "k"), b"1"));
    let calls: [(&str, Call); 6] = [
        ("put", |tx| tx.put(RECORDS, &key_of(THEM, "k"), b"2")),
        ("put of the tenant alone", |tx| tx.put(RECORDS, &key_of(THEM, ""), b"2")),
        ("delete", |tx| tx.delete(RECORDS, &key_of(THEM, "k"))),
        ("delete_range of theirs", |tx| {
            tx.delete_range(RECORDS, &KeyRange::prefix(&key_of(THEM, ""))).map(|_| ())
        }),
        ("delete_range into theirs", |tx| {
            let range = KeyRange::new(Bound::Included(key("k")), Bound::Included(key_of(THEM, "k")));
            tx.delete_range(RECORDS, &range).map(|_| ())
        }),
        ("delete_range from before", |tx| {
            let range = KeyRange::new(Bound::Included(key_of(TenantId(6), "k")), Bound::Included(key("k")));
            tx.delete_range(RECORDS, &range).map(|_| ())
        }),
    ];
    for (name, call) in calls {
        let error = refused(&*store, move |tx| {
            tx.put(RECORDS, &key("refused"), b"")?;
            call(tx)
        });
        assert!(matches!(error, StoreError::ForeignTenant), "{name}: {error}");
    }
    assert_eq!(texts(&*now(&*store)), ["k=1"]);
    assert_eq!(scan(&*now(&*store), RECORDS, &KeyRange::prefix(&key_of(THEM, ""))).len(), 1);
}

/// Nor can a transaction read what belongs to another tenant, by whichever way.
pub fn reads_of_a_transaction_stay_inside_the_tenant(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    commit_for(&*store, THEM, |tx| {
        tx.put(RECORDS, &key_of(THEM, "k"), b"1")?;
        tx.hashed_put(SEEN, b"k", b"1", None)
    });
    let calls: [(&str, Call); 6] = [
        ("multi_get", |tx| {
            let (ours, theirs) = (key("k"), key_of(THEM, "k"));
            tx.multi_get(RECORDS, &[&ours, &theirs], &mut |index, value| {
                assert!(index == 0 || value.is_none(), "a foreign value was handed out");
            })
        }),
        ("multi_scan of theirs", |tx| {
            try_scan(&*tx, RECORDS, &KeyRange::prefix(&key_of(THEM, ""))).map(|_| ())
        }),
        ("multi_scan into theirs", |tx| {
            let range = KeyRange::new(Bound::Included(key("k")), Bound::Included(key_of(THEM, "")));
            try_scan(&*tx, RECORDS, &range).map(|_| ())
        }),
        ("multi_scan backwards from theirs", |tx| {
            let range = KeyRange::new(Bound::Unbounded, Bound::Excluded(key_of(THEM, "k")));
            try_scan(&*tx, RECORDS, &range.descending()).map(|_| ())
        }),
        ("hashed_get", |tx| tx.hashed_get(SEEN, THEM, &[b"k"], &mut |_, _| {})),
        ("blobs", |tx| tx.blobs(THEM, &[ContentHash::of(b"")], &mut |_, _| {})),
    ];
    for (name, call) in calls {
        let error = refused(&*store, call);
        assert!(matches!(error, StoreError::ForeignTenant), "{name}: {error}");
    }
}

/// An open end, or the end of the tenant's prefix, is the end of the tenant: also for the first and
/// the last there is, and for one whose successor carries over.
pub fn open_ranges_end_with_the_tenant(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    let tenants = [0, 1, 6, 7, 8, 254, 255, 256, 0xff_ffff, 0x100_0000, u32::MAX - 1, u32::MAX].map(TenantId);
    for tenant in tenants {
        commit_for(&*store, tenant, move |tx| {
            assert_eq!(tx.tenant(), tenant);
            tx.put(RECORDS, &key_of(tenant, ""), b"")?;
            tx.put(RECORDS, &key_of(tenant, [0xff; 20]), b"")
        });
    }
    for tenant in tenants {
        let own = [key_of(tenant, ""), key_of(tenant, [0xff; 20])];
        commit_for(&*store, tenant, move |tx| {
            for range in
                [KeyRange::new(Bound::Unbounded, Bound::Unbounded), KeyRange::prefix(&key_of(tenant, ""))]
            {
                let found: Vec<_> = scan(&*tx, RECORDS, &range).into_iter().map(|(key, _)| key).collect();
                assert_eq!(found, own, "ascending");
                let found = scan(&*tx, RECORDS, &range.descending());
                assert!(found.iter().map(|(key, _)| key).eq(own.iter().rev()), "descending");
            }
            Ok(())
        });
    }
    commit_for(&*store, US, |tx| {
        let open = KeyRange::new(Bound::Unbounded, Bound::Unbounded);
        assert_eq!(tx.delete_range(RECORDS, &open)?, 2);
        Ok(())
    });
    let everything = KeyRange::new(Bound::Unbounded, Bound::Unbounded);
    assert_eq!(scan(&*now(&*store), RECORDS, &everything).len(), 2 * (tenants.len() - 1));
}
