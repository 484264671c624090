//! Refusing what an enforced schema does not allow.

use cairn_base::Value;

use super::rules::{Ends, Rules};
use super::shape::kind_of;
use crate::{GraphError, Map, Result};

/// How the type of an end is called that is a link.
const LINK_TYPE: &str = "PropositionLink";

/// Whether attributes are what the rules say; those that they do not mention are free.
pub(crate) fn check_attributes(what: &str, rules: &Rules, attributes: &Map) -> Result<()> {
    let refuse = |problem: String| Err(GraphError::Constraint { what: what.to_owned(), problem });
    let missing: Vec<String> = rules
        .attributes
        .iter()
        .filter(|(key, rule)| rule.is_required && attributes.get(*key).is_none_or(Value::is_null))
        .map(|(key, _)| format!("`{key}`"))
        .collect();
    if !missing.is_empty() {
        return refuse(format!("lacks what its schema asks for: {}", missing.join(", ")));
    }
    for (key, rule) in &rules.attributes {
        let Some(value) = attributes.get(key).filter(|value| !value.is_null()) else { continue };
        if let Some(shape) = rule.shape.as_ref().filter(|shape| !shape.admits(value)) {
            return Err(GraphError::ValueType {
                what: what.to_owned(),
                key: key.clone(),
                expected: shape.to_string(),
                found: kind_of(value),
            });
        }
        if let Some(choices) = rule.choices.as_ref().filter(|choices| !choices.contains(value)) {
            let choices: Vec<String> = choices.iter().map(Value::to_json).collect();
            return refuse(format!("may have as `{key}` only one of {}", choices.join(", ")));
        }
    }
    Ok(())
}

/// Whether a predicate may link a subject and an object of these types; `None` is a link.
pub(crate) fn check_ends(
    predicate: &str,
    rules: &Rules,
    subject_type: Option<&str>,
    object_type: Option<&str>,
) -> Result<()> {
    for (end, rule, found) in
        [("subject", &rules.subjects, subject_type), ("object", &rules.objects, object_type)]
    {
        let Ends::Types(allowed) = rule else { continue };
        let found = found.unwrap_or(LINK_TYPE);
        if !allowed.iter().any(|name| name == found) {
            let problem = format!("takes as its {end} only {}, and not {found}", allowed.join(", "));
            return Err(GraphError::Constraint { what: format!("the predicate `{predicate}`"), problem });
        }
    }
    Ok(())
}
