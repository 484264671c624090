//! Concepts that every space must have, brought back where an earlier version let them be deleted.

use std::collections::BTreeMap;

use cairn_access::Scope;
use cairn_seam::WriteTx;

use super::{Item, bad, items, metadata};
use crate::known::{self, REQUIRED, Required};
use crate::{ConceptWrite, LinkTarget, LinkWrite, Map, Result, Target, View, Writer};

impl View<'_> {
    /// Whether a concept is missing that every space must have; [`restore`] brings it back.
    pub fn lacks_required(&self) -> Result<bool> {
        Ok(!self.lost()?.is_empty())
    }

    fn lost(&self) -> Result<Vec<Required>> {
        let wanted = REQUIRED.map(|required| (required.kind, required.name));
        let found = self.find_concepts(&wanted)?;
        let lost = REQUIRED.into_iter().zip(found).filter(|(_, found)| found.is_none());
        Ok(lost.map(|(required, _)| required).collect())
    }
}

/// Restores the concepts that every space must have and this one has lost, each with its first attributes and
/// its domain. Returns whether there were any. The same time gives the same bytes.
///
/// A concept gets the number that it has in every space, or else a new one: no number is used again.
pub fn restore(tx: &mut dyn WriteTx, scope: &Scope, now_ms: u64) -> Result<bool> {
    let lost = View::new(&*tx, *scope).lost()?;
    if lost.is_empty() {
        return Ok(false);
    }
    let mut items: BTreeMap<String, Item> =
        items()?.into_iter().map(|item| (item.name.clone(), item)).collect();
    let mut writer = Writer::privileged(tx, *scope, now_ms);
    let mut members = Vec::new();
    for Required { kind, name, number } in lost {
        let Item { name, domain, attributes, .. } =
            items.remove(name).ok_or_else(|| bad("a concept that every space has is not in it"))?;
        let id = match number {
            Some(id) => {
                writer.recreate_concept(id, kind, name, attributes, metadata())?;
                id
            }
            None => {
                let (target, metadata) = (Target::Named(kind, name), metadata());
                let write = ConceptWrite { target, expect_version: Some(0), attributes, metadata };
                writer.upsert_concept(write)?.0
            }
        };
        members.extend(domain.map(|domain| (id, domain)));
    }
    for (member, domain) in members {
        let domain = REQUIRED.iter().find(|required| required.name == domain);
        let domain = domain.and_then(|domain| domain.number).ok_or_else(|| bad("a domain is not defined"))?;
        let target = LinkTarget::Triple(member.into(), known::BELONGS_TO_DOMAIN, domain.into());
        let (attributes, metadata) = (Map::new(), metadata());
        writer.upsert_link(LinkWrite { target, expect_version: None, attributes, metadata })?;
    }
    writer.finish()?;
    Ok(true)
}
