//! `kb_skills_list`: the agent skills that this binary has.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::skills::{self, SkillManifest};

/// Arguments of `kb_skills_list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillsListInput {
    /// Correlation id of the caller.
    #[serde(rename = "_requestId", default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// Result of `kb_skills_list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillsListOutput {
    /// Manifests of the skills, ordered by id.
    pub skills: Vec<SkillManifest>,
}

impl SkillsListInput {
    /// Lists the skills.
    pub fn run(&self) -> SkillsListOutput {
        SkillsListOutput { skills: skills::list().cloned().collect() }
    }
}

impl SkillsListOutput {
    /// The essentials as text.
    pub fn text(&self) -> String {
        let mut text = format!("{} skills. Load one with kb_skills_load and its id.", self.skills.len());
        for skill in &self.skills {
            text += &format!("\n- {} ({}): {}", skill.id, skill.version, skill.description);
            if !skill.resources.is_empty() {
                text += &format!(" Resources: {}.", skill.resources.join(", "));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_names_every_skill_in_json_and_text() {
        let output = SkillsListInput::default().run();
        let json = serde_json::to_value(&output).expect("JSON");
        assert!(json["skills"][0]["cairnCompatibility"].is_string(), "{json}");
        assert_eq!(serde_json::from_value::<SkillsListOutput>(json).expect("the same"), output);
        let text = output.text();
        for skill in &output.skills {
            assert!(text.contains(&skill.id) && text.contains(&skill.description), "{text}");
            assert!(skill.resources.iter().all(|path| text.contains(path)), "{text}");
        }
    }

    #[test]
    fn arguments_are_a_request_id_at_most() {
        for (json, accepted) in [("{}", true), (r#"{"_requestId": "7"}"#, true), (r#"{"limit": 7}"#, false)] {
            assert_eq!(serde_json::from_str::<SkillsListInput>(json).is_ok(), accepted, "{json}");
        }
    }
}
