//! A turn as JSON, and `GET /v1/turns/{id}`.

use cairn_engine::TurnContent;
use cairn_turns::projection::decimal;
use cairn_wire::turns::SingleTurn;

use super::turn_json::TurnWriter;
use super::view::View;
use crate::ApiError;
use crate::call::Call;
use crate::error::ErrorBody;
use crate::held::HeldJson;
use crate::params::Params;

/// One turn
///
/// What is wrong with its payload stands in `error` of the turn, or in `unreadable` if it is damaged, unless
/// `strict=1`.
#[utoipa::path(
    get,
    path = "/v1/turns/{id}",
    tag = "turns",
    params(
        ("id" = String, Path, pattern = "^[0-9]{1,20}$", example = "1", description = "The turn's number"),
        super::view::ViewParams,
    ),
    responses(
        (status = 200, description = "The turn", body = SingleTurn),
        (status = 404, description = "There is no such turn", body = ErrorBody),
        (status = 409, description = "The type to read it as is another one than it has", body = ErrorBody),
        (status = 422, description = "A parameter makes no sense", body = ErrorBody),
        (status = 424, description = "The type to read it as was not published", body = ErrorBody),
        (status = 500, description = "With `strict=1`: the payload cannot be shown", body = ErrorBody),
        (status = 503, description = "Too much is going on; come back later", body = ErrorBody),
    )
)]
pub(super) async fn get(call: Call, params: Params) -> Result<HeldJson, ApiError> {
    let id = params.turn_id()?;
    let view = View::from_params(&params)?;
    let memory = call.app.memory.clone();
    let answered = call.read(move |engine, principal| {
        let mut share = None;
        let begin = |bytes| memory.grow(&mut share, view.memory_bytes(bytes));
        let found = engine.turn(principal, principal.tenant(), id, &view.of, begin)?;
        // What is wrong with the view is no failure of the engine.
        Ok(to_wire(&found, &view).map(|json| HeldJson::of_text(json, share)))
    });
    answered.await?
}

/// Writes a [`SingleTurn`].
fn to_wire(found: &TurnContent, view: &View) -> Result<String, ApiError> {
    let mut writer = TurnWriter::new(view, found.registry.as_deref());
    let mut out = String::with_capacity(writer.room(1, u64::from(found.turn.payload_bytes)));
    out.push_str("{\"context_id\":\"");
    decimal(found.turn.context.0, &mut out);
    out.push_str("\",");
    writer.fields(&found.shown(), &mut out)?;
    out.push('}');
    Ok(out)
}
