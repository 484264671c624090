//! `kb_skills_read`: one declared resource of an agent skill.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::skills::{self, SkillError};

/// Arguments of `kb_skills_read`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillsReadInput {
    /// Id of the skill, or an alias, such as `cairn-usage`.
    pub id: String,
    /// A path that the manifest declares, such as `resources/fact-lanes.md`.
    pub resource: String,
    /// Correlation id of the caller.
    #[serde(rename = "_requestId", default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// Result of `kb_skills_read`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillsReadOutput {
    /// The text of the resource, in Markdown.
    pub content: String,
}

impl SkillsReadInput {
    /// Reads the resource. Fails if there is no such skill, or if it does not declare the resource.
    pub fn run(&self) -> Result<SkillsReadOutput, SkillError> {
        let content = skills::find(&self.id)?.read(&self.resource)?.to_owned();
        Ok(SkillsReadOutput { content })
    }
}

impl SkillsReadOutput {
    /// The resource as text.
    pub fn text(&self) -> String {
        self.content.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(id: &str, resource: &str) -> Result<SkillsReadOutput, SkillError> {
        SkillsReadInput { id: id.to_owned(), resource: resource.to_owned(), request_id: None }.run()
    }

    #[test]
    fn declared_resources_are_read_and_others_refused() {
        let output = read("cairn-usage", "resources/fact-lanes.md").expect("declared");
        assert_eq!(read("kibi-usage", "resources/fact-lanes.md"), Ok(output.clone()));
        assert_eq!(output.text(), output.content);
        assert!(matches!(read("x", "resources/fact-lanes.md"), Err(SkillError::UnknownSkill { .. })));
        assert!(matches!(read("cairn-usage", "SKILL.md"), Err(SkillError::UndeclaredResource { .. })));
        assert!(matches!(read("cairn-usage", "../../Cargo.toml"), Err(SkillError::PathOutside { .. })));
    }

    #[test]
    fn unknown_arguments_are_refused() {
        for json in [r#"{"id": "cairn-usage"}"#, r#"{"id": "a", "resource": "b", "path": "c"}"#] {
            assert!(serde_json::from_str::<SkillsReadInput>(json).is_err(), "{json}");
        }
    }
}
