//! Conflicts as they are reported.

use std::fmt::Write;

use super::limits::CONFLICT_TEXT_CHARS_MAX;
use super::search::Holder;
use super::sweep::Found;
use super::term::is_set;
use crate::{Claim, ClaimValue, Polarity};

/// A kind of conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConflictKind {
    /// Required values exclude each other.
    Value,
    /// What is required is also forbidden.
    Polarity,
    /// Required sets differ.
    Set,
    /// A predicate is asserted and denied.
    Predicate,
}

/// A smallest set of claims that cannot hold together. Ordered by requirements, then facts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Conflict {
    /// Ids of the requirements, sorted, each once; a single one if a requirement contradicts itself.
    pub requirements: Vec<Box<str>>,
    /// Ids of the facts, sorted, each once.
    pub facts: Vec<Box<str>>,
    /// Its kind.
    pub kind: ConflictKind,
    /// The claims, as in `Value conflict on s.p: gte 5 vs lt 5`, in the order of their requirements and facts.
    pub reason: String,
}

impl Conflict {
    /// Returns the ids of the requirements joined by `/`: the entity id of a violation.
    pub fn entity_id(&self) -> String {
        self.requirements.join("/")
    }
}

/// Conflicts, sorted, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conflicts {
    /// The conflicts.
    pub list: Vec<Conflict>,
    /// Whether a limit ended the search, so that some may be missing.
    pub cut: bool,
}

impl Conflicts {
    pub(crate) fn new(mut list: Vec<Conflict>, cut: bool) -> Self {
        list.sort_unstable();
        list.dedup();
        Conflicts { list, cut }
    }

    /// Adds the conflicts of another group.
    pub(crate) fn merge(self, other: Self) -> Self {
        let mut list = self.list;
        list.extend(other.list);
        Conflicts::new(list, self.cut || other.cut)
    }
}

/// Names the ids of a conflict, sorted, each once.
pub(crate) fn ids<'a>(ids: impl Iterator<Item = &'a str>) -> Vec<Box<str>> {
    let mut ids: Vec<Box<str>> = ids.map(Box::from).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Describes a set of claims that was found.
pub(crate) fn describe(holders: &[Holder<'_>], found: &Found) -> Conflict {
    let members = || found.holders.iter().map(|at| &holders[*at]);
    let claims = || members().map(|holder| &holder.claim);
    let forbids = claims().any(|claim| claim.polarity == Polarity::Forbid);
    let kind = if forbids {
        ConflictKind::Polarity
    } else if claims().any(is_set) {
        ConflictKind::Set
    } else {
        ConflictKind::Value
    };
    Conflict {
        requirements: ids(members().map(|holder| holder.requirement)),
        facts: ids(members().map(|holder| holder.fact)),
        kind,
        reason: reason(kind, claims(), found.integers),
    }
}

fn reason<'c, 'a: 'c>(
    kind: ConflictKind,
    claims: impl Iterator<Item = &'c Claim<'a>>,
    integers: bool,
) -> String {
    let name = match kind {
        ConflictKind::Value => "Value",
        ConflictKind::Polarity => "Polarity",
        ConflictKind::Set => "Set",
        ConflictKind::Predicate => "Predicate",
    };
    let mut text = format!("{name} conflict on ");
    let mut count = 0;
    for claim in claims {
        if count == 0 {
            let (subject, property) = (short(claim.subject_key), short(claim.property_key));
            let _ = write!(text, "{subject}.{property}: ");
        } else {
            text.push_str(" vs ");
        }
        count += 1;
        if kind == ConflictKind::Polarity {
            let _ = write!(text, "{} ", claim.polarity);
        }
        let _ = write!(text, "{} {}", claim.operator, value(&claim.value));
        if !claim.unit.is_empty() {
            let _ = write!(text, " {}", short(claim.unit));
        }
    }
    if integers {
        text.push_str(if count == 2 {
            " (no integer satisfies both)"
        } else {
            " (no integer satisfies all)"
        });
    }
    text
}

fn value(value: &ClaimValue) -> String {
    match value {
        ClaimValue::Text(text) => short(text),
        ClaimValue::Number(number) => number.to_string(),
        ClaimValue::Bool(flag) => flag.to_string(),
    }
}

/// Returns the text, or its beginning if it is long.
pub(crate) fn short(text: &str) -> String {
    match text.char_indices().nth(CONFLICT_TEXT_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
