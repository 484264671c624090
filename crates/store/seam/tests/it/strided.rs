//! The contract on a memory store whose positions advance by random strides: nothing follows from the
//! distance between two of them.

use std::sync::Arc;

use cairn_base::{ManualClock, TenantId};
use cairn_seam::contract::RECORDS;
use cairn_seam::{MemoryStore, StoreError, write};

use crate::subject::InMemory;

cairn_seam::contract_tests!(InMemory::strided);

#[test]
fn strides_differ_and_come_again_with_their_seed() {
    let positions = |seed| {
        let store = MemoryStore::new(Arc::new(ManualClock::new(0))).with_strides(seed);
        let put =
            || write::<_, StoreError>(&store, TenantId(1), |tx| tx.put(RECORDS, &[0, 0, 0, 1, 0], b"v"));
        (0..100).map(|_| put().expect("it is written").1.to_stored()).collect::<Vec<_>>()
    };
    let all = positions(7);
    assert_eq!(all, positions(7));
    assert_ne!(all, positions(8));
    let mut strides: Vec<u64> = all.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(all.is_sorted() && strides.iter().all(|stride| *stride > 0));
    strides.sort_unstable();
    strides.dedup();
    assert!(strides.len() > 50, "{} different strides", strides.len());
}
