//! What expressions read of elements: `?v.name`, `?v.attributes.key`.
//!
//! Whatever is missing is null: a key that is absent, a field of the other kind of element, and every field of
//! a variable that is bound to nothing or to the name of a predicate.

mod field;
mod link_text;
mod records;
mod scanned;
mod size;

use std::borrow::Cow;

use cairn_base::Value;

pub(crate) use field::{Field, FieldOf, check_count};
pub(crate) use records::Records;
pub(crate) use scanned::Scanned;
pub(crate) use size::value_bytes;

use crate::Result;
use crate::cell::Cell;

/// Where values of fields come from.
pub(crate) trait Fields {
    /// The value of a field of a row.
    fn value(&self, row: &[Cell], of: &FieldOf) -> Result<Cow<'_, Value>>;
}
