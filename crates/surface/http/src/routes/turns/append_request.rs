//! What a client says about a turn that it appends.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE, IF_MATCH};
use cairn_base::{ContentHash, ContextId, ErrorCode, TurnId, Value};
use cairn_turns::{DeclaredType, IdempotencyKey, TurnsError, limits};
use cairn_wire::turns::TurnInJson;

use crate::app::AppState;
use crate::content_type::{RawBytes, is_json, is_msgpack, media_type};
use crate::params::{Params, hash, header, invalid, number};
use crate::{ApiError, HttpCode};

const TYPE_ID: &str = "x-cairn-type-id";
const TYPE_VERSION: &str = "x-cairn-type-version";
const CONTENT_HASH: &str = "x-content-hash-b3";
const IDEMPOTENCY_KEY: &str = "idempotency-key";
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
    pub(super) payload: Sent,
}

/// A payload as it was sent.
#[derive(Debug)]
pub(super) enum Sent {
    /// As it is stored.
    Msgpack(Bytes),
    /// To be encoded as its type says.
    Json(Value),
}

impl FromRequest<AppState> for AppendRequest {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &AppState) -> Result<Self, ApiError> {
        use axum::RequestExt;

        let mut request = request;
        let params = request.extract_parts::<Params>().await?;
        let headers = request.headers();
        let form = form(headers)?;
        let key_beside = header(headers, IDEMPOTENCY_KEY)?.map(str::to_owned);
        let said = header(headers, CONTENT_HASH)?.map(|text| hash(CONTENT_HASH, text)).transpose()?;
        let expected_head = header(headers, IF_MATCH.as_str())?.map(expected_head).transpose()?;
        let context = params.context_id()?;
        let headers = headers.clone();
        let RawBytes(body) = RawBytes::from_request(request, app).await?;
        let said_beside = (params.text("type_id")?, header(&headers, TYPE_ID)?);
        let (declared, written) = match form {
            Form::Msgpack => (declared_type(&params, &headers)?, None),
            Form::Json => {
                let written = turn_in_json(&body, app.config.body_bytes_max)?;
                if said_beside != (None, None) {
                    return Err(invalid("a turn in JSON says its type in its body, and nowhere else"));
                }
                (DeclaredType { id: written.type_id.clone(), version: written.type_version }, Some(written))
            }
        };
        let (parent, tree, key, payload) = match written {
            Some(TurnInJson { parent_turn_id, fs_root_hash, idempotency_key, payload, data, .. }) => {
                (parent_turn_id, fs_root_hash, idempotency_key, payload.or(data))
            }
            None => (None, None, None, None),
        };
        let key = agreed("idempotency_key", key, IDEMPOTENCY_KEY, key_beside)?.unwrap_or_default();
        let key = IdempotencyKey::parse(key.as_bytes()).map_err(|error| invalid(error.to_string()))?;
        let tree = params.text("fs_root_hash")?.map(str::to_owned).or(tree);
        Ok(AppendRequest {
            context,
            parent: parent.or(params.turn("parent_turn_id")?),
            expected_head,
            declared,
            encoding: params.small_number("encoding")?.unwrap_or(ENCODING_MSGPACK),
            tree: tree.map(|text| hash("fs_root_hash", &text)).transpose()?,
            key,
            hash: said,
            payload: payload.map_or(Sent::Msgpack(body), Sent::Json),
        })
    }
}

/// How a turn is sent.
enum Form {
    Msgpack,
    Json,
}

/// The body of a turn in JSON, read with exact numbers.
fn turn_in_json(body: &[u8], bytes_max: usize) -> Result<TurnInJson, ApiError> {
    if body.len() > bytes_max {
        let message = format!("a turn in JSON has at most {bytes_max} bytes");
        let hint = "send a larger payload in msgpack, as application/msgpack";
        return Err(ApiError::new(ErrorCode::TooLarge, message).detail("hint", hint));
    }
    let malformed = |error: cairn_base::ValueError| {
        let (line, column) = error.line_column();
        let message = format!("the body is not what was expected: {error}");
        ApiError::new(error.code(), message).detail("line", line).detail("column", column)
    };
    let value = Value::parse_json(body).map_err(malformed)?;
    let Value::Object(mut entries) = value else {
        let message = "a turn in JSON is an object with type_id, type_version and payload (or data)";
        return Err(invalid(message));
    };
    let mut take = |name: &str| entries.remove(name).filter(|value| !value.is_null());
    let (id, version) = (take("type_id"), take("type_version"));
    let (parent, tree, key) = (take("parent_turn_id"), take("fs_root_hash"), take("idempotency_key"));
    let (payload, data) = (take("payload"), take("data"));
    if let Some((name, _)) = entries.first_key_value() {
        let known = "type_id, type_version, payload (or data), parent_turn_id, fs_root_hash, idempotency_key";
        return Err(invalid(format!("there is no field {name:?} here; there are {known}"))
            .detail("field", name.as_str()));
    }
    if payload.is_some() && data.is_some() {
        let message = "payload and data are two names of the same field; send one of them";
        return Err(invalid(message).detail("field", "data"));
    }
    let payload = payload.or(data);
    let missing =
        |name: &str, what: &str| invalid(format!("{name} is missing: {what}")).detail("field", name);
    let id = id.as_ref().and_then(Value::as_str).ok_or_else(|| missing("type_id", "the type, as text"))?;
    if id.len() > limits::TYPE_ID_BYTES_MAX {
        return Err(
            invalid(TurnsError::TypeTooLong { bytes: id.len() }.to_string()).detail("field", "type_id")
        );
    }
    let version =
        version.as_ref().and_then(Value::as_number).and_then(|number| u32::try_from(number.as_u64()?).ok());
    let version = version.ok_or_else(|| missing("type_version", "its version, a number"))?;
    let text = |name: &str, value: Option<Value>| match value {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(missing(name, "a text")),
    };
    let parent_turn_id = parent.map(|parent| turn_number(&parent)).transpose()?;
    Ok(TurnInJson {
        type_id: id.to_owned(),
        type_version: version,
        parent_turn_id: parent_turn_id.filter(|turn| *turn != TurnId::NONE),
        fs_root_hash: text("fs_root_hash", tree)?,
        idempotency_key: text("idempotency_key", key)?,
        payload: Some(payload.ok_or_else(|| missing("payload", "an object with the fields of the type"))?),
        data: None,
    })
}

/// A turn as text or as a number.
fn turn_number(value: &Value) -> Result<TurnId, ApiError> {
    let wrong = || invalid("parent_turn_id is the number of a turn").detail("field", "parent_turn_id");
    let found = match value.as_str() {
        Some(text) => number("parent_turn_id", text).ok(),
        None => value.as_number().and_then(cairn_base::Number::as_u64),
    };
    found.map(TurnId).ok_or_else(wrong)
}

/// In which form the body is, if it is one that is read here.
fn form(headers: &HeaderMap) -> Result<Form, ApiError> {
    let unread = |message: String, hint: &str| {
        Err(ApiError::new(HttpCode::UnsupportedMediaType, message).detail("hint", hint))
    };
    if let Some(encoding) = header(headers, CONTENT_ENCODING.as_str())?.filter(|it| *it != "identity") {
        let message = format!("the content encoding {encoding:?} is not read here");
        return unread(message, "send the payload as it is; it is compressed where it is stored");
    }
    let media_type = media_type(headers);
    if is_json(&media_type) {
        return Ok(Form::Json);
    }
    if !is_msgpack(&media_type) {
        let message = match headers.contains_key(CONTENT_TYPE) {
            true => format!("a turn of content type {media_type:?} is not read here"),
            false => "a turn needs a content type".to_owned(),
        };
        let hint =
            "send the payload as application/msgpack, or as application/json with type_id and type_version";
        return unread(message, hint);
    }
    Ok(Form::Msgpack)
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
    fn what_is_described_is_what_is_read() {
        let fields =
            Value::parse_json(br#"{"n":18446744073709551615,"x":0.9812852326851965}"#).expect("JSON");
        let full = TurnInJson {
            type_id: "com.example.Message".to_owned(),
            type_version: 3,
            payload: Some(fields.clone()),
            data: None,
            parent_turn_id: Some(TurnId(18_446_744_073_709_551_615)),
            fs_root_hash: Some("ab".to_owned()),
            idempotency_key: Some("k".to_owned()),
        };
        let read = |turn: &TurnInJson| {
            let text = serde_json::to_vec(turn).expect("plain data");
            turn_in_json(&text, text.len()).expect("a turn")
        };
        assert_eq!(read(&full), full);
        // The other name of the payload.
        let other = TurnInJson { payload: None, data: Some(fields), ..full.clone() };
        assert_eq!(read(&other), full);
        // Everything that is read is described: the refusal of an unknown field names all that are read.
        let mut described: Vec<String> = Vec::new();
        for turn in [&full, &other] {
            let value = serde_json::to_value(turn).expect("plain data");
            described.extend(value.as_object().expect("an object").keys().cloned());
        }
        let unknown = turn_in_json(br#"{"later":1}"#, 100).expect_err("refused");
        let (_, known) = unknown.message().split_once("there are ").expect("it names them");
        for name in known.split([',', ' ', '(', ')']).filter(|word| !word.is_empty() && *word != "or") {
            assert!(described.iter().any(|described| described == name), "{name}");
        }
    }

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
