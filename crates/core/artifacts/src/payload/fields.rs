//! Fields of a payload, one check each.

use std::str::FromStr;

use cairn_access::Acl;
use cairn_access::registry::{TenantName, UserId};
use cairn_base::{CanonicalObject, Value, from_hex};
use cairn_seam::Sha256;

use super::{PayloadError, Provenance, missing};
use crate::{ArtifactId, limits};

/// Schemes of `content_url`.
const SCHEMES: [&str; 4] = ["ipfs://", "https://", "http://", "file://"];

/// The fields of a payload.
pub(super) struct Fields<'a>(pub(super) &'a CanonicalObject);

impl Fields<'_> {
    /// The value of a field; `None` if it is missing or null.
    fn value(&self, field: &'static str) -> Result<Option<Value>, PayloadError> {
        let Some(json) = self.0.get(field) else { return Ok(None) };
        let value = Value::parse_json(json.as_bytes()).map_err(|error| PayloadError::new(field, error))?;
        Ok(Some(value).filter(|value| !value.is_null()))
    }

    /// A text of at most so many bytes.
    pub(super) fn text(&self, field: &'static str, bytes_max: usize) -> Result<Option<String>, PayloadError> {
        let Some(value) = self.value(field)? else { return Ok(None) };
        text_of(field, value, bytes_max).map(Some)
    }

    /// A text that is something else.
    pub(super) fn parsed<T: FromStr<Err: ToString>>(
        &self,
        field: &'static str,
    ) -> Result<Option<T>, PayloadError> {
        let Some(text) = self.text(field, limits::SHORT_TEXT_BYTES_MAX)? else { return Ok(None) };
        let wrong = |error: T::Err| PayloadError::new(field, format!("is invalid: {}", error.to_string()));
        text.parse().map(Some).map_err(wrong)
    }

    /// The name of a user or a tenant.
    pub(super) fn name(&self, field: &'static str, bytes_max: usize) -> Result<String, PayloadError> {
        let name = self.text(field, bytes_max)?.ok_or_else(|| missing(field))?;
        let checked = match field {
            "tenant_id" => TenantName::parse(&name).map(drop),
            _ => UserId::parse(&name).map(drop),
        };
        checked.map_err(|error| PayloadError::new(field, format!("is invalid: {error}")))?;
        Ok(name)
    }

    pub(super) fn title(&self) -> Result<String, PayloadError> {
        let title = self.text("title", 4 * limits::TITLE_CHARS_MAX)?.ok_or_else(|| missing("title"))?;
        if title.trim().is_empty() {
            return Err(PayloadError::new("title", "is empty"));
        }
        check_chars("title", &title, limits::TITLE_CHARS_MAX)?;
        Ok(title)
    }

    pub(super) fn summary(&self) -> Result<String, PayloadError> {
        let summary = self.text("summary", 4 * limits::SUMMARY_CHARS_MAX)?.unwrap_or_default();
        check_chars("summary", &summary, limits::SUMMARY_CHARS_MAX)?;
        Ok(summary)
    }

    pub(super) fn tags(&self) -> Result<Vec<String>, PayloadError> {
        let tags = self.texts("tags", self.value("tags")?, limits::TAGS_MAX, 4 * limits::TAG_CHARS_MAX)?;
        for tag in &tags {
            check_chars("tags", tag, limits::TAG_CHARS_MAX)?;
            // A comma separates tags where several are asked for.
            if tag.trim().is_empty() || tag.contains(',') || tag.chars().any(char::is_control) {
                return Err(PayloadError::new(
                    "tags",
                    "has an empty tag, or one with a comma or a control character",
                ));
            }
        }
        Ok(tags)
    }

    pub(super) fn content_hash(&self) -> Result<Option<Sha256>, PayloadError> {
        let Some(text) = self.text("content_hash", 64)? else { return Ok(None) };
        let is_lower = text.bytes().all(|byte| !byte.is_ascii_uppercase());
        let hash = from_hex(&text).filter(|_| is_lower).map(Sha256::from_bytes);
        hash.map(Some).ok_or_else(|| {
            PayloadError::new(
                "content_hash",
                "must be the SHA-256 of the content, 64 hexadecimal digits in lower case",
            )
        })
    }

    pub(super) fn content_url(&self) -> Result<String, PayloadError> {
        let url = self.text("content_url", limits::SHORT_TEXT_BYTES_MAX)?.unwrap_or_default();
        let is_known = url.is_empty() || SCHEMES.iter().any(|scheme| url.starts_with(scheme));
        if !is_known || url.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(PayloadError::new(
                "content_url",
                "must be an ipfs://, https://, http:// or file:// address",
            ));
        }
        Ok(url)
    }

    pub(super) fn provenance(&self) -> Result<Provenance, PayloadError> {
        let Some(lineage) = self.value("lineage")? else { return Ok(Provenance::default()) };
        let object = lineage.as_object().ok_or_else(|| PayloadError::new("lineage", "must be an object"))?;
        let of = |key: &str| object.get(key).filter(|value| !value.is_null()).cloned();
        let text = |key: &str| {
            let bytes_max = 4 * limits::SHORT_TEXT_BYTES_MAX;
            of(key).map_or_else(|| Ok(String::new()), |value| text_of("lineage", value, bytes_max))
        };
        let list =
            |key: &str, count_max| self.texts("lineage", of(key), count_max, limits::SHORT_TEXT_BYTES_MAX);
        let mut parents: Vec<ArtifactId> = Vec::new();
        for parent in list("parent_reports", limits::PARENTS_MAX)? {
            let wrong = |error| PayloadError::new("lineage", format!("has an invalid parent: {error}"));
            let parent = parent.parse().map_err(wrong)?;
            if !parents.contains(&parent) {
                parents.push(parent);
            }
        }
        Ok(Provenance {
            query: text("query")?,
            data_sources: list("data_sources", limits::DATA_SOURCES_MAX)?,
            agent: text("agent")?,
            parents,
        })
    }

    pub(super) fn acl(&self) -> Result<Acl, PayloadError> {
        let Some(acl) = self.value("acl")? else { return Ok(Acl::default()) };
        let object = acl.as_object().ok_or_else(|| PayloadError::new("acl", "must be an object"))?;
        let list = |key: &str| {
            let value = object.get(key).filter(|value| !value.is_null()).cloned();
            self.texts("acl", value, limits::ACL_ENTRIES_MAX, limits::SHORT_TEXT_BYTES_MAX)
        };
        let acl = Acl {
            tenants: list("allowed_tenants")?,
            users: list("allowed_users")?,
            teams: list("allowed_teams")?,
        };
        let entries = || acl.tenants.iter().chain(&acl.users).chain(&acl.teams);
        if entries().count() > limits::ACL_ENTRIES_MAX
            || entries().map(String::len).sum::<usize>() > limits::ACL_BYTES_MAX
        {
            let problem = format!(
                "has more than {} entries or {} bytes",
                limits::ACL_ENTRIES_MAX,
                limits::ACL_BYTES_MAX
            );
            return Err(PayloadError::new("acl", problem));
        }
        if entries().any(|entry| entry.trim().is_empty()) {
            return Err(PayloadError::new("acl", "has an empty entry"));
        }
        Ok(acl)
    }

    /// Embeddings are stored and returned; they only have to be numbers, and not too many.
    pub(super) fn check_embeddings(&self) -> Result<(), PayloadError> {
        let Some(value) = self.value("embeddings")? else { return Ok(()) };
        let numbers = value.as_array().filter(|items| items.iter().all(|item| item.as_number().is_some()));
        match numbers {
            Some(numbers) if numbers.len() <= limits::EMBEDDING_NUMBERS_MAX => Ok(()),
            _ => {
                let problem = format!("must be a list of at most {} numbers", limits::EMBEDDING_NUMBERS_MAX);
                Err(PayloadError::new("embeddings", problem))
            }
        }
    }

    fn texts(
        &self,
        field: &'static str,
        value: Option<Value>,
        count_max: usize,
        bytes_max: usize,
    ) -> Result<Vec<String>, PayloadError> {
        let items = match value {
            None => return Ok(Vec::new()),
            Some(Value::Array(items)) if items.len() <= count_max => items,
            Some(Value::Array(_)) => {
                return Err(PayloadError::new(field, format!("has a list of more than {count_max} entries")));
            }
            Some(_) => return Err(PayloadError::new(field, "must be a list of strings")),
        };
        items.into_iter().map(|item| text_of(field, item, bytes_max)).collect()
    }
}

fn text_of(field: &'static str, value: Value, bytes_max: usize) -> Result<String, PayloadError> {
    match value {
        Value::String(text) if text.len() <= bytes_max => Ok(text),
        Value::String(_) => {
            Err(PayloadError::new(field, format!("has a text of more than {bytes_max} bytes")))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Err(PayloadError::new(field, "must be a string"))
        }
    }
}

fn check_chars(field: &'static str, text: &str, chars_max: usize) -> Result<(), PayloadError> {
    if text.chars().count() > chars_max {
        return Err(PayloadError::new(field, format!("has more than {chars_max} characters")));
    }
    Ok(())
}

/// Formats that nobody here knows are accepted, as long as they look like one.
pub(super) fn is_format(format: &str) -> bool {
    let is_allowed =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_.+/-".contains(&byte);
    !format.is_empty() && format.bytes().all(is_allowed)
}
