//! What a list of contexts is narrowed down to, in the query of a request.

use cairn_base::ContextId;
use cairn_turns::query::{Filters, parse_time};

use crate::ApiError;
use crate::params::{Params, invalid, number};

/// The filters of a request.
pub(super) fn filters(params: &Params, now_ms: u64) -> Result<Filters, ApiError> {
    let text = |name: &str| params.text(name).map(|text| text.map(str::to_owned));
    let context = |name: &str| params.number(name).map(|id| id.map(ContextId));
    Ok(Filters {
        tag: tag(params)?,
        label: text("label")?,
        title: text("title")?,
        user: text("user")?,
        service: text("service")?,
        host: text("host")?,
        trace_id: text("trace_id")?,
        parent: context("parent")?,
        root: context("root")?,
        created_after_ms: time(params, "created_after", now_ms)?,
        created_before_ms: time(params, "created_before", now_ms)?,
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

/// A time: Unix milliseconds, or in words.
fn time(params: &Params, name: &str, now_ms: u64) -> Result<Option<i64>, ApiError> {
    let Some(text) = params.text(name)? else { return Ok(None) };
    let ms = number(name, text).ok().and_then(|ms| i64::try_from(ms).ok());
    let time = ms.or_else(|| parse_time(text, now_ms));
    time.map(Some).ok_or_else(|| {
        let message = format!(
            "{name} is Unix milliseconds, a time as in 2026-01-31T12:00:00Z, a day, or one of -7d, -24h and -30m"
        );
        invalid(message).detail("parameter", name)
    })
}
