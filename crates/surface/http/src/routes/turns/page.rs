//! `GET /v1/contexts/{id}/turns`: a window of a context's history.

use cairn_engine::{TurnsPage, Window, WindowAt, WindowTurns};
use cairn_turns::projection::decimal;
use cairn_wire::turns::TurnPage;

use super::turn_json::{TurnWriter, quoted};
use super::view::View;
use crate::call::Call;
use crate::error::ErrorBody;
use crate::held::HeldJson;
use crate::params::Params;
use crate::{ApiError, limits};

/// What a turn takes in an answer besides its payload, at the most: as an object and as text.
const TURN_BYTES: u64 = 4 * (512 + cairn_turns::limits::TYPE_ID_BYTES_MAX as u64);

/// Turns of a context, oldest first
///
/// Without `before_turn_id` these are the newest ones. A page has fewer turns than asked for when their
/// payloads have more than 16 MiB, though never none. A turn whose payload cannot be shown says why in its
/// `error`, and one whose payload is damaged in its `unreadable`; it hides no other. `strict=1` makes it an
/// error of the whole page.
#[utoipa::path(
    get,
    path = "/v1/contexts/{id}/turns",
    tag = "turns",
    params(
        ("id" = String, Path, pattern = "^[0-9]{1,20}$", example = "1", description = "The context's number"),
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 1000, description = "How many at the most; 64 if not said"),
        ("before_turn_id" = Option<String>, Query, description = "Only turns before this one of the context's history; 0 or nothing for the newest"),
        super::view::ViewParams,
    ),
    responses(
        (status = 200, description = "A page of turns", body = TurnPage),
        (status = 404, description = "There is no such context, or no such turn in its history", body = ErrorBody),
        (status = 409, description = "The type to read turns as is another one than they have", body = ErrorBody),
        (status = 422, description = "A parameter makes no sense", body = ErrorBody),
        (status = 424, description = "The type to read turns as was not published", body = ErrorBody),
        (status = 500, description = "With `strict=1`: a payload cannot be shown", body = ErrorBody),
        (status = 503, description = "Too much is going on; come back later", body = ErrorBody),
    )
)]
pub(super) async fn page(call: Call, params: Params) -> Result<HeldJson, ApiError> {
    let view = View::from_params(&params)?;
    let window = Window {
        context: params.context_id()?,
        at: params.turn("before_turn_id")?.map_or(WindowAt::Head, WindowAt::Before),
        limit: params.limit(limits::HTTP_TURNS_PAGE_DEFAULT, limits::HTTP_TURNS_PAGE_MAX)?,
        with_payload: view.of.needs_bytes(),
        bytes_max: limits::HTTP_TURNS_PAGE_BYTES_MAX,
    };
    let memory = call.app.memory.clone();
    let answered = call.read(move |engine, principal| {
        let mut share = None;
        let begin = |window: &WindowTurns| {
            let payloads = view.memory_bytes(window.payload_bytes());
            memory.grow(&mut share, payloads + window.turns.len() as u64 * TURN_BYTES)
        };
        let page = engine.turns_page(principal, principal.tenant(), window, &view.of, begin)?;
        // What is wrong with the view is no failure of the engine.
        Ok(to_wire(&page, &view).map(|json| HeldJson::of_text(json, share)))
    });
    answered.await?
}

/// Writes a [`TurnPage`].
fn to_wire(page: &TurnsPage, view: &View) -> Result<String, ApiError> {
    let WindowTurns { context, turns, .. } = &page.window;
    let mut writer = TurnWriter::new(view, page.registry.as_deref());
    let mut out = String::with_capacity(256 + writer.room(turns.len(), page.window.payload_bytes()));
    out.push_str("{\"meta\":{\"context_id\":\"");
    decimal(context.id.0, &mut out);
    out.push_str("\",\"head_turn_id\":\"");
    decimal(context.head.0, &mut out);
    out.push_str("\",\"head_depth\":");
    decimal(u64::from(context.head_depth), &mut out);
    out.push_str(",\"registry_bundle_id\":");
    match page.registry.as_ref().and_then(|registry| registry.last_bundle()) {
        Some(bundle) => out.push_str(&quoted(bundle)),
        None => out.push_str("null"),
    }
    out.push_str("},\"turns\":[");
    for (at, turn) in page.turns().enumerate() {
        out.push_str(if at == 0 { "{" } else { ",{" });
        writer.fields(&turn, &mut out)?;
        out.push('}');
    }
    out.push_str("],\"next_before_turn_id\":");
    match page.next_before() {
        Some(turn) => {
            out.push('"');
            decimal(turn.0, &mut out);
            out.push_str("\"}");
        }
        None => out.push_str("null}"),
    }
    Ok(out)
}
