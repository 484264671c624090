//! What is of interest in single concepts and links.

use std::collections::BTreeSet;

use cairn_base::Value;
use cairn_seam::Visit;

use super::expiry::{Expiry, KEY};
use super::report::{SleepElement, SleepTask};
use super::tasks;
use crate::known::{BELONGS_TO_DOMAIN, SELF, SYSTEM};
use crate::{ConceptId, Element, LinkId, Lookup, Part, RecordView, Result, View, concept_text, link_text};

/// Aliases of a concept that are compared.
const ALIASES_MAX: usize = 64;

/// What is of interest in a concept.
pub(super) struct Seen {
    pub(super) id: ConceptId,
    pub(super) name: String,
    pub(super) expiry: Expiry,
    pub(super) aliases: Vec<String>,
    /// Its status, its priority and itself, if it is a task.
    pub(super) task: Option<(String, f64, SleepTask)>,
}

impl Seen {
    pub(super) fn read(id: ConceptId, record: &RecordView<'_>, now_ms: u64, is_task: bool) -> Result<Self> {
        let name = record.name().unwrap_or_default().to_owned();
        let aliases = match record.value(Part::Attributes, &["aliases"])? {
            Some(Value::Array(items)) => items
                .into_iter()
                .take(ALIASES_MAX)
                .filter_map(|item| if let Value::String(text) = item { Some(text) } else { None })
                .collect(),
            Some(Value::String(text)) => vec![text],
            _ => Vec::new(),
        };
        let task = if is_task { Some(tasks::read(id, &name, record)?) } else { None };
        Ok(Seen { id, name, expiry: expiry(record, now_ms)?, aliases, task })
    }

    /// Its own name, and its aliases.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        [&*self.name].into_iter().chain(self.aliases.iter().map(String::as_str))
    }

    /// As it is shown, given the name of its type.
    pub(super) fn shown(&self, kind: &str) -> SleepElement {
        SleepElement {
            id: concept_text(self.id),
            kind: kind.to_owned(),
            name: Some(self.name.clone()),
            expires_at: None,
            kept_because: None,
        }
    }
}

/// What a record says about its time.
pub(super) fn expiry(record: &RecordView<'_>, now_ms: u64) -> Result<Expiry> {
    Ok(Expiry::of(record.value(Part::Metadata, &[KEY])?.as_ref(), now_ms))
}

/// A link whose time matters, as it is shown.
pub(super) fn link(id: LinkId, predicate: &str, expires_at: String, kept: Option<&str>) -> SleepElement {
    SleepElement {
        id: link_text(id, predicate),
        kind: predicate.to_owned(),
        name: None,
        expires_at: Some(expires_at),
        kept_because: kept.map(str::to_owned),
    }
}

/// Those of a page that belong to no domain. The two agents need none.
pub(super) fn without_domain(view: &View<'_>, page: &[Seen]) -> Result<BTreeSet<ConceptId>> {
    let ids: Vec<ConceptId> =
        page.iter().map(|seen| seen.id).filter(|id| ![SELF, SYSTEM].contains(id)).collect();
    let lookups: Vec<Lookup> = ids
        .iter()
        .map(|id| Lookup::Out { subject: Element::Concept(*id), predicate: Some(BELONGS_TO_DOMAIN) })
        .collect();
    let mut homeless: BTreeSet<ConceptId> = ids.iter().copied().collect();
    view.edges(&lookups, &mut |at, _| {
        homeless.remove(&ids[at]);
        Visit::NextRange
    })?;
    Ok(homeless)
}
