//! The memory store keeps the contract.

cairn_seam::contract_tests!(crate::subject::InMemory::plain);
