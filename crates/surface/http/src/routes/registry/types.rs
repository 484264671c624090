//! `/v1/registry/types` and `/v1/registry/renderers`: what is published.

use std::collections::BTreeMap;

use axum::http::HeaderMap;
use axum::response::Response;
use cairn_base::{ErrorCode, Value};
use cairn_turns::registry::{Described, Descriptor, Registry, Shape, labels_to_value};
use cairn_wire::registry::{RegistryType, RegistryTypes, Renderers};

use crate::ApiError;
use crate::call::Call;
use crate::content;
use crate::error::ErrorBody;
use crate::params::Params;

/// Every type
///
/// By name, with the versions of each. Types that are built in are listed until somebody publishes them.
#[utoipa::path(
    get,
    path = "/v1/registry/types",
    tag = "registry",
    responses(
        (status = 200, description = "The types", body = RegistryTypes),
        (status = 304, description = "The client has this list already"),
        (status = 503, description = "Too much is going on; come back later", body = ErrorBody),
    )
)]
pub(super) async fn list(call: Call, headers: HeaderMap) -> Result<Response, ApiError> {
    let value = call
        .read(|engine, principal| {
            let registry = engine.registry(principal, principal.tenant())?;
            let types = registry.types().map(|(id, versions)| {
                let versions: Vec<u32> = versions.keys().copied().collect();
                let latest = versions.last().copied();
                RegistryType { built_in: registry.is_built_in(id), latest, type_id: id.to_owned(), versions }
            });
            let registry_bundle_id = registry.last_bundle().map(str::to_owned);
            Ok(RegistryTypes { registry_bundle_id, types: types.collect() })
        })
        .await?;
    Ok(content::json(&headers, &value))
}

/// One version of a type
///
/// With its fields by their tags, and the enums that they name.
#[utoipa::path(
    get,
    path = "/v1/registry/types/{type_id}/versions/{type_version}",
    tag = "registry",
    params(
        ("type_id" = String, Path, example = "com.example.Message", description = "The type, percent-encoded"),
        ("type_version" = u32, Path, example = 1, description = "Its version"),
    ),
    responses(
        (status = 200, description = "The descriptor", body = Object),
        (status = 304, description = "The client has it already"),
        (status = 404, description = "There is no such type, or no such version of it", body = ErrorBody),
        (status = 422, description = "That is no version", body = ErrorBody),
        (status = 503, description = "Too much is going on; come back later", body = ErrorBody),
    )
)]
pub(super) async fn get(call: Call, params: Params, headers: HeaderMap) -> Result<Response, ApiError> {
    let id = params.in_path("type_id").to_owned();
    let version = params.version()?;
    let value = call
        .read(move |engine, principal| {
            let registry = engine.registry(principal, principal.tenant())?;
            Ok(registry.descriptor(&id, version).map(|found| described(&id, found)))
        })
        .await?;
    let missing = || {
        let message = format!("there is no version {version} of the type `{}`", params.in_path("type_id"));
        ApiError::new(ErrorCode::NotFound, message)
    };
    Ok(content::json(&headers, &value.ok_or_else(missing)?))
}

/// What shows types in a browser
///
/// The renderer of the newest version of every type that has one.
#[utoipa::path(
    get,
    path = "/v1/registry/renderers",
    tag = "registry",
    responses(
        (status = 200, description = "Renderers by type", body = Renderers),
        (status = 304, description = "The client has this list already"),
        (status = 503, description = "Too much is going on; come back later", body = ErrorBody),
    )
)]
pub(super) async fn renderers(call: Call, headers: HeaderMap) -> Result<Response, ApiError> {
    let value = call
        .read(|engine, principal| Ok(newest_renderers(&*engine.registry(principal, principal.tenant())?)))
        .await?;
    Ok(content::json(&headers, &value))
}

fn newest_renderers(registry: &Registry) -> Renderers {
    let newest = |versions: &BTreeMap<u32, Descriptor>| {
        versions.values().rev().find_map(|descriptor| descriptor.renderer.clone())
    };
    let all =
        registry.types().filter_map(|(id, versions)| Some((id.to_owned(), newest(versions)?.to_value())));
    Renderers { renderers: all.collect() }
}

fn described(id: &str, found: Described<'_>) -> Value {
    let value = found.descriptor.to_value();
    let mut entries = if let Value::Object(entries) = value { entries } else { BTreeMap::new() };
    entries.insert("type_id".to_owned(), id.into());
    entries.insert("type_version".to_owned(), u64::from(found.version).into());
    let mut enums = BTreeMap::new();
    for shape in found.descriptor.fields.values().filter_map(|field| field.shape.as_ref()) {
        add_enums(shape, found, &mut enums);
    }
    if !enums.is_empty() {
        entries.insert("enums".to_owned(), enums.into());
    }
    entries.into()
}

fn add_enums(shape: &Shape, found: Described<'_>, enums: &mut BTreeMap<String, Value>) {
    if let Some(id) = &shape.enum_id
        && let Some(labels) = found.labels(id)
    {
        enums.insert(id.clone(), labels_to_value(labels));
    }
    for inner in shape.items.iter().chain(&shape.values) {
        add_enums(inner, found, enums);
    }
}
