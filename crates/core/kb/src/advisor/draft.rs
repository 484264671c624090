//! Payloads that a suggestion of the advisor proposes.

use cairn_base::Value;

use super::receipt::{Interpretation, SuggestedClaim, SuggestedPredicate};
use crate::entity::Properties;
use crate::model::{EntityType, FactKind, Relation};
use crate::predicates::{cut_title, fact, link, short_hash};
use crate::tools::UpsertInput;

/// The source of facts whose payload names none.
pub(super) const DEFAULT_SOURCE: &str = "mcp://cairn/semantic-advisor";

/// The tag of every draft.
const SUGGESTED: &str = "semantic-advisor-suggestion";

/// A requirement that drafts are for.
pub(super) struct Requirement<'a> {
    /// Its id, if it is known.
    pub(super) id: Option<&'a str>,
    /// Its properties.
    pub(super) properties: &'a Properties,
    /// Its prose.
    pub(super) statement: &'a str,
}

impl Requirement<'_> {
    fn source(&self) -> &str {
        let source = self.properties.text("source").map(str::trim).filter(|source| !source.is_empty());
        source.unwrap_or(DEFAULT_SOURCE)
    }

    /// The subject, the property value, and the requirement with links to both.
    pub(super) fn strict_plan(&self, claim: &SuggestedClaim) -> Vec<UpsertInput> {
        let (value_field, value) = claim.value();
        let shown = value.as_str().map_or_else(|| value.to_json(), str::to_owned);
        let SuggestedClaim { subject_key, property_key, operator, .. } = claim;
        let key = format!("{subject_key}.{property_key}.{operator}.{shown}");
        let tags = ["lane:strict", SUGGESTED];
        let subject_id = format!("FACT-SUBJECT-{}", short_hash(&[subject_key]));
        let about = [
            ("source", Value::from(self.source())),
            ("fact_kind", FactKind::Subject.text().into()),
            ("subject_key", subject_key.as_str().into()),
            ("canonical_key", subject_key.as_str().into()),
        ];
        let subject = fact(subject_id.clone(), subject_key, &tags, about);
        // Facts that differ only in their unit have ids of their own.
        let value_id = match claim.unit.as_deref().filter(|unit| !property_key.ends_with(unit)) {
            Some(unit) => short_hash(&[&key, unit]),
            None => short_hash(&[&key]),
        };
        let value_id = format!("FACT-PROP-{value_id}");
        let unit = claim.unit.as_deref().unwrap_or_default();
        let title = format!("{subject_key} {property_key} {operator} {shown} {unit}");
        let about = [
            ("source", Value::from(self.source())),
            ("fact_kind", FactKind::PropertyValue.text().into()),
            ("subject_key", subject_key.as_str().into()),
            ("property_key", property_key.as_str().into()),
            ("operator", operator.text().into()),
            ("value_type", claim.value_type.text().into()),
            (value_field, value),
            ("canonical_key", key.as_str().into()),
        ];
        let mut property = fact(value_id.clone(), title.trim_end(), &tags, about);
        if let Some(unit) = &claim.unit {
            property.properties.0.insert("unit".into(), unit.as_str().into());
        }
        let requirement =
            self.linked(&[(Relation::Constrains, &subject_id), (Relation::RequiresProperty, &value_id)]);
        vec![subject, property, requirement]
    }

    /// The requirement as it was sent, with links to facts.
    fn linked(&self, links: &[(Relation, &str)]) -> UpsertInput {
        let id = match self.id {
            Some(id) => id.to_owned(),
            None => format!("REQ-SEMANTIC-{}", short_hash(&[self.statement])),
        };
        let sent = ["title", "status", "source", "text_ref"];
        let sent = sent.into_iter().filter_map(|name| {
            let value = self.properties.0.get(name).filter(|value| !value.is_null())?;
            Some((name.to_owned(), value.clone()))
        });
        UpsertInput {
            kind: EntityType::Req,
            properties: Properties(sent.collect()),
            relationships: links.iter().map(|(relation, to)| link(*relation, &id, to)).collect(),
            id,
            request_id: None,
        }
    }

    /// A predicate fact.
    pub(super) fn predicate_plan(&self, predicate: &SuggestedPredicate, evidence: &str) -> UpsertInput {
        let key = predicate.canonical_key.as_str();
        let args = predicate.predicate_args.iter().map(|arg| Value::from(arg.as_str())).collect();
        let about = [
            ("source", Value::from(self.source())),
            ("text_ref", evidence.into()),
            ("fact_kind", FactKind::Predicate.text().into()),
            ("predicate_name", predicate.predicate_name.as_str().into()),
            ("predicate_args", Value::Array(args)),
            ("canonical_key", key.into()),
            ("polarity", predicate.polarity.text().into()),
        ];
        let id = format!("FACT-PRED-{}", short_hash(&[key]));
        fact(id, &format!("Predicate: {key}"), &["lane:ontology", SUGGESTED], about)
    }

    /// An observation that a text has several readings.
    pub(super) fn ambiguity_plan(&self, evidence: &str, readings: &[Interpretation]) -> UpsertInput {
        let readings: Vec<String> =
            readings.iter().map(|reading| format!("ambiguity:{}", reading.text())).collect();
        let tags = ["lane:observation", "review:ambiguity", SUGGESTED].into_iter();
        let tags: Vec<&str> = tags.chain(readings.iter().map(String::as_str)).collect();
        let id = format!("FACT-AMBIGUITY-{}", short_hash(&[evidence]));
        self.observation(id, &format!("Ambiguity: {evidence}"), &tags, evidence)
    }

    /// An observation that no predicate expresses a text.
    pub(super) fn gap_plan(&self, evidence: &str) -> UpsertInput {
        let id = format!("FACT-ONTOLOGY-GAP-{}", short_hash(&[evidence]));
        let tags = ["lane:ontology", "review:ontology-gap", "needs_schema_extension", SUGGESTED];
        self.observation(id, &format!("Ontology gap: {evidence}"), &tags, evidence)
    }

    fn observation(&self, id: String, title: &str, tags: &[&str], evidence: &str) -> UpsertInput {
        let about = [
            ("source", Value::from(self.source())),
            ("fact_kind", FactKind::Observation.text().into()),
            ("value_type", "string".into()),
            ("value_string", evidence.into()),
        ];
        fact(id, &cut_title(title), tags, about)
    }
}
