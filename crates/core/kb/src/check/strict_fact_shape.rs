//! strict-fact-shape: a fact has the fields that its kind needs. One violation per fact: the first error.
//!
//! The shapes are those of the write path, which refuses such facts; older ones and those from elsewhere remain. A kind
//! that does not exist is a violation, a legacy fact without a kind is none.

use cairn_base::{Value, nearest};

use super::Rule;
use super::explain::violation;
use super::finding::Finding;
use super::fix::upsert;
use super::table::View;
pub(crate) use super::table::written as affected;
use crate::entity::{FieldError, check_fact_shape, cut};
use crate::tools::{UpsertInput, Violation};
use crate::{EntityType, FactFields, FactKind, NodeKey, ValueType};

pub(crate) fn check(view: View<'_>, subject: NodeKey, found: &mut Vec<Finding>) {
    let Some(node) = view.branch.node(subject).filter(|node| node.kind == EntityType::Fact) else { return };
    if node.fact.as_deref().is_some_and(|fact| error_of(fact).is_some()) {
        found.push(Finding::new(subject, &node.id, 0));
    }
}

fn error_of(fact: &FactFields) -> Option<FieldError> {
    match (fact.fact_kind.as_deref(), fact.kind()) {
        (Some(unknown), None) => {
            let message = format!("{:?} is not one of {}", cut(unknown), FactKind::TEXTS.join(", "));
            Some(FieldError::new("fact_kind", message, None))
        }
        (_, Some(_)) | (None, None) => check_fact_shape(fact).err(),
    }
}

pub(crate) fn explain(view: View<'_>, finding: &Finding) -> Violation {
    let fact = view.branch.node(finding.subject).and_then(|node| node.fact.as_deref());
    let error = fact.and_then(error_of);
    let fix = fact.map(|fact| payload(&finding.entity, fact));
    let (description, hint) =
        error.map(|error| (format!("{}: {}", error.field, error.message), error.hint)).unwrap_or_default();
    violation(
        view.branch,
        Rule::StrictFactShape,
        finding,
        description,
        hint.unwrap_or_else(|| "upsert the fact with the field corrected".to_owned()),
        fix.into_iter().collect(),
    )
}

/// A payload that fills every field that the kind needs.
fn payload(id: &str, fact: &FactFields) -> UpsertInput {
    let payload = upsert(EntityType::Fact, id, []);
    let mut fill = Fill { payload };
    match fact.kind() {
        None => {
            let unknown = fact.fact_kind.as_deref().unwrap_or_default();
            let meant = nearest(cut(unknown), ["observation", "meta"]).unwrap_or("observation");
            fill.set("fact_kind", meant.into());
        }
        Some(FactKind::Observation | FactKind::Meta) => {}
        Some(FactKind::Subject) => fill.text("subject_key", &fact.subject_key),
        Some(FactKind::PropertyValue) => property_value(&mut fill, fact),
        Some(FactKind::PredicateSchema) => predicate_schema(&mut fill, fact),
        Some(FactKind::Predicate) => predicate(&mut fill, fact),
    }
    fill.payload
}

struct Fill {
    payload: UpsertInput,
}

impl Fill {
    fn set(&mut self, name: &str, value: Value) {
        self.payload.properties.0.insert(name.to_owned(), value);
    }

    /// Fills a missing text with a placeholder.
    fn text(&mut self, name: &str, present: &Option<Box<str>>) {
        if present.as_deref().is_none_or(str::is_empty) {
            self.set(name, format!("<{name}>").into());
        }
    }

    /// Removes a polarity that the kind does not have, so that the default holds.
    fn polarity(&mut self, present: &Option<Box<str>>, allowed: [&str; 2]) {
        if !matches!(present.as_deref(), None | Some("")) && !allowed.map(Some).contains(&present.as_deref())
        {
            self.set("polarity", Value::Null);
        }
    }
}

fn property_value(fill: &mut Fill, fact: &FactFields) {
    fill.text("subject_key", &fact.subject_key);
    fill.text("property_key", &fact.property_key);
    if fact.operator.as_deref().is_none_or(str::is_empty) {
        fill.set("operator", "eq".into());
    }
    let values = [
        (ValueType::String, "value_string", fact.value_string.is_some()),
        (ValueType::Int, "value_int", fact.value_int.is_some()),
        (ValueType::Number, "value_number", fact.value_number.is_some()),
        (ValueType::Bool, "value_bool", fact.value_bool.is_some()),
    ];
    let said = fact.value_type.as_deref().and_then(ValueType::parse);
    let kept = values.iter().find(|(kind, _, is_present)| *is_present && said == Some(*kind));
    let kept = kept.or_else(|| values.iter().find(|(.., is_present)| *is_present));
    let (kind, name, is_present) = *kept.unwrap_or(&values[0]);
    if said != Some(kind) {
        fill.set("value_type", kind.text().into());
    }
    if !is_present {
        fill.set(name, "<value>".into());
    }
    for (_, other, is_present) in values {
        if is_present && other != name {
            fill.set(other, Value::Null);
        }
    }
    fill.polarity(&fact.polarity, ["require", "forbid"]);
}

fn predicate_schema(fill: &mut Fill, fact: &FactFields) {
    fill.text("predicate_name", &fact.predicate_name);
    let declared = fact.predicate_arity.and_then(|arity| arity.as_u64()).map(|arity| arity as usize);
    let counts = [fact.argument_names, fact.argument_types, declared];
    let arity = counts.into_iter().flatten().find(|count| *count >= 1).unwrap_or(1);
    let arity = arity.min(crate::limits::ENTITY_LIST_ITEMS_MAX);
    fill.set("predicate_arity", Value::from(arity as u64));
    for (name, what, count) in
        [("argument_names", "name", fact.argument_names), ("argument_types", "type", fact.argument_types)]
    {
        if count != Some(arity) {
            let items = (1..=arity).map(|at| Value::from(format!("<{what} of argument {at}>")));
            fill.set(name, Value::Array(items.collect()));
        }
    }
}

fn predicate(fill: &mut Fill, fact: &FactFields) {
    fill.text("predicate_name", &fact.predicate_name);
    if fact.predicate_args.as_ref().is_none_or(|args| args.is_empty()) {
        fill.set("predicate_args", Value::Array(vec!["<argument>".into()]));
    }
    fill.text("canonical_key", &fact.canonical_key);
    fill.polarity(&fact.polarity, ["assert", "deny"]);
}

#[cfg(test)]
mod tests {
    use cairn_base::{Number, Value};

    use crate::FactFields;
    use crate::check::Rule::StrictFactShape as RULE;
    use crate::check::tests::{Builder, finds};

    /// A complete fact of a kind.
    fn complete(kind: &str) -> FactFields {
        let some = |text: &str| Some(text.into());
        FactFields {
            fact_kind: some(kind),
            subject_key: some("s"),
            property_key: some("p"),
            operator: some("eq"),
            value_type: some("int"),
            value_int: Some(Number::from(5_i64)),
            canonical_key: some("n(a)"),
            predicate_name: some("n"),
            predicate_args: Some(vec![Value::from("a")].into()),
            predicate_arity: Some(Number::from(2_i64)),
            argument_names: Some(2),
            argument_types: Some(2),
            ..FactFields::default()
        }
    }

    fn fact(kind: &str, edit: fn(&mut FactFields)) -> Builder {
        let mut fields = complete(kind);
        edit(&mut fields);
        Builder::new("fact:F").set("F", move |node| node.fact = Some(Box::new(fields.clone())))
    }

    #[test]
    fn each_shape_just_does_not_violate() {
        for kind in ["subject", "property_value", "predicate_schema", "predicate", "observation", "meta"] {
            finds(&fact(kind, |_| {}), RULE, &[]);
        }
        finds(&fact("meta", |fact| *fact = FactFields::default()), RULE, &[]);
        finds(&fact("predicate", |fact| fact.polarity = Some("deny".into())), RULE, &[]);
        finds(&fact("property_value", |fact| fact.polarity = Some("forbid".into())), RULE, &[]);
    }

    type Row = (&'static str, fn(&mut FactFields), &'static str);

    #[test]
    fn each_field_just_violates() {
        let rows: &[Row] = &[
            ("subject", |fact| fact.subject_key = None, "subject_key"),
            ("property_value", |fact| fact.subject_key = None, "subject_key"),
            ("property_value", |fact| fact.property_key = None, "property_key"),
            ("property_value", |fact| fact.operator = None, "operator"),
            ("property_value", |fact| fact.value_type = None, "value_type"),
            ("property_value", |fact| fact.value_int = None, "value_*"),
            ("property_value", |fact| fact.value_bool = Some(true), "value_*"),
            ("property_value", |fact| fact.value_type = Some("bool".into()), "value_int"),
            ("property_value", |fact| fact.polarity = Some("deny".into()), "polarity"),
            ("predicate_schema", |fact| fact.predicate_name = None, "predicate_name"),
            ("predicate_schema", |fact| fact.predicate_arity = None, "predicate_arity"),
            ("predicate_schema", |fact| fact.argument_names = None, "argument_names"),
            ("predicate_schema", |fact| fact.argument_types = None, "argument_types"),
            ("predicate_schema", |fact| fact.argument_names = Some(3), "argument_names"),
            ("predicate_schema", |fact| fact.argument_types = Some(1), "argument_types"),
            ("predicate", |fact| fact.predicate_name = None, "predicate_name"),
            ("predicate", |fact| fact.predicate_args = None, "predicate_args"),
            ("predicate", |fact| fact.predicate_args = Some(Box::new([])), "predicate_args"),
            ("predicate", |fact| fact.canonical_key = None, "canonical_key"),
            ("predicate", |fact| fact.polarity = Some("require".into()), "polarity"),
            ("propertyvalue", |_| {}, "fact_kind"),
        ];
        for (kind, edit, field) in rows {
            let found = crate::check::tests::violations(&fact(kind, *edit), RULE, false);
            assert_eq!(found.len(), 1, "{kind} {field}");
            assert!(found[0].description.starts_with(&format!("{field}: ")), "{}", found[0].description);
        }
    }
}
