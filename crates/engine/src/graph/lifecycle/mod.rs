//! Spaces that come and go as a whole: copied under another name, and deleted.
//!
//! Both take more than one transaction, and only one of these shows: a copy appears with the transaction that gives it
//! its name, and a deleted space disappears with the one that takes it. Everything else is tidied up by upkeep, also
//! after the end of the process.

mod changed;
mod copy;
mod delete;
mod replace;
mod tidy;

pub(crate) use self::changed::Copies;
pub(crate) use self::replace::Staging;
use crate::EngineError;

/// Fails with [`EngineError::ManagedSpace`] if a space of this name is written by the knowledge base alone.
pub(crate) fn check_not_managed(name: &str) -> Result<(), EngineError> {
    if cairn_graph::spaces::managed(name) {
        return Err(EngineError::ManagedSpace { name: name.to_owned() });
    }
    Ok(())
}
