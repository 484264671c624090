//! The manifest of a skill: the fields of its front matter.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::SkillError;
use super::front_matter::{Field, Fields, bad};
use crate::model::words;

/// The manifest of an agent skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillManifest {
    /// Its id.
    pub id: String,
    /// Its title.
    pub name: String,
    /// One sentence: its subject, and when to load it.
    pub description: String,
    /// Its version: three numbers, as in semantic versioning.
    pub version: String,
    /// Versions of cairn for which it is true.
    pub cairn_compatibility: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Paths of its resources, as `kb_skills_read` takes them.
    pub resources: Vec<String>,
}

words! {
    /// The origin of a skill.
    SkillSource {
        /// It is part of the binary.
        Bundled = "bundled",
    }
}

impl SkillManifest {
    /// Builds the manifest of the skill in `folder` from its front matter.
    pub(super) fn from_fields(folder: &str, fields: Fields) -> Result<Self, SkillError> {
        let mut fields = Remaining { folder, fields };
        let manifest = SkillManifest {
            id: fields.text("id")?,
            name: fields.text("name")?,
            description: fields.text("description")?,
            version: fields.text("version")?,
            cairn_compatibility: fields.text("cairnCompatibility")?,
            tags: fields.list("tags")?,
            resources: fields.list("resources")?,
        };
        if let Some((key, line, _)) = fields.fields.first() {
            return Err(bad(folder, *line, &format!("unknown key `{key}`")));
        }
        if manifest.id != folder {
            return Err(bad(
                folder,
                1,
                &format!("the id is `{}`, and must be the name of the folder", manifest.id),
            ));
        }
        if !is_version(&manifest.version) {
            return Err(bad(
                folder,
                1,
                &format!("version {:?} is not three numbers like 1.0.0", manifest.version),
            ));
        }
        Ok(manifest)
    }
}

/// Fields that nothing has asked for yet.
struct Remaining<'f> {
    folder: &'f str,
    fields: Fields,
}

impl Remaining<'_> {
    fn take(&mut self, key: &str) -> Option<(usize, Field)> {
        let at = self.fields.iter().position(|(known, _, _)| known == key)?;
        let (_, line, field) = self.fields.remove(at);
        Some((line, field))
    }

    fn text(&mut self, key: &str) -> Result<String, SkillError> {
        match self.take(key) {
            Some((_, Field::Text(text))) => Ok(text),
            Some((line, Field::List(_))) => {
                Err(bad(self.folder, line, &format!("`{key}` must be one line of text")))
            }
            None => Err(bad(self.folder, 1, &format!("`{key}` is missing"))),
        }
    }

    /// A list; empty if the key is missing.
    fn list(&mut self, key: &str) -> Result<Vec<String>, SkillError> {
        match self.take(key) {
            Some((_, Field::List(items))) => Ok(items),
            Some((line, Field::Text(_))) => Err(bad(self.folder, line, &format!("`{key}` must be a list"))),
            None => Ok(Vec::new()),
        }
    }
}

fn is_version(text: &str) -> bool {
    let is_number = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|digit| digit.is_ascii_digit())
            && (part.len() == 1 || !part.starts_with('0'))
    };
    text.split('.').count() == 3 && text.split('.').all(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skills::front_matter::split;

    const GOOD: &str = "id: x\nname: X\ndescription: Y\nversion: 1.0.0\ncairnCompatibility: >=0.1.0\n";

    fn parse(fields: &str) -> Result<SkillManifest, SkillError> {
        SkillManifest::from_fields("x", split("x", &format!("---\n{fields}---\n"))?.0)
    }

    #[test]
    fn each_field_is_required_and_no_other_is_known() {
        let manifest = parse(GOOD).expect("valid");
        assert_eq!(manifest.cairn_compatibility, ">=0.1.0");
        assert!(manifest.tags.is_empty() && manifest.resources.is_empty());
        for line in GOOD.lines() {
            let error = parse(&GOOD.replace(&format!("{line}\n"), "")).expect_err(line).to_string();
            assert!(error.contains("is missing"), "{line}: {error}");
        }
        for (fields, part) in [
            (format!("{GOOD}author: me\n"), "line 7: unknown key `author`"),
            (GOOD.replace("id: x", "id: y"), "name of the folder"),
            (GOOD.replace("name: X", "name:\n- X"), "one line of text"),
            (format!("{GOOD}tags: a\n"), "must be a list"),
        ] {
            let error = parse(&fields).expect_err(part).to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn versions_are_three_numbers() {
        for (version, valid) in [
            ("1.0.0", true),
            ("0.12.3", true),
            ("1.0", false),
            ("1.0.0.0", false),
            ("01.0.0", false),
            ("1.0.x", false),
            ("1..0", false),
            ("v1.0.0", false),
            ("1.0.0-rc", false),
        ] {
            assert_eq!(parse(&GOOD.replace("1.0.0\n", &format!("{version}\n"))).is_ok(), valid, "{version}");
        }
    }
}
