//! Options that several commands have.

use cairn_kb::{EntityType, Relation, Rule};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Which page of a list.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct PageArgs {
    /// Maximum number of rows, at most 1000
    #[arg(long, value_name = "N")]
    pub(super) limit: Option<u32>,

    /// Rows to skip
    #[arg(long, value_name = "N")]
    pub(super) offset: Option<u32>,
}

impl PageArgs {
    /// The offset of the next page, if there is one.
    pub(super) fn next(self, shown: usize, count: u64) -> Option<u64> {
        let end = u64::from(self.offset.unwrap_or(0)) + shown as u64;
        (shown > 0 && end < count).then_some(end)
    }
}

/// Parses a number that is finite: `nan` is no confidence and no score.
pub(super) fn number(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| "write a number from 0 to 1".to_owned())
}

/// Parses a type of entities; help and completions list all of them.
pub(super) fn entity_type() -> impl TypedValueParser<Value = EntityType> {
    PossibleValuesParser::new(EntityType::TEXTS.iter().copied())
        .map(|text| EntityType::parse(&text).expect("it is one of the list"))
}

/// Parses a relationship type.
pub(super) fn relation() -> impl TypedValueParser<Value = Relation> {
    PossibleValuesParser::new(Relation::TEXTS.iter().copied())
        .map(|text| Relation::parse(&text).expect("it is one of the list"))
}

/// Parses a rule.
pub(super) fn rule() -> impl TypedValueParser<Value = Rule> {
    PossibleValuesParser::new(Rule::TEXTS.iter().copied())
        .map(|text| Rule::parse(&text).expect("it is one of the list"))
}
