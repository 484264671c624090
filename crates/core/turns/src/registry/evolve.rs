//! How a registry may grow: nothing that was ever published changes its meaning.

use std::collections::BTreeMap;

use super::Registry;
use super::bundle::{Bundle, Labels};
use super::descriptor::{Descriptor, Field};
use super::parse::Wrong;

/// Why a bundle is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// It names something that is not there.
    Unresolved(Wrong),
    /// It changes the meaning of something that was published before.
    Illegal(Wrong),
}

/// What a bundle adds to a registry.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Growth {
    /// Versions that are new, or got their first renderer.
    pub(crate) types: BTreeMap<String, BTreeMap<u32, Descriptor>>,
    /// Enums that are new or have new labels, with all of them.
    pub(crate) enums: BTreeMap<String, Labels>,
}

/// What a bundle would add, if that is allowed. Changes nothing.
pub(crate) fn grow(known: &Registry, bundle: &Bundle) -> Result<Growth, Refused> {
    let mut growth = Growth::default();
    for (id, labels) in &bundle.enums {
        if let Some(all) = labels_after(known.labels(id), id, labels)? {
            growth.enums.insert(id.clone(), all);
        }
    }
    for (id, versions) in &bundle.types {
        let grown = versions_after(known.versions(id), id, versions)?;
        if !grown.is_empty() {
            growth.types.insert(id.clone(), grown);
        }
    }
    resolve(known, bundle, &growth)?;
    Ok(growth)
}

fn illegal(at: String, problem: impl Into<String>) -> Refused {
    Refused::Illegal(Wrong { at, problem: problem.into() })
}

/// All labels of an enum, if the bundle has new ones.
fn labels_after(known: Option<&Labels>, id: &str, sent: &Labels) -> Result<Option<Labels>, Refused> {
    let mut all = known.cloned().unwrap_or_default();
    for (number, label) in sent {
        let at = || format!("enums.{id}.{number}");
        match all.get(number) {
            Some(known) if known == label => continue,
            Some(known) => return Err(illegal(at(), format!("is `{known}` for ever, not `{label}`"))),
            None => {}
        }
        if let Some((other, _)) = all.iter().find(|(_, known)| *known == label) {
            return Err(illegal(at(), format!("`{label}` is {other} for ever")));
        }
        all.insert(*number, label.clone());
    }
    Ok((known != Some(&all)).then_some(all))
}

fn versions_after(
    known: &BTreeMap<u32, Descriptor>,
    id: &str,
    sent: &BTreeMap<u32, Descriptor>,
) -> Result<BTreeMap<u32, Descriptor>, Refused> {
    let mut grown: BTreeMap<u32, Descriptor> = BTreeMap::new();
    for (version, descriptor) in sent {
        let at = format!("types.{id}.versions.{version}");
        if let Some(before) = known.get(version) {
            if let Some(changed) = same_version(&at, before, descriptor)? {
                grown.insert(*version, changed);
            }
            continue;
        }
        if let Some((last, _)) = known.last_key_value().filter(|(last, _)| *last > version) {
            return Err(illegal(
                at,
                format!("comes after version {last} was published; use a higher number"),
            ));
        }
        for (earlier, before) in known.iter().chain(&grown) {
            check_tags(&at, *earlier, before, descriptor)?;
        }
        grown.insert(*version, descriptor.clone());
    }
    Ok(grown)
}

/// A version that is there already stays as it is; only its first renderer may come later.
fn same_version(at: &str, before: &Descriptor, sent: &Descriptor) -> Result<Option<Descriptor>, Refused> {
    if before.fields != sent.fields {
        return Err(illegal(at.to_owned(), "was published with other fields; publish a new version"));
    }
    match (&before.renderer, &sent.renderer) {
        (_, None) => Ok(None),
        (None, Some(_)) => Ok(Some(sent.clone())),
        (Some(before), Some(sent)) if before == sent => Ok(None),
        (Some(_), Some(_)) => {
            Err(illegal(format!("{at}.renderer"), "was published with another one; publish a new version"))
        }
    }
}

/// A tag keeps what it holds for ever, and one that is gone stays gone.
fn check_tags(at: &str, earlier: u32, before: &Descriptor, sent: &Descriptor) -> Result<(), Refused> {
    for (tag, field) in &sent.fields {
        let Some(known) = before.fields.get(tag) else { continue };
        let at = || format!("{at}.fields.{tag}");
        if known.tombstone && !field.tombstone {
            return Err(illegal(at(), format!("is gone since version {earlier}; use a new tag")));
        }
        if let (Some(known), Some(shape)) = (&known.shape, &field.shape)
            && known != shape
        {
            let problem = format!("held `{}` in version {earlier}; use a new tag", known.type_name);
            return Err(illegal(at(), problem));
        }
    }
    Ok(())
}

/// Every enum and every type that is named must be there afterwards.
fn resolve(known: &Registry, bundle: &Bundle, growth: &Growth) -> Result<(), Refused> {
    let has_enum = |id: &String| growth.enums.contains_key(id) || known.labels(id).is_some();
    let has_type = |id: &String| {
        bundle.types.get(id).is_some_and(|versions| !versions.is_empty()) || !known.versions(id).is_empty()
    };
    for (id, versions) in &growth.types {
        for (version, descriptor) in versions {
            for (tag, field) in &descriptor.fields {
                let at = || format!("types.{id}.versions.{version}.fields.{tag}");
                let (enums, types) = names(field);
                if let Some(missing) = enums.iter().find(|id| !has_enum(id)) {
                    let problem = format!("there is no enum `{missing}`, neither here nor published before");
                    return Err(Refused::Unresolved(Wrong { at: format!("{}.enum", at()), problem }));
                }
                if let Some(missing) = types.iter().find(|id| !has_type(id)) {
                    let problem = format!("there is no type `{missing}`, neither here nor published before");
                    return Err(Refused::Unresolved(Wrong { at: format!("{}.ref", at()), problem }));
                }
            }
        }
    }
    Ok(())
}

fn names(field: &Field) -> (Vec<String>, Vec<String>) {
    let (mut enums, mut types) = (Vec::new(), Vec::new());
    if let Some(shape) = &field.shape {
        shape.names(&mut enums, &mut types);
    }
    (enums, types)
}
