//! Conflicts between predicates: one asserts what another denies.

use cairn_base::Value;

use super::conflict::{Conflict, ConflictKind, Conflicts, ids, short};
use super::group::GroupKey;
use super::limits::CONFLICTS_PER_GROUP_MAX;
use crate::{FactFields, Polarity};

/// The namespace of a predicate that names none.
const DEFAULT_NAMESPACE: &str = "default";

/// A requirement that requires a predicate.
pub(crate) struct Stance<'a> {
    pub(crate) requirement: &'a str,
    pub(crate) fact: &'a str,
    pub(crate) fields: &'a FactFields,
    pub(crate) deny: bool,
    pub(crate) wanted: bool,
}

/// Whether a predicate is denied, by its polarity or by its last argument; `None` if its polarity is an unknown word.
pub(crate) fn denies(fact: &FactFields) -> Option<bool> {
    let (_, decision) = split(fact.predicate_args.as_deref().unwrap_or_default());
    let is_denied = decision == Some(Polarity::Deny);
    let Some(text) = fact.polarity.as_deref() else { return Some(is_denied) };
    match Polarity::parse(text)? {
        Polarity::Assert => Some(is_denied),
        Polarity::Deny => Some(true),
        Polarity::Require | Polarity::Forbid => None,
    }
}

/// The arguments without a decision at their end, as that of `permission_rule(actor, action, resource, deny)`.
fn split(args: &[Value]) -> (&[Value], Option<Polarity>) {
    let decision = args.last().and_then(Value::as_str).and_then(Polarity::parse);
    match (decision, args) {
        (Some(Polarity::Assert | Polarity::Deny), [before @ .., _]) if !before.is_empty() => {
            (before, decision)
        }
        _ => (args, None),
    }
}

/// Finds the conflicts between predicates of one group.
pub(crate) fn search(stances: &[Stance<'_>]) -> Conflicts {
    let (denials, assertions): (Vec<_>, Vec<_>) = stances.iter().partition(|stance| stance.deny);
    let wanted: Vec<_> = assertions.iter().filter(|stance| stance.wanted).collect();
    let mut list = Vec::new();
    for denial in denials {
        let others = if denial.wanted { assertions.iter().collect() } else { wanted.clone() };
        for assertion in others {
            if list.len() == CONFLICTS_PER_GROUP_MAX {
                return Conflicts::new(list, true);
            }
            list.push(describe(assertion, denial));
        }
    }
    Conflicts::new(list, false)
}

fn describe(assertion: &Stance<'_>, denial: &Stance<'_>) -> Conflict {
    let (first, polarities) = if (assertion.requirement, assertion.fact) < (denial.requirement, denial.fact) {
        (assertion, "assert vs deny")
    } else {
        (denial, "deny vs assert")
    };
    Conflict {
        requirements: ids([assertion.requirement, denial.requirement].into_iter()),
        facts: ids([assertion.fact, denial.fact].into_iter()),
        kind: ConflictKind::Predicate,
        reason: format!("Predicate conflict on {}: {polarities}", spelling(first.fields)),
    }
}

/// Returns a predicate as it is written: `name(a, b)`, with its namespace unless that is the default one. The group
/// does not tell: its arguments may be written in several ways, `1` and `1.0`.
fn spelling(fact: &FactFields) -> String {
    let (args, _) = split(fact.predicate_args.as_deref().unwrap_or_default());
    let args: Vec<String> =
        args.iter().map(|arg| arg.as_str().map_or_else(|| arg.to_json(), str::to_owned)).collect();
    let name = fact.predicate_name.as_deref().unwrap_or_default();
    let namespace = match namespace(fact) {
        DEFAULT_NAMESPACE => String::new(),
        other => format!("{}:", short(other)),
    };
    format!("{namespace}{}({})", short(name), short(&args.join(", ")))
}

fn namespace(fact: &FactFields) -> &str {
    let namespace = fact.predicate_namespace.as_deref().filter(|namespace| !namespace.is_empty());
    namespace.unwrap_or(DEFAULT_NAMESPACE)
}

/// Returns the group of a predicate fact; `None` if it has no name or no arguments. What is asserted and what is denied
/// are in one group.
pub(crate) fn group_of(fact: &FactFields) -> Option<GroupKey> {
    let (args, _) = split(fact.predicate_args.as_deref()?);
    Some(GroupKey::Predicate {
        namespace: namespace(fact).into(),
        name: fact.predicate_name.clone()?,
        args: args.into(),
    })
}
