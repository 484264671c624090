//! The entities of a claim, and the order in which they are stored.

use cairn_base::Value;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::arguments::Arguments;
use super::claim::{ClaimOperator, SemanticClaim};
use super::id::StableKey;
use super::normalize::source_key;
use super::title;
use crate::tools::{RelationshipInput, UpsertInput};
use crate::{EntityType, Properties, Relation};

/// Folder of requirements, unless the workspace configures another one.
pub(super) const REQUIREMENTS_DIR: &str = "documentation/requirements";

/// The entities of a claim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum WriteSet {
    /// Entities that checks compare.
    Strict(Box<StrictWriteSet>),
    /// A note that no check compares.
    Observation(Box<ObservationWriteSet>),
}

/// A requirement with a subject and a property value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StrictWriteSet {
    /// True.
    pub is_strict: bool,
    /// Confidence from 0 to 1.
    pub confidence: f64,
    /// The requirement, without its relationships.
    pub req: UpsertInput,
    /// The subject.
    pub subject_fact: UpsertInput,
    /// The property value.
    pub property_fact: UpsertInput,
    /// Relationships of the requirement: `constrains` and `requires_property`.
    pub relationships: Vec<RelationshipInput>,
}

/// One observation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObservationWriteSet {
    /// False.
    pub is_strict: bool,
    /// Confidence from 0 to 1.
    pub confidence: f64,
    /// The observation.
    pub observation_fact: UpsertInput,
    /// Empty.
    pub relationships: Vec<RelationshipInput>,
}

impl WriteSet {
    /// Returns the upserts that store it, in their order: facts before the requirement that links to them.
    pub fn plan(&self) -> Vec<UpsertInput> {
        match self {
            WriteSet::Strict(set) => {
                let req = UpsertInput { relationships: set.relationships.clone(), ..set.req.clone() };
                vec![set.subject_fact.clone(), set.property_fact.clone(), req]
            }
            WriteSet::Observation(set) => vec![set.observation_fact.clone()],
        }
    }
}

/// Everything that a write set is made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts<'a> {
    pub(super) arguments: &'a Arguments,
    pub(super) claim: &'a SemanticClaim,
    pub(super) key: &'a StableKey,
}

impl Parts<'_> {
    pub(super) fn strict(self) -> WriteSet {
        let req = self.requirement();
        let (subject_fact, property_fact) = (self.subject(), self.property());
        let link = |relation, to: &UpsertInput| RelationshipInput {
            relation,
            from: req.id.clone(),
            to: to.id.clone(),
            created_at: None,
            created_by: None,
            source: Some(self.arguments.source.clone()),
            confidence: Some(self.claim.confidence),
        };
        let relationships =
            vec![link(Relation::Constrains, &subject_fact), link(Relation::RequiresProperty, &property_fact)];
        WriteSet::Strict(Box::new(StrictWriteSet {
            is_strict: true,
            confidence: self.claim.confidence,
            req,
            subject_fact,
            property_fact,
            relationships,
        }))
    }

    pub(super) fn observation(self) -> WriteSet {
        let own = [
            ("fact_kind", Value::from("observation")),
            ("subject_key", self.claim.subject_key.as_str().into()),
            ("property_key", self.claim.property_key.as_str().into()),
            ("canonical_key", self.key.text().into()),
            ("value_string", self.arguments.statement.as_str().into()),
        ];
        let title = title::cut(&self.arguments.statement).0;
        let tags = self.tags(&["lane:observation", "review:required"]);
        let observation_fact = self.fact(self.key.observation(), title, tags, own);
        WriteSet::Observation(Box::new(ObservationWriteSet {
            is_strict: false,
            confidence: self.claim.confidence,
            observation_fact,
            relationships: Vec::new(),
        }))
    }

    fn requirement(self) -> UpsertInput {
        let id = self.key.requirement();
        let Arguments { statement, requirements_dir, .. } = self.arguments;
        let (title, is_cut) = title::cut(statement);
        let mut properties = Properties::from([
            ("title", title.into()),
            ("status", "open".into()),
            ("source", format!("{requirements_dir}/{id}.md").into()),
            ("text_ref", self.provenance().into()),
            ("tags", self.tags(&["lane:strict"])),
        ]);
        if is_cut {
            properties.0.insert("body".to_owned(), statement.as_str().into());
        }
        UpsertInput { kind: EntityType::Req, id, properties, relationships: Vec::new(), request_id: None }
    }

    fn subject(self) -> UpsertInput {
        let key = self.claim.subject_key.as_str();
        let own = [
            ("fact_kind", Value::from("subject")),
            ("subject_key", key.into()),
            ("canonical_key", key.into()),
        ];
        let tags = self.tags(&["lane:strict", "fact:subject"]);
        self.fact(self.key.subject(), title::humanized(key), tags, own)
    }

    fn property(self) -> UpsertInput {
        let own = [
            ("fact_kind", Value::from("property_value")),
            ("subject_key", self.claim.subject_key.as_str().into()),
            ("property_key", self.claim.property_key.as_str().into()),
            ("canonical_key", self.key.text().into()),
        ];
        let tags = self.tags(&["lane:strict", "fact:property_value"]);
        let mut fact = self.fact(self.key.property(), title::property(self.claim), tags, own);
        fact.properties.0.extend(comparison(self.claim).0);
        fact
    }

    fn fact<const N: usize>(
        self,
        id: String,
        title: String,
        tags: Value,
        own: [(&str, Value); N],
    ) -> UpsertInput {
        let mut properties = Properties::from([
            ("title", title.into()),
            ("status", "active".into()),
            ("source", self.arguments.source.as_str().into()),
            ("text_ref", self.provenance().into()),
            ("tags", tags),
        ]);
        properties.0.extend(Properties::from(own).0);
        UpsertInput { kind: EntityType::Fact, id, properties, relationships: Vec::new(), request_id: None }
    }

    fn provenance(&self) -> &str {
        self.arguments.provenance.as_deref().unwrap_or(&self.arguments.source)
    }

    fn tags(&self, lane: &[&str]) -> Value {
        let confidence = self.claim.confidence;
        let band = match confidence {
            high if high >= 0.9 => "high",
            medium if medium >= 0.8 => "medium",
            _ => "low",
        };
        let own = [
            "strict-modeling".to_owned(),
            format!("confidence:{confidence:.2}"),
            format!("confidence-band:{band}"),
            format!("provenance:{}", source_key(self.provenance())),
        ];
        let tags = own.into_iter().chain(lane.iter().map(|tag| (*tag).to_owned()));
        Value::Array(tags.map(Value::from).collect())
    }
}

/// The fields of the comparison. A polarity is a truth value that is required or forbidden, so that both contradict each
/// other.
fn comparison(claim: &SemanticClaim) -> Properties {
    let value = &claim.value.0;
    let typed = |operator: &str, value_type: &str, field: &str, value: Value| {
        Properties::from([("operator", operator.into()), ("value_type", value_type.into()), (field, value)])
    };
    match (claim.operator, value) {
        (ClaimOperator::Polarity, Value::String(polarity)) => {
            let mut fields = typed("eq", "bool", "value_bool", true.into());
            fields.0.insert("polarity".to_owned(), polarity.as_str().into());
            fields
        }
        (ClaimOperator::Bool, _) => typed("eq", "bool", "value_bool", value.clone()),
        (operator, Value::Number(number)) => match number.as_i64() {
            Some(integer) => typed(operator.text(), "int", "value_int", integer.into()),
            None => typed(operator.text(), "number", "value_number", value.clone()),
        },
        (operator, Value::Bool(_)) => typed(operator.text(), "bool", "value_bool", value.clone()),
        (operator, Value::String(_) | Value::Null | Value::Array(_) | Value::Object(_)) => {
            typed(operator.text(), "string", "value_string", value.clone())
        }
    }
}
