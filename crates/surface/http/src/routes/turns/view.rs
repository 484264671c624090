//! What a reader wants to see of payloads.

use cairn_turns::projection::{self, BytesRender, EnumRender, Hint, Options, TimeRender, WideRender};
use cairn_turns::{DeclaredType, TurnsCode};
use utoipa::IntoParams;

use crate::ApiError;
use crate::params::{Params, invalid};

/// Parameters of every route that shows payloads, read from the query.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ViewParams {
    /// `typed` (default), `raw` or `both`.
    #[param(value_type = Option<String>)]
    view: Shown,
    /// As what payloads are read: `inherit` (default), `latest` or `explicit`.
    type_hint_mode: Option<String>,
    /// With `explicit`: the type.
    as_type_id: Option<String>,
    /// With `explicit`: its version.
    as_type_version: Option<u32>,
    /// `1` to show tags that the type does not know.
    #[param(value_type = Option<String>)]
    include_unknown: bool,
    /// How bytes are written: `base64` (default), `hex` or `len_only`.
    #[param(value_type = Option<String>)]
    bytes_render: BytesRender,
    /// How integers of 64 bits are written: `string` (default) or `number`.
    #[param(value_type = Option<String>)]
    u64_format: WideRender,
    /// How numbers of enums are written: `label` (default), `number` or `both`.
    #[param(value_type = Option<String>)]
    enum_render: EnumRender,
    /// How times are written: `iso` (default) or `unix_ms` (default of built-in types).
    #[param(value_type = Option<String>)]
    time_render: Option<TimeRender>,
    /// `1` to have a payload that cannot be shown be an error of the whole answer.
    #[param(value_type = Option<String>)]
    strict: bool,
}

/// Forms of a payload that are shown.
#[derive(Debug, Clone, Copy)]
struct Shown {
    typed: bool,
    raw: bool,
}

impl ViewParams {
    fn read(params: &Params) -> Result<Self, ApiError> {
        let shown = |typed, raw| Shown { typed, raw };
        Ok(ViewParams {
            view: params.choice(
                "view",
                &[("typed", shown(true, false)), ("raw", shown(false, true)), ("both", shown(true, true))],
            )?,
            type_hint_mode: params.text("type_hint_mode")?.map(str::to_owned),
            as_type_id: params.text("as_type_id")?.map(str::to_owned),
            as_type_version: params.small_number("as_type_version")?,
            include_unknown: params
                .choice("include_unknown", &[("0", false), ("1", true), ("false", false), ("true", true)])?,
            bytes_render: params
                .choice("bytes_render", &words(BytesRender::WORDS, BytesRender::from_word))?,
            u64_format: params.choice("u64_format", &words(WideRender::WORDS, WideRender::from_word))?,
            enum_render: params.choice("enum_render", &words(EnumRender::WORDS, EnumRender::from_word))?,
            time_render: params
                .text("time_render")?
                .map(|_| params.choice("time_render", &words(TimeRender::WORDS, TimeRender::from_word)))
                .transpose()?,
            strict: params.choice("strict", &[("0", false), ("1", true)])?,
        })
    }
}

/// How turns are to be shown, and what becomes of those that cannot be.
#[derive(Debug, Clone)]
pub(super) struct View {
    pub(super) of: projection::View,
    /// Whether a payload that cannot be shown is an error of the whole answer.
    pub(super) is_strict: bool,
}

impl View {
    pub(super) fn from_params(params: &Params) -> Result<Self, ApiError> {
        let said = ViewParams::read(params)?;
        let options = Options {
            include_unknown: said.include_unknown,
            bytes: said.bytes_render,
            wide: said.u64_format,
            enums: said.enum_render,
            time: said.time_render,
        };
        let (Shown { typed: is_typed, raw: is_raw }, is_strict) = (said.view, said.strict);
        let of = projection::View { is_typed, is_raw, options, hint: hint(said)? };
        Ok(View { of, is_strict })
    }

    /// What payloads of so many bytes take in memory: as they are read, and as they are written.
    pub(super) fn memory_bytes(&self, payload_bytes: u64) -> u64 {
        let typed = if self.of.is_typed { 3 * payload_bytes } else { 0 };
        let raw = match self.of.options.bytes {
            _ if !self.of.is_raw => 0,
            BytesRender::Base64 => payload_bytes.div_ceil(3) * 4,
            BytesRender::Hex => payload_bytes * 2,
            BytesRender::Length => 0,
        };
        typed + raw + if self.of.needs_bytes() { payload_bytes } else { 0 }
    }
}

fn hint(said: ViewParams) -> Result<Hint, ApiError> {
    let ViewParams { type_hint_mode, as_type_id, as_type_version, .. } = said;
    match (type_hint_mode.as_deref().unwrap_or("inherit"), as_type_id, as_type_version) {
        ("explicit", Some(id), Some(version)) => Ok(Hint::Explicit(DeclaredType { id, version })),
        ("explicit", _, _) => {
            let message = "type_hint_mode=explicit needs as_type_id and as_type_version";
            Err(ApiError::new(TurnsCode::MissingTypeHint, message))
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
