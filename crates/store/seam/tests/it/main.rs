//! The contract on the stores of this crate, and what only the faulty one does.

mod counting;
mod faulty;
mod faulty_without_faults;
mod memory;
mod strided;
mod subject;
