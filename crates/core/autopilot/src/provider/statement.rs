//! Normative statements as requirements: modelled like `kb_model_requirement` does, and kept only as strict claims.

use cairn_kb::tools::ModelRequirementInput;
use cairn_kb::{EntityType, model_requirement};

use crate::candidate::{Confidence, Draft, Evidence, Payloads, Provider};
use crate::ids::shortened;
use crate::limits::AUTOPILOT_EXCERPT_CHARS_MAX;

/// Returns the candidate of a statement, or `None` if its claim is not strict. `requirements_dir` is the folder of
/// requirements, if it is not the default.
pub(crate) fn model(
    statement: &str,
    path: &str,
    line: u32,
    confidence: Confidence,
    requirements_dir: Option<&str>,
) -> Option<Draft> {
    let input = ModelRequirementInput {
        text: Some(statement.to_owned()),
        source: Some(path.to_owned()),
        confidence: Some(confidence.number()),
        requirements_dir: requirements_dir.map(str::to_owned),
        ..ModelRequirementInput::default()
    };
    let modelled = model_requirement(&input).ok().filter(|modelled| modelled.is_strict)?;
    let requirement = modelled.apply_plan.iter().find(|payload| payload.kind == EntityType::Req)?;
    let (entity_id, title) = (requirement.id.clone(), requirement.properties.text("title")?.to_owned());
    let detail = format!("normative statement: {}", shortened(statement, AUTOPILOT_EXCERPT_CHARS_MAX));
    Some(Draft {
        id: format!("norm:{entity_id}"),
        kind: EntityType::Req,
        entity_id,
        title,
        provider: Provider::GenericRepoDocs,
        path: path.to_owned(),
        symbol_file: None,
        confidence,
        evidence: vec![Evidence { path: path.to_owned(), line: Some(line), detail }],
        payloads: Payloads::Ready(modelled.apply_plan),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_become_strict_claims() {
        let check = |statement: &str, confidence: u8, expected: Option<&str>| {
            let draft = model(statement, "docs/a.md", 3, Confidence(confidence), None);
            assert_eq!(draft.as_ref().map(|draft| draft.title.as_str()), expected, "{statement}");
            draft
        };
        let draft =
            check("Logs must be retained for 30 days.", 84, Some("Logs must be retained for 30 days."));
        let draft = draft.expect("a candidate");
        let Payloads::Ready(payloads) = draft.payloads else { panic!("it is ready") };
        let kinds: Vec<_> = payloads.iter().map(|payload| payload.kind).collect();
        assert_eq!(kinds, [EntityType::Fact, EntityType::Fact, EntityType::Req]);
        assert_eq!(payloads[2].relationships.len(), 2);
        assert!(draft.id.starts_with("norm:REQ-AUTO-"), "{}", draft.id);
        assert_eq!(draft.evidence[0].line, Some(3));
        check("Logs are kept.", 95, None);
        check("Logs must be retained for 30 days.", 60, None);
    }

    #[test]
    fn an_id_does_not_depend_on_the_line() {
        let id = |line| {
            model("Logs must be kept.", "a.md", line, Confidence(84), None).map(|draft| draft.entity_id)
        };
        assert_eq!(id(1), id(2));
    }
}
