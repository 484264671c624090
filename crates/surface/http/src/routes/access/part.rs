//! Which part of a list is asked for.

use cairn_access::limits;
use cairn_access::registry::Page;

use crate::ApiError;
use crate::params::{Params, invalid};

/// How many are listed if nobody says.
const LIMIT: u64 = 100;

/// A part of a list.
#[derive(Debug)]
pub(super) struct Part {
    after: Option<String>,
    limit: usize,
}

impl Part {
    /// The parameters `after` and `limit`.
    pub(super) fn of(params: &Params) -> Result<Self, ApiError> {
        let after = params.text("after")?;
        if after.is_some_and(|after| after.len() > limits::USER_ID_BYTES_MAX) {
            return Err(invalid("after is the `next` of the page before").detail("parameter", "after"));
        }
        let limit = params.limit(LIMIT, limits::ACCESS_PAGE_MAX as u64)?;
        Ok(Part { after: after.map(str::to_owned), limit })
    }

    /// As the registry wants it.
    pub(super) fn page(&self) -> Page<'_> {
        Page { after: self.after.as_deref(), limit: self.limit }
    }
}
