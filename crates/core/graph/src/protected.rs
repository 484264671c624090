//! What stays as it is once a space has been bootstrapped.
//!
//! The concepts that the schema stands on and the three core domains: nothing of them is written or deleted,
//! nor any link whose subject they are. Links to them are free: members may join and leave a domain.
//! `$self` and `$system` stay, with their `core_directives`; the rest of them is theirs to change. The types
//! `Person`, `Event` and `SleepTask` cannot be deleted; their definitions may grow.

use crate::{ConceptId, Element, GraphError, Map, Part, Result, TypeId, known};

/// What agents may not rewrite of themselves.
const CORE_DIRECTIVES: &str = "core_directives";

const FIXED_RULE: &str = "meta types, core definitions and core domains are not changed or deleted";
const AGENT_RULE: &str = "$self and $system cannot be deleted";
const REQUIRED_RULE: &str = "every space has this type: its definition may change, but it cannot be deleted";
const DIRECTIVES_RULE: &str = "core directives are not changed or deleted";
const LINK_RULE: &str = "links from meta types, core definitions and core domains stay as they are";

/// Whether nothing of a concept may be written, nor any link whose subject it is.
pub fn is_fixed(id: ConceptId) -> bool {
    [
        known::CONCEPT_TYPE.concept(),
        known::PROPOSITION_TYPE.concept(),
        known::DOMAIN.concept(),
        known::BELONGS_TO_DOMAIN.concept(),
        known::CORE_SCHEMA,
        known::UNSORTED,
        known::ARCHIVED,
    ]
    .contains(&id)
}

/// The attribute of a concept that nobody may write once it is there, if it has one.
pub fn protected_attribute(id: ConceptId) -> Option<&'static str> {
    is_agent(id).then_some(CORE_DIRECTIVES)
}

fn is_agent(id: ConceptId) -> bool {
    [known::SELF, known::SYSTEM].contains(&id)
}

/// Whether keys of a concept that is there may be set or removed.
pub(crate) fn check_keys<'k>(
    id: ConceptId,
    name: &str,
    part: Part,
    stored: &Map,
    mut keys: impl Iterator<Item = &'k String>,
) -> Result<()> {
    if is_fixed(id) && keys.next().is_some() {
        return refuse(name, FIXED_RULE);
    }
    let has_directives = is_agent(id) && part == Part::Attributes && stored.contains_key(CORE_DIRECTIVES);
    if has_directives && keys.any(|key| key == CORE_DIRECTIVES) {
        return refuse(&format!("`{CORE_DIRECTIVES}` of {name}"), DIRECTIVES_RULE);
    }
    Ok(())
}

/// Whether a concept cannot be deleted: one that every space must have.
pub fn keeps_concept(id: ConceptId, kind: TypeId, name: &str) -> bool {
    check_delete(id, kind, name).is_err()
}

/// Whether a link with this subject stays, as long as its subject does.
pub fn keeps_link_of(subject: Element) -> bool {
    check_link(subject).is_err()
}

/// Whether a concept may be deleted.
pub(crate) fn check_delete(id: ConceptId, kind: TypeId, name: &str) -> Result<()> {
    match id {
        id if is_fixed(id) => refuse(name, FIXED_RULE),
        id if is_agent(id) => refuse(name, AGENT_RULE),
        _ if is_required(kind, name) => refuse(name, REQUIRED_RULE),
        _ => Ok(()),
    }
}

/// Not by its number: what was restored has another one.
fn is_required(kind: TypeId, name: &str) -> bool {
    known::REQUIRED.iter().any(|required| required.kind == kind && required.name == name)
}

/// Whether a link with this subject may be made, changed or deleted.
pub(crate) fn check_link(subject: Element) -> Result<()> {
    match subject {
        Element::Concept(id) if is_fixed(id) => refuse(&format!("what {id} is the subject of"), LINK_RULE),
        Element::Concept(_) | Element::Link(_) => Ok(()),
    }
}

fn refuse(what: &str, rule: &'static str) -> Result<()> {
    Err(GraphError::Protected { what: what.to_owned(), rule })
}
