//! A counting store keeps the contract of the store inside, and counts calls and not keys.

use std::sync::Arc;

use cairn_base::{ContentHash, ManualClock, Position, TenantId};
use cairn_seam::contract::{RECORDS, SEEN};
use cairn_seam::{CountingStore, KeyRange, MemoryStore, Read, Store, StoreError, Visit, read_all, write};

use crate::subject::InMemory;

cairn_seam::contract_tests!(InMemory::counted);

#[test]
fn every_call_is_one_round_however_many_keys_it_is_for() {
    let key: &[u8] = &[0, 0, 0, 1, b'a'];
    let tenant = TenantId(1);
    let store = CountingStore::new(Arc::new(MemoryStore::new(Arc::new(ManualClock::new(0)))));
    let view = store.snapshot(Position::START).expect("it is open");
    view.multi_get(RECORDS, &[key, key], &mut |_, _| {}).expect("it is read");
    view.multi_scan(RECORDS, &[KeyRange::prefix(key)], &mut |_, _, _| Visit::Stop).expect("it is read");
    view.hashed_get(SEEN, tenant, &[key], &mut |_, _| {}).expect("it is read");
    view.blobs(tenant, &[ContentHash::of(key)], &mut |_, _| {}).expect("it is read");
    read_all(&*view, &[Read::Key(RECORDS, key), Read::Hashed(SEEN, tenant, key)]).expect("it is read");
    let (records, seen) = (RECORDS.name, SEEN.name);
    let expected = [
        format!("get 2 of {records}"),
        format!("scan 1 of {records}"),
        format!("get 1 of {seen}"),
        "get 1 of blobs".to_owned(),
        format!("read 2 of {records}, {seen}"),
    ];
    assert_eq!(store.take_rounds(), expected);
    let body = move |tx: &mut dyn cairn_seam::WriteTx| {
        cairn_seam::get(&*tx, RECORDS, key)?;
        tx.put(RECORDS, key, b"value")
    };
    write::<_, StoreError>(&store, tenant, body).expect("it is written");
    assert_eq!(store.take_rounds(), [format!("get 1 of {records}")]);
    assert!(store.take_rounds().is_empty());
}
