//! Import of test results: `POST /v1/kb/{workspace}/{branch}/results`.

use axum::body::Bytes;
use axum::http::HeaderMap;
use cairn_kb::tools::{ResultsInput, ResultsOutput};

use super::run::{BranchPath, input, target, write};
use crate::ApiError;
use crate::call::Call;
use crate::error::ErrorBody;
use crate::held::HeldJson;
use crate::params::Params;

/// Import test results
///
/// Sets the status of tests by the cases of a test run, in one transaction. A case belongs to a test whose `source` is
/// `file::name`, or whose id stands as a whole word in its name or in a property. Cases that belong to no test are
/// listed. Tests with results of a later time stay as they are, and are listed, too.
#[utoipa::path(
    post,
    path = "/v1/kb/{workspace}/{branch}/results",
    tag = "kb",
    params(BranchPath),
    request_body(content = ResultsInput, description = "At most 32 MiB and 100,000 cases"),
    responses(
        (status = 200, description = "What was changed, and what belongs to nothing", body = ResultsOutput),
        (status = 404, description = "The branch has no KB", body = ErrorBody),
        (status = 422, description = "There are too many cases or tests, or the time is invalid", body = ErrorBody),
        (status = 503, description = "Other writes of the branch take too long", body = ErrorBody),
    )
)]
pub(super) async fn results(
    call: Call,
    params: Params,
    headers: HeaderMap,
    body: Bytes,
) -> Result<HeldJson, ApiError> {
    let (target, input) = (target(&call, &params), input::<ResultsInput>(&call, &headers, body).await?);
    write(&call, move |engine, principal| engine.kb_import_results(principal, &target, &input)).await
}
