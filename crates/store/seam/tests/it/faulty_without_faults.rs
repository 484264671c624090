//! A faulty store without faults keeps the contract of the store inside.

use crate::subject::InMemory;

cairn_seam::contract_tests!(InMemory::wrapped);

#[test]
fn the_list_runs_as_a_whole_too() {
    assert!(cairn_seam::contract::ALL.len() > 50);
    let cheap = cairn_seam::contract::ALL.iter().filter(|contract| contract.topic == "order");
    cheap.for_each(|contract| (contract.run)(&InMemory::wrapped));
}
