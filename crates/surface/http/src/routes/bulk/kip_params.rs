//! Parameters that export and import of what is known have in common.

use cairn_engine::KipForm;

use crate::ApiError;
use crate::params::{Params, invalid};

/// `format`: `kip` or `ndjson`.
pub(super) fn form(params: &Params) -> Result<Option<KipForm>, ApiError> {
    match params.text("format")? {
        None => Ok(None),
        Some("kip") => Ok(Some(KipForm::Text)),
        Some("ndjson") => Ok(Some(KipForm::Lines)),
        Some(other) => {
            let message = format!("format is kip or ndjson, and not {other:?}");
            Err(invalid(message).detail("parameter", "format"))
        }
    }
}

/// A parameter that is `true` or `false`.
pub(super) fn flag(params: &Params, name: &str) -> Result<bool, ApiError> {
    match params.text(name)? {
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        Some(other) => {
            let message = format!("{name} is true or false, and not {other:?}");
            Err(invalid(message).detail("parameter", name))
        }
    }
}

/// `space`, by its name.
pub(super) fn space(params: &Params) -> Result<Option<String>, ApiError> {
    Ok(params.text("space")?.map(str::to_owned))
}
