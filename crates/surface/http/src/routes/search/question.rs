//! What a request asks for.

use cairn_base::{ContextId, TenantId, time_span};
use cairn_engine::{SearchIn, SearchQuestion};

use super::cursor::{Cursor, fingerprint};
use crate::params::{Params, invalid};
use crate::{ApiError, limits};

/// How a unit is written; the first is what counts when nothing is said.
const UNITS: &[(&str, SearchIn)] = &[
    ("auto", SearchIn::Auto),
    ("turns", SearchIn::Turns),
    ("windows", SearchIn::Windows),
    ("contexts", SearchIn::Contexts),
    ("artifacts", SearchIn::Artifacts),
];

/// Parameters that make a search what it is: a cursor belongs to one search.
const IDENTITY: [&str; 8] = ["q", "in", "type", "context_id", "since", "until", "recency", "limit"];

/// A question, and what its cursors are recognised by.
pub(super) struct Asked {
    pub(super) question: SearchQuestion,
    fingerprint: [u8; 8],
}

impl Asked {
    pub(super) fn from_wire(params: &Params, tenant: TenantId, now_ms: u64) -> Result<Self, ApiError> {
        let text = params.text("q")?.filter(|text| !text.trim().is_empty());
        let text = text.ok_or_else(|| invalid("q, what to look for, is missing").detail("parameter", "q"))?;
        let mut question = SearchQuestion {
            tenant,
            text: text.to_owned(),
            search_in: params.choice("in", UNITS)?,
            kinds: kinds(params)?,
            context: params.number("context_id")?.map(ContextId),
            since_ms: time(params, "since", now_ms)?,
            until_ms: time(params, "until", now_ms)?,
            limit: params.limit(limits::SEARCH_PAGE_DEFAULT, cairn_engine::limits::SEARCH_PAGE_MAX as u64)?,
            skip: 0,
            half_life_ms: half_life_ms(params)?,
        };
        let mut parts = vec![Some(tenant.to_string())];
        for name in IDENTITY {
            parts.push(params.text(name)?.map(str::to_owned));
        }
        let fingerprint = fingerprint(&parts);
        if let Some(text) = params.text("cursor")? {
            let cursor = Cursor::decode(text).filter(|cursor| cursor.fingerprint == fingerprint);
            let cursor = cursor.ok_or_else(|| {
                invalid("the cursor is of another search: begin again without it")
                    .detail("parameter", "cursor")
            })?;
            // What the first page was found in is what the others are found in.
            question.search_in = cursor.search_in;
            question.skip = cursor.skip;
        }
        Ok(Asked { question, fingerprint })
    }

    /// The cursor of the page that begins after so many hits.
    pub(super) fn cursor(&self, search_in: SearchIn, skip: usize) -> String {
        Cursor { search_in, skip, fingerprint: self.fingerprint }.encode()
    }
}

fn kinds(params: &Params) -> Result<Vec<String>, ApiError> {
    let Some(list) = params.text("type")?.filter(|list| !list.is_empty()) else { return Ok(Vec::new()) };
    let kinds: Vec<_> = list.split(',').map(str::to_owned).collect();
    if kinds.len() > limits::SEARCH_TYPES_MAX || kinds.iter().any(String::is_empty) {
        let message = format!("type has 1 to {} names with commas between them", limits::SEARCH_TYPES_MAX);
        return Err(invalid(message).detail("parameter", "type"));
    }
    Ok(kinds)
}

/// Nothing happened before 1970.
fn time(params: &Params, name: &str, now_ms: u64) -> Result<Option<u64>, ApiError> {
    Ok(params.time(name, now_ms)?.map(|ms| u64::try_from(ms).unwrap_or(0)))
}

fn half_life_ms(params: &Params) -> Result<u64, ApiError> {
    let Some(text) = params.text("recency")? else { return Ok(0) };
    let span = time_span(text).filter(|span| !span.is_zero());
    let ms = span.and_then(|span| u64::try_from(span.as_millis()).ok());
    ms.ok_or_else(|| {
        let message = "recency is a time with its unit, such as 30d, 12h, 15m or 90s";
        invalid(message).detail("parameter", "recency")
    })
}
