//! `cairn kb model`.

use cairn_base::Value;
use cairn_kb::tools::{ModelRequirementInput, ModelRequirementOutput, UpsertOutput};
use cairn_kb::{ClaimOperator, ClaimScalar, Rule};
use cairn_worktree::{ConfigOrigin, KbConfig};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;

use super::Call;
use super::apply::apply;
use super::options::number;
use super::prose::ProseArgs;
use super::text::remarks;
use crate::command::answer::json;
use crate::command::print;
use crate::failure::Failure;
use crate::reach::Needs;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn kb model 'Customer data must be retained for 7 years.' --source docs/retention.md
  cairn kb model 'Customer data must be retained for 7 years.' --source docs/retention.md \\
      --subject customer.data --property retention_years --operator eq --value 7 --apply
  cairn kb model 'Passwords must not be logged.' --subject password --property logged \\
      --operator polarity --value forbid
  cairn kb model --json - < sentence.txt

Turns a sentence that obliges into a requirement, a subject fact and a property value, as payloads
of `cairn kb upsert`. Without --subject, --property, --operator and --value, sentence patterns read
the claim from the text. Below a confidence of 0.7 the plan is one observation, which contradicts
nothing.

The same claim always gives the same ids. Nothing is stored without --apply, which applies the plan
payload by payload and ends at the first error; applying it again does no harm.";

/// A statement, a claim about it, and the use of the plan.
#[derive(Debug, Args)]
pub(crate) struct ModelArgs {
    #[command(flatten)]
    prose: ProseArgs,

    /// Document of the text
    #[arg(long, value_name = "PATH")]
    source: Option<String>,

    /// Origin of the text, such as a line of the document [default: the source]
    #[arg(long, value_name = "TEXT")]
    provenance: Option<String>,

    /// Confidence from 0 to 1 [default: 0.8]
    #[arg(long, value_name = "NUMBER", value_parser = number)]
    confidence: Option<f64>,

    /// Key of the subject, like customer.data
    #[arg(long, value_name = "KEY")]
    subject: Option<String>,

    /// Key of the property, like retention_years
    #[arg(long, value_name = "KEY")]
    property: Option<String>,

    /// Comparison of the property with the value
    #[arg(long, value_name = "OPERATOR", value_parser = operator())]
    operator: Option<ClaimOperator>,

    /// Value: a number, true, false, or text
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    value: Option<String>,

    /// Apply the plan
    #[arg(long)]
    apply: bool,
}

/// A model and what was stored of it.
#[derive(Serialize)]
struct ModelApplied<'a> {
    model: &'a ModelRequirementOutput,
    applied: &'a [UpsertOutput],
}

/// Models a requirement.
pub(super) fn model(call: &Call<'_>, arguments: ModelArgs) -> Result<(), Failure> {
    let is_applied = arguments.apply;
    let text = arguments.prose.read()?;
    let tree = call.tree()?;
    let input = input(text, arguments, &tree.workspace.config(Rule::TEXTS)?);
    let output = tree.ask(Needs::Store, async |client| {
        client.kb_model_requirement(&tree.id, tree.branch(), &input).await
    })?;
    let shown = || remarks(&output.text()) + "\n";
    if !is_applied {
        return print(&if call.as_json { json(&output) } else { shown() });
    }
    let applied = apply(&tree, &output.apply_plan, true);
    print(&if call.as_json {
        json(&ModelApplied { model: &output, applied: &applied.stored })
    } else {
        shown() + &applied.text()
    })?;
    applied.done
}

fn input(text: String, arguments: ModelArgs, config: &KbConfig) -> ModelRequirementInput {
    ModelRequirementInput {
        text: Some(text),
        source: arguments.source,
        provenance: arguments.provenance,
        confidence: arguments.confidence,
        subject_key: arguments.subject,
        property_key: arguments.property,
        operator: arguments.operator,
        value: arguments.value.map(|value| ClaimScalar(scalar(&value))),
        schema_version: schema_version(config),
        requirements_dir: folder(&config.paths.requirements),
        ..ModelRequirementInput::default()
    }
}

/// The version that the settings name, 0 if they name none, and `None` where there are no settings.
fn schema_version(config: &KbConfig) -> Option<i64> {
    match (config.schema_version, config.origin) {
        (Some(version), _) => Some(i64::try_from(version).unwrap_or(i64::MAX)),
        (None, ConfigOrigin::Defaults) => None,
        (None, ConfigOrigin::Toml | ConfigOrigin::Json) => Some(0),
    }
}

/// The folder of a glob: everything before the first segment with a wildcard, and without the name of a file.
fn folder(glob: &str) -> Option<String> {
    let is_wild = |segment: &&str| segment.contains(['*', '?', '[', '{']);
    let is_file = |segment: &&str| segment.ends_with(".md");
    let segments = glob.split('/').take_while(|segment| !is_wild(segment) && !is_file(segment));
    let folder = segments.collect::<Vec<_>>().join("/");
    (!folder.is_empty()).then_some(folder)
}

/// A number or a truth value if the text is one, else the text.
fn scalar(text: &str) -> Value {
    match Value::parse_json(text.as_bytes()) {
        Ok(value @ (Value::Bool(_) | Value::Number(_))) => value,
        Ok(Value::Null | Value::String(_) | Value::Array(_) | Value::Object(_)) | Err(_) => text.into(),
    }
}

fn operator() -> impl TypedValueParser<Value = ClaimOperator> {
    PossibleValuesParser::new(ClaimOperator::TEXTS.iter().copied())
        .map(|text| ClaimOperator::parse(&text).expect("it is one of the list"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_scalars() {
        for (text, json) in [
            ("7", "7"),
            ("-0.5", "-0.5"),
            ("true", "true"),
            ("require", "\"require\""),
            ("[1]", "\"[1]\""),
            ("null", "\"null\""),
            ("\"7\"", "\"\\\"7\\\"\""),
            ("7 years", "\"7 years\""),
        ] {
            assert_eq!(scalar(text).to_json(), json, "{text}");
        }
    }

    #[test]
    fn folders_of_globs() {
        for (glob, expected) in [
            ("documentation/requirements", Some("documentation/requirements")),
            ("docs/reqs/**/*.md", Some("docs/reqs")),
            ("docs/req-*.md", Some("docs")),
            ("docs/all.md", Some("docs")),
            ("*.md", None),
        ] {
            assert_eq!(folder(glob).as_deref(), expected, "{glob}");
        }
    }

    #[test]
    fn the_schema_version_is_that_of_the_settings() {
        let config = |origin, schema_version| KbConfig { origin, schema_version, ..KbConfig::default() };
        assert_eq!(schema_version(&config(ConfigOrigin::Defaults, None)), None);
        assert_eq!(schema_version(&config(ConfigOrigin::Toml, None)), Some(0));
        assert_eq!(schema_version(&config(ConfigOrigin::Json, Some(2))), Some(2));
    }
}
