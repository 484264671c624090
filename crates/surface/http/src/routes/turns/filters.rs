//! What a list of contexts is narrowed down to, in the query of a request.

use cairn_base::ContextId;
use cairn_turns::query::Filters;

use crate::ApiError;
use crate::params::{Params, invalid};

/// The filters of a request.
pub(super) fn filters(params: &Params, now_ms: u64) -> Result<Filters, ApiError> {
    let text = |name: &str| params.text(name).map(|text| text.map(str::to_owned));
    let context = |name: &str| params.number(name).map(|id| id.map(ContextId));
    Ok(Filters {
        tag: tag(params)?,
        live: Vec::new(),
        label: text("label")?,
        title: text("title")?,
        user: text("user")?,
        service: text("service")?,
        host: text("host")?,
        trace_id: text("trace_id")?,
        parent: context("parent")?,
        root: context("root")?,
        created_after_ms: params.time("created_after", now_ms)?,
        created_before_ms: params.time("created_before", now_ms)?,
    })
}

/// The client's tag goes by two names.
fn tag(params: &Params) -> Result<Option<String>, ApiError> {
    match (params.text("tag")?, params.text("client")?) {
        (Some(tag), Some(client)) if tag != client => {
            Err(invalid("tag and client name the same thing, and differ").detail("parameter", "client"))
        }
        (tag, client) => Ok(tag.or(client).map(str::to_owned)),
    }
}
