//! `GET /v1/kb/{workspace}/diff`.

use cairn_engine::KbTarget;
use cairn_wire::kb::KbDiff;

use super::run::{read, target};
use crate::call::Call;
use crate::error::ErrorBody;
use crate::held::HeldJson;
use crate::params::{Params, invalid};
use crate::{ApiError, IntoWire};

/// Compare two branches
///
/// Lists entities and relationships that only one of them has, and entities that differ. Times of writes do not count.
#[utoipa::path(
    get,
    path = "/v1/kb/{workspace}/diff",
    tag = "kb",
    params(
        ("workspace" = String, Path, example = "shop", description = "Id of the workspace"),
        ("from" = String, Query, example = "main", description = "Name of the first branch"),
        ("to" = String, Query, example = "main", description = "Name of the second branch"),
    ),
    responses(
        (status = 200, description = "The differences", body = KbDiff),
        (status = 404, description = "One of the branches has no KB", body = ErrorBody),
        (status = 413, description = "One of the branches has too many entities", body = ErrorBody),
    )
)]
pub(super) async fn diff(call: Call, params: Params) -> Result<HeldJson, ApiError> {
    params.only(&["from", "to"])?;
    let branch = |name: &'static str| {
        let branch = params.text(name)?.map(str::to_owned);
        let branch = branch.ok_or_else(|| {
            invalid(format!("name both branches: from and to, here {name}")).detail("parameter", name)
        })?;
        Ok::<_, ApiError>(KbTarget { branch, ..target(&call, &params) })
    };
    let (from, to) = (branch("from")?, branch("to")?);
    read(&call, move |engine, principal| Ok(engine.kb_diff(principal, &from, &to)?.into_wire())).await
}
