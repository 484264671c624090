//! `kb_skills_load`: one agent skill with its body.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::skills::{self, SkillError, SkillManifest, SkillSource};

/// Arguments of `kb_skills_load`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillsLoadInput {
    /// Id of the skill, or an alias, such as `cairn-usage`.
    pub id: String,
    /// Correlation id of the caller.
    #[serde(rename = "_requestId", default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// Result of `kb_skills_load`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillsLoadOutput {
    /// Its manifest.
    pub metadata: SkillManifest,
    /// Its text, in Markdown.
    pub body: String,
    /// Paths of its resources, as `kb_skills_read` takes them.
    pub resources: Vec<String>,
    /// SHA-256 of the body, as 64 hexadecimal digits.
    pub content_hash: String,
    /// Its origin.
    pub source_type: SkillSource,
}

impl SkillsLoadInput {
    /// Loads the skill. Fails if there is no such skill.
    pub fn run(&self) -> Result<SkillsLoadOutput, SkillError> {
        let skill = skills::find(&self.id)?;
        Ok(SkillsLoadOutput {
            metadata: skill.manifest.clone(),
            body: skill.body.to_owned(),
            resources: skill.manifest.resources.clone(),
            content_hash: skill.content_hash(),
            source_type: SkillSource::Bundled,
        })
    }
}

impl SkillsLoadOutput {
    /// The essentials as text: id and version, the body, and the resources.
    pub fn text(&self) -> String {
        let mut text =
            format!("Skill {} {}\n\n{}", self.metadata.id, self.metadata.version, self.body.trim());
        if !self.resources.is_empty() {
            text += &format!("\n\nResources (kb_skills_read): {}", self.resources.join(", "));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skill_is_loaded_by_its_id_and_by_an_alias() {
        let load = |id: &str| SkillsLoadInput { id: id.to_owned(), request_id: None }.run();
        let output = load("cairn-usage").expect("bundled");
        assert_eq!(load("kibi-usage"), Ok(output.clone()));
        let json = serde_json::to_value(&output).expect("JSON");
        let keys: Vec<&str> = json.as_object().expect("an object").keys().map(String::as_str).collect();
        assert_eq!(keys, ["body", "contentHash", "metadata", "resources", "sourceType"]);
        assert_eq!(json["sourceType"], "bundled");
        assert_eq!(json["contentHash"].as_str().map(str::len), Some(64));
        let text = output.text();
        assert!(text.starts_with("Skill cairn-usage ") && text.contains("resources/fact-lanes.md"), "{text}");
        assert!(text.contains(output.body.trim()), "{text}");
    }

    #[test]
    fn unknown_arguments_and_skills_are_refused() {
        for json in ["{}", r#"{"id": 7}"#, r#"{"id": "cairn-usage", "path": "x"}"#] {
            assert!(serde_json::from_str::<SkillsLoadInput>(json).is_err(), "{json}");
        }
        let input: SkillsLoadInput =
            serde_json::from_str(r#"{"id": "x", "_requestId": "1"}"#).expect("valid");
        assert!(matches!(input.run(), Err(SkillError::UnknownSkill { .. })));
    }
}
