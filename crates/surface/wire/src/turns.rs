//! Turns.

use cairn_base::{ContextId, TurnId, Value};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

pub use crate::bytes::{Base64Bytes, HexBytes};
use crate::error::ErrorContent;
pub use crate::json_text::JsonText;

/// A page of turns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TurnPage {
    /// The context they are of.
    pub meta: PageMeta,
    /// The turns, oldest first.
    pub turns: Vec<TurnObject>,
    /// What to pass as `before_turn_id` for the turns before these; null if there are none.
    #[serde(with = "crate::digits::option")]
    #[schema(value_type = Option<String>)]
    pub next_before_turn_id: Option<TurnId>,
}

/// The context of a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PageMeta {
    /// Its number.
    #[serde(with = "crate::digits")]
    #[schema(value_type = String)]
    pub context_id: ContextId,
    /// Its newest turn; 0 while it is empty.
    #[serde(with = "crate::digits")]
    #[schema(value_type = String)]
    pub head_turn_id: TurnId,
    /// How many turns are before its newest one.
    pub head_depth: u32,
    /// The bundle that was published last; null if there is none, and in raw views.
    pub registry_bundle_id: Option<String>,
}

/// A turn. In raw views one of `bytes_b64`, `bytes_hex` and `bytes_len` is there, as `bytes_render` says; in
/// typed ones `decoded_as` and `data`, or `error` where the payload cannot be shown. A turn whose payload is
/// damaged has `unreadable` in place of these, in every view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TurnObject {
    /// Its number, in decimal digits.
    #[serde(with = "crate::digits")]
    #[schema(value_type = String, example = "42")]
    pub turn_id: TurnId,
    /// The turn before it; 0 for the first one.
    #[serde(with = "crate::digits")]
    #[schema(value_type = String, example = "41")]
    pub parent_turn_id: TurnId,
    /// How many turns are before it.
    pub depth: u32,
    /// What its writer says it is.
    pub declared_type: DeclaredTypeObject,
    /// When it was appended, in Unix milliseconds.
    pub created_at_unix_ms: u64,
    /// The root of the file tree of this very turn; what it inherits is not said here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fs_root_hash: Option<String>,
    /// Why the payload cannot be read, if it is damaged or lost; the rest of the turn is whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
    /// BLAKE3-256 of its payload, in hexadecimal digits: the payload's name as a blob. This and the others
    /// up to the bytes are there in raw views.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_hash_b3: Option<String>,
    /// How the payload is encoded, as its writer says; 1 is msgpack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<u32>,
    /// How the payload is compressed here: 0, not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compression: Option<u32>,
    /// Bytes of the payload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncompressed_len: Option<u32>,
    /// With `bytes_render=base64`, which is the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub bytes_b64: Option<Base64Bytes>,
    /// With `bytes_render=hex`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub bytes_hex: Option<HexBytes>,
    /// With `bytes_render=len_only`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_len: Option<u32>,
    /// As what it was read, in typed views.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decoded_as: Option<DeclaredTypeObject>,
    /// The fields that the type names, in typed views.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub data: Option<JsonText>,
    /// The others, by their tags, if they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub unknown: Option<JsonText>,
    /// Why it cannot be shown, in typed views.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorContent>,
}

/// What the writer of a turn says its payload is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DeclaredTypeObject {
    /// The type's name.
    #[schema(example = "com.example.Message")]
    pub type_id: String,
    /// Its version.
    pub type_version: u32,
}

/// A turn by itself.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[expect(missing_docs, reason = "the type of the field says it all")]
pub struct SingleTurn {
    /// The context it was appended to; forks share it.
    #[serde(with = "crate::digits")]
    #[schema(value_type = String, example = "1")]
    pub context_id: ContextId,
    #[serde(flatten)]
    pub turn: TurnObject,
}

impl<'de> Deserialize<'de> for SingleTurn {
    /// Reads the text twice: fields that are collected on the way to a flattened struct lose their text, and
    /// with it the numbers of free-form JSON.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Place {
            #[serde(with = "crate::digits")]
            context_id: ContextId,
        }
        let text = Box::<RawValue>::deserialize(deserializer)?;
        let Place { context_id } = serde_json::from_str(text.get()).map_err(D::Error::custom)?;
        let turn = serde_json::from_str(text.get()).map_err(D::Error::custom)?;
        Ok(SingleTurn { context_id, turn })
    }
}

/// A turn that was appended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AppendedTurn {
    /// The context it was appended to.
    #[serde(with = "crate::digits")]
    #[schema(value_type = String, example = "1")]
    pub context_id: ContextId,
    /// Its number: it is the head of the context now.
    #[serde(with = "crate::digits")]
    #[schema(value_type = String, example = "42")]
    pub turn_id: TurnId,
    /// The turn before it; 0 for the first one.
    #[serde(with = "crate::digits")]
    #[schema(value_type = String, example = "41")]
    pub parent_turn_id: TurnId,
    /// How many turns are before it.
    pub depth: u32,
    /// BLAKE3-256 of its payload, in hexadecimal digits.
    pub content_hash_b3: String,
    /// When it was appended, in Unix milliseconds.
    pub created_at_unix_ms: u64,
    /// Whether it was there already: the same idempotency key was used before.
    pub is_repeated: bool,
}

/// A turn in JSON.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct TurnInJson {
    /// Its type.
    #[schema(example = "com.example.Message")]
    pub type_id: String,
    /// The version of that type.
    pub type_version: u32,
    /// The fields of that version by their names, and unknown ones by their tags. Needed here or as `data`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub payload: Option<Value>,
    /// Another name of `payload`; not both.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub data: Option<Value>,
    /// The turn to append to; 0 or nothing for the head.
    #[serde(skip_serializing_if = "Option::is_none", with = "crate::digits::option")]
    #[schema(value_type = Option<String>)]
    pub parent_turn_id: Option<TurnId>,
    /// The root of a file tree whose blobs are there already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fs_root_hash: Option<String>,
    /// The same as the header `Idempotency-Key`, which must agree if both are sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = r#""turn_id":"42","parent_turn_id":"41","depth":41,"declared_type":{"type_id":"t","type_version":3},"created_at_unix_ms":7"#;

    #[test]
    fn every_view_of_a_turn_reads_back() {
        for rest in [
            "",
            r#","unreadable":"damaged at byte 7""#,
            r#","fs_root_hash":"ab","content_hash_b3":"cd","encoding":1,"compression":0,"uncompressed_len":2,"bytes_b64":"gQE=""#,
            r#","content_hash_b3":"cd","encoding":1,"compression":0,"uncompressed_len":2,"bytes_hex":"8101""#,
            r#","content_hash_b3":"cd","encoding":1,"compression":0,"uncompressed_len":2,"bytes_len":2"#,
            r#","decoded_as":{"type_id":"t","type_version":3},"data":{"z":18446744073709551615,"a":0.30000000000000004},"unknown":{"9":1.0}"#,
            r#","error":{"code":"Damaged","message":"no","details":{"hint":"read it with view=raw"}}"#,
        ] {
            let text = format!("{{{HEAD}{rest}}}");
            let turn: TurnObject = serde_json::from_str(&text).expect(&text);
            assert_eq!(serde_json::to_string(&turn).expect("plain data"), text);
            let text = format!(r#"{{"context_id":"7",{HEAD}{rest}}}"#);
            let single: SingleTurn = serde_json::from_str(&text).expect(&text);
            assert_eq!((single.context_id, &single.turn), (ContextId(7), &turn));
            assert_eq!(serde_json::to_string(&single).expect("plain data"), text);
        }
    }

    #[test]
    fn bytes_are_bytes() {
        let text = format!(r#"{{{HEAD},"bytes_b64":"gQE=","later":[]}}"#);
        let turn: TurnObject = serde_json::from_str(&text).expect("read");
        assert_eq!(turn.bytes_b64.as_deref(), Some(&[0x81, 1][..]));
        assert!(serde_json::from_str::<TurnObject>(&text.replace("gQE=", "g?E=")).is_err());
    }
}
