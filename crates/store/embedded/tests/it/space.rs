//! A disk that fills up.

use std::sync::Arc;

use cairn_base::fs::SimulatedFs;
use cairn_embedded::{EmbeddedOptions, EmbeddedStore};
use cairn_seam::{Health, Store, StoreError};

use crate::kit::{DIR, small_options};
use crate::workload::Workload;

#[test]
fn below_the_reserve_nothing_is_written_and_writing_resumes_by_itself() {
    let fs = SimulatedFs::new(1);
    let options = EmbeddedOptions { reserve_bytes: 1 << 20, ..small_options(Arc::new(fs.clone()), 1) };
    let store = Arc::new(EmbeddedStore::open(DIR.as_ref(), options).unwrap());
    let mut workload = Workload::new(1);
    workload.commit_some(&store).unwrap();
    fs.set_free_bytes((1 << 20) - 1);
    let before = fs.operations();
    let error = workload.commit_some(&store).unwrap_err();
    assert!(matches!(error, StoreError::StorageFull { .. }), "{error}");
    assert_eq!(fs.operations(), before, "the disk was not touched");
    assert!(matches!(store.health(), Health::Full { .. }));
    workload.check(&store);
    fs.set_free_bytes(1 << 30);
    workload.commit_some(&store).unwrap();
    assert_eq!(store.health(), Health::Serving);
    workload.check(&store);
}
