//! Reading what is left of a damaged log.
//!
//! [`read_around`] reads every run of a segment around damage.

mod around;

pub(crate) use around::Lost;
pub(crate) use around::{Around, RunAround, read_around};
