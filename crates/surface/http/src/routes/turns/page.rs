//! `GET /v1/contexts/{id}/turns`: a window of a context's history.

use cairn_base::{TurnId, limits};
use cairn_engine::{Window, WindowAt, WindowTurns};
use cairn_turns::Turn;
use serde::Serialize;
use utoipa::ToSchema;

use super::turn::TurnObject;
use super::view::View;
use crate::ApiError;
use crate::call::Call;
use crate::error::ErrorBody;
use crate::held::HeldJson;
use crate::params::Params;

/// What a turn takes in an answer besides its payload, at the most: as an object and as text.
const TURN_BYTES: u64 = 4 * (512 + limits::TYPE_ID_BYTES_MAX as u64);

/// A page of turns.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TurnPage {
    /// The context they are of.
    meta: PageMeta,
    /// The turns, oldest first.
    turns: Vec<TurnObject>,
    /// What to pass as `before_turn_id` for the turns before these; null if there are none.
    next_before_turn_id: Option<String>,
}

/// The context of a page.
#[derive(Debug, Serialize, ToSchema)]
struct PageMeta {
    /// Its number.
    context_id: String,
    /// Its newest turn; 0 while it is empty.
    head_turn_id: String,
    /// How many turns are before its newest one.
    head_depth: u32,
    /// The bundle that was published last; null if there is none, and in raw views.
    registry_bundle_id: Option<String>,
}

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
        with_payload: view.needs_bytes(),
        bytes_max: limits::HTTP_TURNS_PAGE_BYTES_MAX,
    };
    let memory = call.app.memory.clone();
    let answered = call.read(move |engine, principal| {
        let registry = engine.registry(principal, principal.tenant())?;
        let mut found: Option<WindowTurns> = None;
        let (mut share, mut turns) = (None, Vec::new());
        let mut checked = Ok(());
        let begin = |window: &WindowTurns| {
            let payloads = view.memory_bytes(window.payload_bytes());
            memory.grow(&mut share, payloads + window.turns.len() as u64 * TURN_BYTES)?;
            let names: Vec<&str> = window.turns.iter().map(|turn| window.type_name(turn)).collect();
            checked = view.check(&registry, &names);
            found = Some(window.clone());
            Ok(())
        };
        engine.turns_window(principal, principal.tenant(), window, begin, &mut |window, turn, payload| {
            turns.push(TurnObject::to_wire(turn, window.type_name(turn), &view, &registry, payload.cloned()));
        })?;
        let Some(WindowTurns { context, turns: read, .. }) = found else {
            unreachable!("a window begins before it is read");
        };
        let trees = engine.own_trees(principal, principal.tenant(), &read)?;
        // What is wrong with the view is no failure of the engine.
        Ok(checked.and_then(|()| {
            let turns = turns.into_iter().zip(trees).map(|(turn, tree)| Ok(turn?.with_tree(tree)));
            let turns = turns.collect::<Result<Vec<_>, ApiError>>()?;
            let bundle = registry.last_bundle().filter(|_| view.is_typed()).map(str::to_owned);
            let meta = PageMeta {
                context_id: context.id.to_string(),
                head_turn_id: context.head.to_string(),
                head_depth: context.head_depth,
                registry_bundle_id: bundle,
            };
            Ok(HeldJson::new(&TurnPage { meta, turns, next_before_turn_id: next_before(&read) }, share))
        }))
    });
    answered.await?
}

/// The oldest turn of a page, unless it is the first of all.
fn next_before(turns: &[Turn]) -> Option<String> {
    let oldest = turns.first().filter(|oldest| oldest.parent != TurnId::NONE);
    oldest.map(|oldest| oldest.id.to_string())
}
