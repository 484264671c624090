//! The receipt of the semantic advisor: the result of analysing the prose of a requirement.

use cairn_base::Value;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::model::{Operator, Polarity, ValueType, words};
use crate::predicates::RelationshipPlan;
use crate::tools::UpsertInput;

/// The version of receipts; it changes with their meaning.
pub const RECEIPT_VERSION: &str = "semantic-advisor-v1";

words! {
    /// The state of a requirement on its way from prose to checkable facts.
    LogicReadiness {
        /// Its facts are linked.
        Modeled = "modeled",
        /// Its prose has claims, or signs of them, that no linked fact carries.
        NeedsModeling = "needs_modeling",
        /// It is no requirement, or its prose makes no claim.
        NotApplicable = "not_applicable",
    }
}

words! {
    /// A lane of facts that a claim may enter.
    CandidateLane {
        /// A subject and a property value.
        StrictProperty = "strict_property",
        /// A ground predicate.
        Predicate = "predicate",
        /// An observation that a person reviews.
        ObservationReview = "observation_review",
        /// No lane.
        None = "none",
    }
}

words! {
    /// A kind of cue in prose.
    SignalKind {
        /// A number, with or without a bound such as "at most".
        NumericCardinality = "numeric_cardinality",
        /// A threshold, an expiry or a retention with a number.
        NumericThreshold = "numeric_threshold",
        /// A condition.
        Conditional = "conditional",
        /// A permission or a prohibition.
        Permission = "permission",
        /// A state, a mode or a default.
        StateOrDefault = "state_or_default",
        /// A modal verb.
        NormativeModal = "normative_modal",
        /// A statement on all or none of a kind, without a modal verb.
        UniversalStatement = "universal_statement",
        /// Examples of a kind: "such as", "for example".
        IllustrativeExample = "illustrative_example",
    }
}

words! {
    /// A reading of an ambiguous text.
    Interpretation {
        /// Exactly so many.
        Exactly = "exactly",
        /// So many or fewer.
        AtMost = "at_most",
        /// So many or more.
        AtLeast = "at_least",
        /// The named members, and no others.
        NamedMembership = "named_membership",
        /// An example of many.
        IllustrativeExample = "illustrative_example",
    }
}

words! {
    /// A kind of suggestion.
    SuggestionKind {
        /// A subject fact and a property-value fact.
        StrictProperty = "strict_property",
        /// A predicate fact.
        Predicate = "predicate",
        /// An observation on a text with several readings.
        AmbiguityObservation = "ambiguity_observation",
        /// An observation on a claim that no predicate expresses.
        OntologyGap = "ontology_gap",
    }
}

/// Receipt of the semantic advisor. It shows that a payload was inspected, not that its prose is enforced.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Receipt {
    /// Version of the receipt, `semantic-advisor-v1`.
    pub version: String,
    /// SHA-256 of the payload as JSON with sorted keys, as 64 hexadecimal digits.
    pub payload_hash: String,
    /// State of the requirement on its way from prose to checkable facts.
    pub logic_readiness: LogicReadiness,
    /// Lane that the prose belongs to.
    pub candidate_lane: CandidateLane,
    /// Cues in the prose, at most one of each kind.
    pub signals: Vec<Signal>,
    /// Texts with several readings.
    pub ambiguity_witnesses: Vec<AmbiguityWitness>,
    /// Facts to write, in the order of the prose.
    pub suggestions: Vec<Suggestion>,
    /// Tools to call next.
    pub suggested_next_tools: Vec<String>,
    /// One sentence about all of this.
    pub summary: String,
}

/// A cue in prose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Signal {
    /// Its kind.
    pub kind: SignalKind,
    /// The text that was found.
    pub evidence: String,
    /// Lane that it points to.
    pub candidate_lane: CandidateLane,
    /// Confidence from 0 to 1.
    pub confidence: f64,
}

/// A text with several readings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AmbiguityWitness {
    /// Kind of the signal that found it.
    pub signal_kind: SignalKind,
    /// The text.
    pub evidence: String,
    /// Its readings.
    pub interpretations: Vec<Interpretation>,
    /// What to clarify.
    pub message: String,
}

/// A draft of facts for a clause of the prose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Suggestion {
    /// Its kind.
    pub kind: SuggestionKind,
    /// The clause.
    pub evidence: String,
    /// Confidence from 0 to 1.
    pub confidence: f64,
    /// Tool that models such clauses.
    pub tool: String,
    /// Reason for the suggestion.
    pub rationale: String,
    /// Kinds that were considered and rejected.
    pub rejected_alternatives: Vec<SuggestionKind>,
    /// The claim of a strict property.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<SuggestedClaim>,
    /// The predicate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicate: Option<SuggestedPredicate>,
    /// Readings of an ambiguous text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ambiguity: Vec<Interpretation>,
    /// Signature of a predicate that would express the claim of an ontology gap.
    #[serde(rename = "recommendedPredicateSchema", skip_serializing_if = "Option::is_none")]
    pub recommended_predicate_schema: Option<RecommendedSchema>,
    /// Payloads of `kb_upsert`, to be applied in this order.
    #[serde(rename = "applyPlan")]
    pub apply_plan: Vec<UpsertInput>,
    /// Link from the requirement to the predicate, for after the apply plan.
    #[serde(rename = "relationshipPlan", skip_serializing_if = "Option::is_none")]
    pub relationship_plan: Option<RelationshipPlan>,
}

/// The claim of a strict property, with exactly one value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SuggestedClaim {
    /// Key of the subject.
    pub subject_key: String,
    /// Key of the property.
    pub property_key: String,
    /// Comparison of the property with the value.
    pub operator: Operator,
    /// Type of the value.
    pub value_type: ValueType,
    /// Value of type string.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_string: Option<String>,
    /// Value of type int.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_int: Option<i64>,
    /// Value of type number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_number: Option<f64>,
    /// Value of type bool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_bool: Option<bool>,
    /// Unit of the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

/// A ground predicate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SuggestedPredicate {
    /// Name of the predicate.
    pub predicate_name: String,
    /// Its arguments, in order.
    pub predicate_args: Vec<String>,
    /// `name(a,b,c)`.
    pub canonical_key: String,
    /// `assert` or `deny`.
    pub polarity: Polarity,
}

/// The signature of a predicate that a project may define.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RecommendedSchema {
    /// Name of the predicate.
    pub predicate_name: String,
    /// Names of its arguments.
    pub argument_names: Vec<String>,
    /// Types of its arguments.
    pub argument_types: Vec<String>,
}

impl Receipt {
    /// Returns the remarks of the receipt for the result of a write: one if the prose needs modelling, else none.
    pub fn warnings(&self) -> Vec<String> {
        let next = match self.suggested_next_tools.as_slice() {
            [] => String::new(),
            tools => format!(" Next: {}.", tools.join(", ")),
        };
        match self.logic_readiness {
            LogicReadiness::NeedsModeling => vec![format!("semantic advisor: {}{next}", self.summary)],
            LogicReadiness::Modeled | LogicReadiness::NotApplicable => Vec::new(),
        }
    }

    /// Returns the essentials as text: readiness and lane, then each signal, reading and suggestion.
    pub fn text(&self) -> String {
        let mut text = format!(
            "Semantic advisor: {} ({}, lane {}).",
            self.summary.trim_end_matches('.'),
            self.logic_readiness,
            self.candidate_lane
        );
        for signal in &self.signals {
            text.push_str(&format!("\nSignal {}: {:?}", signal.kind, signal.evidence));
        }
        for witness in &self.ambiguity_witnesses {
            let readings: Vec<_> = witness.interpretations.iter().map(|reading| reading.text()).collect();
            text.push_str(&format!("\nAmbiguous {:?}: {}", witness.evidence, readings.join(", ")));
        }
        for suggestion in &self.suggestions {
            text.push('\n');
            text.push_str(&suggestion.text());
        }
        if !self.suggested_next_tools.is_empty() {
            text.push_str(&format!("\nNext: {}", self.suggested_next_tools.join(", ")));
        }
        text
    }
}

/// Summary of a requirement whose facts are linked.
pub(super) const MODELED_SUMMARY: &str = "The requirement is linked to the facts that carry its claim.";

impl Suggestion {
    /// Returns the essentials in one line: kind and confidence, the claim or predicate with its keys, and the ids to
    /// write.
    pub fn text(&self) -> String {
        let about = match (&self.claim, &self.predicate) {
            (Some(claim), _) => claim.to_string(),
            (None, Some(predicate)) => format!("{} ({})", predicate.canonical_key, predicate.polarity),
            (None, None) => format!("{:?}", self.evidence),
        };
        let ids: Vec<_> = self.apply_plan.iter().map(|row| row.id.as_str()).collect();
        format!("Suggestion {} {:.2}: {about}; upsert {}", self.kind, self.confidence, ids.join(", "))
    }
}

impl std::fmt::Display for SuggestedClaim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (_, value) = self.value();
        let value = value.to_json();
        write!(
            f,
            "subject_key={} property_key={} operator={} value={value}",
            self.subject_key, self.property_key, self.operator
        )?;
        self.unit.iter().try_for_each(|unit| write!(f, " unit={unit}"))
    }
}

impl SuggestedClaim {
    /// Returns the field that holds the value, and the value; null if there is none.
    pub fn value(&self) -> (&'static str, Value) {
        match self.value_type {
            ValueType::String => {
                ("value_string", self.value_string.as_deref().map(Value::from).unwrap_or_default())
            }
            ValueType::Int => ("value_int", self.value_int.map(Value::from).unwrap_or_default()),
            ValueType::Number => {
                let number = self.value_number.and_then(cairn_base::Number::from_f64);
                ("value_number", number.map(Value::from).unwrap_or_default())
            }
            ValueType::Bool => ("value_bool", self.value_bool.map(Value::from).unwrap_or_default()),
        }
    }
}
