//! `GET /ipfs/{cid}`: public content, as a trustless gateway of IPFS serves it.

use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, Method};
use axum::response::Response;
use cairn_access::Principal;
use cairn_artifacts::ArtifactCode;
use cairn_artifacts::cid::Cid;
use cairn_seam::Sha256;

use super::content::count;
use crate::ApiError;
use crate::call::Call;
use crate::content::{Asked, Content, Etag};
use crate::content_type::RawBytes;
use crate::error::ErrorBody;
use crate::params::{Params, invalid};

const RAW: &str = "application/vnd.ipld.raw";

/// Read public content by its CID
///
/// A trustless gateway for content of artifacts that everyone may read: the caller's own rights do not count. Serves
/// CIDv1 with the codec `raw` and the hash `sha2-256`, which is the SHA-256 of the content, as one block.
#[utoipa::path(
    get,
    path = "/ipfs/{cid}",
    tag = "artifacts",
    params(
        ("cid" = String, Path, example = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku", description = "The CID of the content"),
        ("format" = Option<String>, Query, pattern = "^raw$", description = "`raw`, unless `Accept` is `application/vnd.ipld.raw`"),
    ),
    responses(
        (status = 200, description = "The content", body = RawBytes, content_type = "application/vnd.ipld.raw"),
        (status = 206, description = "A part of the content", body = RawBytes, content_type = "application/vnd.ipld.raw"),
        (status = 304, description = "The client has it already"),
        (status = 404, description = "No public content has this CID", body = ErrorBody),
        (status = 416, description = "The content has no such range", body = ErrorBody),
    )
)]
pub(super) async fn block(
    call: Call,
    params: Params,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    params.only(&["format"])?;
    expect_raw(&params, &headers)?;
    let named = params.in_path("cid").to_owned();
    let sha256 = sha256_of(&named)?;
    let asked = Asked::of(&method, &headers);
    let (opened, tenant, id) = call
        .read(move |engine, _| {
            let found = engine.content_by_hash(&Principal::anonymous(), sha256)?;
            Ok((asked.open(found.reader)?, found.tenant, found.artifact.id))
        })
        .await?;
    let cid = Cid::Raw(sha256);
    let answer = Content::of_named(Etag::of_name(format!("{cid}.raw")), RAW)
        .for_everyone()
        .header("content-disposition", &format!("attachment; filename=\"{cid}.bin\""))
        .header("x-ipfs-path", &format!("/ipfs/{named}"))
        .header("x-ipfs-roots", &cid.to_string())
        .answer(&call, &method, &headers, opened)
        .await?;
    count(&call, &method, &answer, tenant, id);
    Ok(answer)
}

/// Blocks are all that is served: a client that wants something else has to be told.
fn expect_raw(params: &Params, headers: &HeaderMap) -> Result<(), ApiError> {
    let accepts_raw = || {
        let accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
        accepted.flat_map(|value| value.split(',')).any(|kind| kind.trim().starts_with(RAW))
    };
    let is_raw = match params.text("format")? {
        Some(format) => format == "raw",
        None => accepts_raw(),
    };
    if is_raw {
        return Ok(());
    }
    let message = format!("this gateway serves blocks; send format=raw, or `Accept: {RAW}`");
    Err(invalid(message).detail("parameter", "format"))
}

fn sha256_of(named: &str) -> Result<Sha256, ApiError> {
    match Cid::parse(named) {
        Ok(Cid::Raw(sha256)) => Ok(sha256),
        Ok(Cid::Other(_)) => {
            let message = "this node serves CIDv1 with codec raw and hash sha2-256 only";
            Err(ApiError::new(ArtifactCode::NotFound, message))
        }
        Err(error) => Err(invalid(error.to_string()).detail("parameter", "cid")),
    }
}
