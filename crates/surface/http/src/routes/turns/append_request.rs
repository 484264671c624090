//! What a client says about a turn that it appends.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE, IF_MATCH};
use cairn_base::{ContentHash, ContextId, ErrorCode, TurnId, limits};
use cairn_turns::{DeclaredType, IdempotencyKey};

use crate::ApiError;
use crate::app::AppState;
use crate::content_type::media_type;
use crate::params::{Params, hash, header, invalid, number};

/// Names for msgpack that are in use.
const MSGPACK: [&str; 3] = ["application/msgpack", "application/vnd.msgpack", "application/x-msgpack"];
const TYPE_ID: &str = "x-cairn-type-id";
const TYPE_VERSION: &str = "x-cairn-type-version";
const CONTENT_HASH: &str = "x-content-hash-b3";
/// The encoding that is msgpack.
const ENCODING_MSGPACK: u32 = 1;

/// An append, decoded and not yet checked against what is there.
#[derive(Debug)]
pub(super) struct AppendRequest {
    pub(super) context: ContextId,
    pub(super) parent: Option<TurnId>,
    pub(super) expected_head: Option<TurnId>,
    pub(super) declared: DeclaredType,
    pub(super) encoding: u32,
    pub(super) tree: Option<ContentHash>,
    pub(super) key: Option<IdempotencyKey>,
    pub(super) hash: Option<ContentHash>,
    pub(super) payload: Bytes,
}

impl FromRequest<AppState> for AppendRequest {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &AppState) -> Result<Self, ApiError> {
        use axum::RequestExt;

        let mut request = request;
        let params = request.extract_parts::<Params>().await?;
        let headers = request.headers();
        check_form(headers)?;
        let declared = declared_type(&params, headers)?;
        let key = header(headers, "idempotency-key")?.unwrap_or("");
        let key = IdempotencyKey::parse(key.as_bytes()).map_err(|error| invalid(error.to_string()))?;
        let said = header(headers, CONTENT_HASH)?.map(|text| hash(CONTENT_HASH, text)).transpose()?;
        let tree = params.text("fs_root_hash")?.map(|text| hash("fs_root_hash", text)).transpose()?;
        Ok(AppendRequest {
            context: params.context_id()?,
            parent: params.turn("parent_turn_id")?,
            expected_head: header(headers, IF_MATCH.as_str())?.map(expected_head).transpose()?,
            declared,
            encoding: params.small_number("encoding")?.unwrap_or(ENCODING_MSGPACK),
            tree,
            key,
            hash: said,
            payload: Bytes::from_request(request, app).await.map_err(|error| invalid(error.body_text()))?,
        })
    }
}

/// Whether the body is in a form that is read here.
fn check_form(headers: &HeaderMap) -> Result<(), ApiError> {
    let unread = |message: String, hint: &str| {
        Err(ApiError::new(ErrorCode::UnsupportedMediaType, message).detail("hint", hint))
    };
    if let Some(encoding) = header(headers, CONTENT_ENCODING.as_str())?.filter(|it| *it != "identity") {
        let message = format!("the content encoding {encoding:?} is not read here");
        return unread(message, "send the payload as it is; it is compressed where it is stored");
    }
    let media_type = media_type(headers);
    if !MSGPACK.contains(&&*media_type) {
        let message = match headers.contains_key(CONTENT_TYPE) {
            true => format!("a turn of content type {media_type:?} is not read here"),
            false => "a turn needs a content type".to_owned(),
        };
        return unread(message, "send the payload in msgpack, as application/msgpack");
    }
    Ok(())
}

/// What the payload is, from query or headers; they must agree.
fn declared_type(params: &Params, headers: &HeaderMap) -> Result<DeclaredType, ApiError> {
    let id = agreed("type_id", params.text("type_id")?, TYPE_ID, header(headers, TYPE_ID)?)?;
    let id = id.ok_or_else(|| {
        invalid(format!("a turn needs a type: the parameter type_id, or the header {TYPE_ID}"))
    })?;
    if id.len() > limits::TYPE_ID_BYTES_MAX {
        let error = invalid(cairn_turns::TurnsError::TypeTooLong { bytes: id.len() }.to_string());
        return Err(error.detail("max", limits::TYPE_ID_BYTES_MAX));
    }
    let in_header = header(headers, TYPE_VERSION)?.map(|text| number(TYPE_VERSION, text)).transpose()?;
    let version = agreed("type_version", params.number("type_version")?, TYPE_VERSION, in_header)?;
    let version = u32::try_from(version.unwrap_or(1));
    let version = version.map_err(|_| invalid(format!("type_version is at most {}", u32::MAX)))?;
    Ok(DeclaredType { id: id.to_owned(), version })
}

fn agreed<T: PartialEq>(
    parameter: &str,
    in_query: Option<T>,
    name: &str,
    in_header: Option<T>,
) -> Result<Option<T>, ApiError> {
    match (in_query, in_header) {
        (Some(query), Some(header)) if query != header => {
            Err(invalid(format!("{parameter} and the header {name} say different things; send one of them")))
        }
        (query, header) => Ok(query.or(header)),
    }
}

/// The head that `If-Match` names, quoted or bare; 0 is an empty context.
fn expected_head(text: &str) -> Result<TurnId, ApiError> {
    let text = text.trim();
    let bare = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(text);
    number("if-match", bare).map(TurnId).map_err(|_| {
        invalid("if-match names the expected head: the number of a turn, or 0 for an empty context")
            .detail("header", "if-match")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_named_bare_or_quoted() {
        for (text, head) in [("7", 7), ("\"7\"", 7), (" \"0\" ", 0), ("0", 0)] {
            assert_eq!(expected_head(text).ok(), Some(TurnId(head)), "{text}");
        }
        for bad in ["", "\"\"", "*", "W/\"7\"", "\"7", "7\"", "\"7\", \"8\"", "-7", "\"\"7\"\""] {
            assert!(expected_head(bad).is_err(), "{bad}");
        }
    }
}
