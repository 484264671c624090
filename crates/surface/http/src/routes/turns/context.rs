//! A context as JSON.

use cairn_base::Value;
use cairn_engine::DescribedContext;
use cairn_wire::contexts::ContextObject;
use cairn_wire::sessions::Live;

use super::provenance;
use crate::routes::sessions::live_to_wire;

/// A context with what is known of it.
pub(super) fn to_wire(described: &DescribedContext) -> ContextObject {
    let DescribedContext { context, said, live } = described;
    let client_tag = described.client_tag().map(str::to_owned);
    ContextObject {
        context_id: context.id,
        head_turn_id: context.head,
        head_depth: context.head_depth,
        created_at_unix_ms: context.created_at_ms,
        base_turn_id: context.base,
        last_activity_at: context.active_at_ms,
        live: Live { client_tag, ..live_to_wire(live.as_ref()) },
        title: said.title.clone(),
        labels: said.labels.clone(),
        provenance: None,
    }
}

/// The same with where it came from.
pub(super) fn with_provenance(described: &DescribedContext) -> ContextObject {
    let provenance = Some(provenance::to_wire(described).unwrap_or(Value::Null));
    ContextObject { provenance, ..to_wire(described) }
}
