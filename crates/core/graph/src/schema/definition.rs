//! A type or predicate, as far as writing what follows it needs it.

use cairn_base::Value;

use super::naming;
use super::rules::{ENFORCE_SCHEMA, Rules};
use super::shape::kind_of;
use crate::record::RecordView;
use crate::{GraphError, Map, Meta, Part, Result};

#[derive(Debug, Clone)]
pub(crate) struct Definition {
    pub(crate) name: String,
    /// `None` while its schema is advice only.
    pub(crate) rules: Option<Rules>,
}

impl Definition {
    pub(crate) fn read(record: &RecordView<'_>) -> Result<Self> {
        let name = record.name().unwrap_or_default().to_owned();
        let is_enforced = record.value(Part::Attributes, &[ENFORCE_SCHEMA])? == Some(Value::Bool(true));
        // A schema that makes no sense was refused when it was to be enforced, so there is none.
        let rules = if is_enforced { Rules::parse(&record.attributes()?).ok() } else { None };
        Ok(Definition { name, rules })
    }
}

/// Whether a definition can be what it is about to be. Its name is looked at when it is made.
pub(crate) fn check_definition(meta: Meta, name: &str, is_new: bool, attributes: &Map) -> Result<()> {
    if is_new {
        naming::check(meta, name)?;
    }
    let what = || format!("the {} `{name}`", meta.singular());
    match attributes.get(ENFORCE_SCHEMA) {
        None | Some(Value::Null | Value::Bool(false)) => Ok(()),
        Some(Value::Bool(true)) => match Rules::parse(attributes) {
            Ok(_) => Ok(()),
            Err(wrong) => {
                let problem = format!("cannot enforce its schema: {} {}", wrong.at, wrong.problem);
                Err(GraphError::Constraint { what: what(), problem })
            }
        },
        Some(other @ (Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_))) => {
            let (key, expected) = (ENFORCE_SCHEMA.into(), "a boolean".into());
            Err(GraphError::ValueType { what: what(), key, expected, found: kind_of(other) })
        }
    }
}
