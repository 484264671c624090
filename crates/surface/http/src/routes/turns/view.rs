//! What a reader wants to see of payloads.

use std::sync::Arc;

use cairn_base::ErrorCode;
use cairn_turns::projection::{
    BytesRender, EnumRender, Hint, HintError, Options, TimeRender, Undecodable, WideRender, project,
};
use cairn_turns::registry::Registry;
use cairn_turns::{DeclaredType, Turn};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::IntoParams;

use super::turn::DeclaredTypeObject;
use crate::ApiError;
use crate::error::ErrorBody;
use crate::params::{Params, invalid};

/// The encoding that can be shown.
const MSGPACK: u32 = 1;

/// Parameters of every route that shows payloads.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only described: parameters are read one by one")]
pub(super) struct ViewParams {
    /// `typed` (default), `raw` or `both`.
    view: Option<String>,
    /// As what payloads are read: `inherit` (default), `latest` or `explicit`.
    type_hint_mode: Option<String>,
    /// With `explicit`: the type.
    as_type_id: Option<String>,
    /// With `explicit`: its version.
    as_type_version: Option<u32>,
    /// `1` to show tags that the type does not know.
    include_unknown: Option<String>,
    /// How bytes are written: `base64` (default), `hex` or `len_only`.
    bytes_render: Option<String>,
    /// How integers of 64 bits are written: `string` (default) or `number`.
    u64_format: Option<String>,
    /// How numbers of enums are written: `label` (default), `number` or `both`.
    enum_render: Option<String>,
    /// How times are written: `iso` (default) or `unix_ms` (default of built-in types).
    time_render: Option<String>,
    /// `1` to have a payload that cannot be shown be an error of the whole answer.
    strict: Option<String>,
}

/// How turns are to be shown.
#[derive(Debug, Clone)]
pub(super) struct View {
    is_typed: bool,
    pub(super) is_raw: bool,
    pub(super) options: Options,
    hint: Hint,
    is_strict: bool,
}

/// A payload as its type has it, or why it cannot be shown.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Typed {
    /// It is shown.
    Shown {
        /// As what it was read.
        decoded_as: DeclaredTypeObject,
        /// The fields that the type names.
        data: Box<RawValue>,
        /// The others, by their tags, if they were asked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        unknown: Option<Box<RawValue>>,
    },
    /// It cannot be shown.
    Failed(ErrorBody),
}

impl View {
    pub(super) fn from_params(params: &Params) -> Result<Self, ApiError> {
        let (is_typed, is_raw) = params
            .choice("view", &[("typed", (true, false)), ("raw", (false, true)), ("both", (true, true))])?;
        let options = Options {
            include_unknown: params
                .choice("include_unknown", &[("0", false), ("1", true), ("false", false), ("true", true)])?,
            bytes: params.choice("bytes_render", &words(BytesRender::WORDS, BytesRender::from_word))?,
            wide: params.choice("u64_format", &words(WideRender::WORDS, WideRender::from_word))?,
            enums: params.choice("enum_render", &words(EnumRender::WORDS, EnumRender::from_word))?,
            time: params
                .text("time_render")?
                .map(|_| params.choice("time_render", &words(TimeRender::WORDS, TimeRender::from_word)))
                .transpose()?,
        };
        let is_strict = params.choice("strict", &[("0", false), ("1", true)])?;
        Ok(View { is_typed, is_raw, options, hint: hint(params)?, is_strict })
    }

    /// Whether payloads themselves are needed.
    pub(super) fn needs_bytes(&self) -> bool {
        self.is_typed || self.options.bytes != BytesRender::Length
    }

    /// Whether the registry is needed.
    pub(super) fn is_typed(&self) -> bool {
        self.is_typed
    }

    /// What payloads of so many bytes take in memory: as they are read, and as they are written.
    pub(super) fn memory_bytes(&self, payload_bytes: u64) -> u64 {
        let typed = if self.is_typed { 3 * payload_bytes } else { 0 };
        let raw = match self.options.bytes {
            _ if !self.is_raw => 0,
            BytesRender::Base64 => payload_bytes.div_ceil(3) * 4,
            BytesRender::Hex => payload_bytes * 2,
            BytesRender::Length => 0,
        };
        typed + raw + if self.needs_bytes() { payload_bytes } else { 0 }
    }

    /// Refuses what is wrong with the request as a whole.
    pub(super) fn check(&self, registry: &Registry, type_names: &[&str]) -> Result<(), ApiError> {
        if !self.is_typed {
            return Ok(());
        }
        self.hint.check(registry, type_names).map_err(|error| unreadable(&error))
    }

    /// Why a damaged payload is not shown; an error of the whole answer with `strict=1`.
    pub(super) fn unreadable(&self, turn: &Turn, reason: String) -> Result<String, ApiError> {
        if self.is_strict {
            return Err(ApiError::new(ErrorCode::Damaged, reason).detail("turn_id", turn.id.to_string()));
        }
        Ok(reason)
    }

    /// A payload as its type has it.
    pub(super) fn typed(
        &self,
        registry: &Registry,
        turn: &Turn,
        type_name: &str,
        payload: &Arc<[u8]>,
    ) -> Result<Option<Typed>, ApiError> {
        if !self.is_typed {
            return Ok(None);
        }
        match self.shown(registry, turn, type_name, payload) {
            Ok(shown) => Ok(Some(shown)),
            Err(error) if self.is_strict => Err(error.detail("turn_id", turn.id.to_string())),
            Err(error) => Ok(Some(Typed::Failed(error.into_body()))),
        }
    }

    fn shown(
        &self,
        registry: &Registry,
        turn: &Turn,
        type_name: &str,
        payload: &[u8],
    ) -> Result<Typed, ApiError> {
        let resolved = self.hint.resolve(registry, type_name, turn.type_version);
        let (id, described) = resolved.map_err(|error| unreadable(&error))?;
        if turn.encoding != MSGPACK {
            return Err(undecodable(Undecodable::Encoding(turn.encoding)));
        }
        let projected = project(payload, described, &self.options).map_err(undecodable)?;
        Ok(Typed::Shown {
            decoded_as: DeclaredTypeObject { type_id: id.to_owned(), type_version: described.version },
            data: raw(projected.data)?,
            unknown: projected.unknown.map(raw).transpose()?,
        })
    }
}

fn hint(params: &Params) -> Result<Hint, ApiError> {
    let (id, version) = (params.text("as_type_id")?, params.small_number("as_type_version")?);
    match (params.text("type_hint_mode")?.unwrap_or("inherit"), id, version) {
        ("explicit", Some(id), Some(version)) => {
            Ok(Hint::Explicit(DeclaredType { id: id.to_owned(), version }))
        }
        ("explicit", _, _) => {
            let message = "type_hint_mode=explicit needs as_type_id and as_type_version";
            Err(ApiError::new(ErrorCode::MissingTypeHint, message))
        }
        ("inherit", None, None) => Ok(Hint::Inherit),
        ("latest", None, None) => Ok(Hint::Latest),
        ("inherit" | "latest", _, _) => {
            let message = "as_type_id and as_type_version are for type_hint_mode=explicit";
            Err(invalid(message).detail("parameter", "type_hint_mode"))
        }
        _ => Err(invalid("type_hint_mode is one of inherit, latest, explicit")
            .detail("parameter", "type_hint_mode")),
    }
}

fn words<T>(words: &[&'static str], from_word: fn(&str) -> Option<T>) -> Vec<(&'static str, T)> {
    words.iter().filter_map(|word| Some((*word, from_word(word)?))).collect()
}

pub(super) fn unreadable(error: &HintError) -> ApiError {
    let answer = ApiError::new(error.code(), error.to_string());
    match error {
        HintError::OtherType { .. } => answer.detail("hint", "name the type of the turns in as_type_id"),
        HintError::Missing | HintError::Unpublished { .. } => answer,
    }
}

fn undecodable(error: Undecodable) -> ApiError {
    ApiError::new(ErrorCode::Damaged, error.to_string()).detail("hint", "read it with view=raw")
}

/// JSON that was made as text.
fn raw(json: String) -> Result<Box<RawValue>, ApiError> {
    RawValue::from_string(json)
        .map_err(|error| ApiError::new(ErrorCode::Internal, format!("a payload was shown wrongly: {error}")))
}
