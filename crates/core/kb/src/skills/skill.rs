//! One skill: its manifest, its body and its resources.

use cairn_base::{Hex, nearest};
use cairn_seam::Sha256;

use super::{SkillError, SkillManifest, front_matter};
use crate::limits::{SKILL_BYTES_MAX, SKILL_NAME_BYTES_MAX, SKILL_RESOURCE_BYTES_MAX};

/// A skill as it is embedded: its files, not parsed yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bundle {
    /// Its folder, which is also its id.
    pub(crate) folder: &'static str,
    /// Further ids under which it is found.
    pub(crate) aliases: &'static [&'static str],
    /// The text of its `SKILL.md`.
    pub(crate) skill: &'static str,
    /// Paths and texts of its resources.
    pub(crate) resources: &'static [(&'static str, &'static str)],
}

/// A parsed skill.
#[derive(Debug)]
pub(crate) struct Skill {
    /// Its manifest.
    pub(crate) manifest: SkillManifest,
    /// Further ids under which it is found.
    pub(crate) aliases: &'static [&'static str],
    /// The text behind the front matter.
    pub(crate) body: &'static str,
    resources: &'static [(&'static str, &'static str)],
}

impl Skill {
    /// Parses a bundle. Fails if a file is too large, the front matter is invalid, or it declares other resources
    /// than the bundle has.
    pub(crate) fn parse(bundle: &Bundle) -> Result<Self, SkillError> {
        bounded("SKILL.md", bundle.skill, SKILL_BYTES_MAX)?;
        let (fields, body) = front_matter::split(bundle.folder, bundle.skill)?;
        let manifest = SkillManifest::from_fields(bundle.folder, fields)?;
        for path in &manifest.resources {
            inside(path)?;
        }
        for (path, text) in bundle.resources {
            bounded("resource", text, SKILL_RESOURCE_BYTES_MAX)?;
            if !manifest.resources.iter().any(|declared| declared == path) {
                return Err(front_matter::bad(
                    bundle.folder,
                    1,
                    &format!("resource `{path}` is not declared"),
                ));
            }
        }
        let missing = |path: &&String| !bundle.resources.iter().any(|(held, _)| held == path);
        if let Some(path) = manifest.resources.iter().find(missing) {
            return Err(front_matter::bad(
                bundle.folder,
                1,
                &format!("declared resource `{path}` does not exist"),
            ));
        }
        Ok(Skill { manifest, aliases: bundle.aliases, body, resources: bundle.resources })
    }

    /// The SHA-256 of the body, as lower-case hexadecimal digits.
    pub(crate) fn content_hash(&self) -> String {
        Hex(Sha256::of(self.body.as_bytes()).as_bytes()).to_string()
    }

    /// Returns the text of a declared resource.
    pub(crate) fn read(&self, path: &str) -> Result<&'static str, SkillError> {
        bounded("resource path", path, SKILL_NAME_BYTES_MAX)?;
        inside(path)?;
        let found = self.resources.iter().find(|(held, _)| *held == path).map(|(_, text)| *text);
        found.ok_or_else(|| SkillError::UndeclaredResource {
            id: self.manifest.id.clone(),
            resource: path.to_owned(),
            meant: nearest(path, self.manifest.resources.iter().map(String::as_str)).map(str::to_owned),
            known: self.manifest.resources.clone(),
        })
    }
}

/// Refuses a text over its limit.
pub(super) fn bounded(what: &'static str, text: &str, max: usize) -> Result<(), SkillError> {
    if text.len() > max {
        return Err(SkillError::TooLarge { what, bytes: text.len(), max });
    }
    Ok(())
}

/// Refuses a path that would leave the folder of its skill.
fn inside(path: &str) -> Result<(), SkillError> {
    let problem = if path.is_empty() {
        "is empty"
    } else if path.contains(['\\', '\0']) {
        "contains a backslash or a zero byte"
    } else if path.starts_with('/') || path.contains(':') {
        "is absolute"
    } else if path.contains('%') {
        "contains an escape"
    } else if path.split('/').any(|part| matches!(part, "" | "." | ".." | "~")) {
        "leaves the folder of the skill or has an empty part"
    } else {
        return Ok(());
    };
    Err(SkillError::PathOutside { resource: path.to_owned(), problem })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "---\nid: x\nname: X\ndescription: Y\nversion: 1.0.0\ncairnCompatibility: >=0.1.0\nresources:\n- r.md\n---\n";

    fn bundle(skill: String, resources: Vec<(&'static str, &'static str)>) -> Bundle {
        Bundle { folder: "x", aliases: &[], skill: skill.leak(), resources: resources.leak() }
    }

    #[test]
    fn files_at_the_limit_are_parsed_and_longer_ones_refused() {
        let padded = |bytes: usize| format!("{MANIFEST}{}", "a".repeat(bytes - MANIFEST.len()));
        let resource = |bytes: usize| vec![("r.md", &*"a".repeat(bytes).leak())];
        for (skill, part, fits) in [
            (SKILL_BYTES_MAX, SKILL_RESOURCE_BYTES_MAX, true),
            (SKILL_BYTES_MAX + 1, 0, false),
            (SKILL_BYTES_MAX, SKILL_RESOURCE_BYTES_MAX + 1, false),
        ] {
            match Skill::parse(&bundle(padded(skill), resource(part))) {
                Ok(_) => assert!(fits, "{skill} {part}"),
                Err(SkillError::TooLarge { bytes, max, .. }) => {
                    assert!(!fits && bytes == max + 1, "{skill} {part}")
                }
                Err(other) => panic!("{other}"),
            }
        }
    }

    #[test]
    fn declared_resources_are_those_of_the_bundle() {
        for (resources, part) in [
            (vec![], "declared resource `r.md` does not exist"),
            (vec![("r.md", ""), ("s.md", "")], "resource `s.md` is not declared"),
        ] {
            let error = Skill::parse(&bundle(MANIFEST.to_owned(), resources)).expect_err(part).to_string();
            assert!(error.contains(part), "{error}");
        }
        let escaping = MANIFEST.replace("- r.md", "- ../r.md");
        let error = Skill::parse(&bundle(escaping, vec![("../r.md", "")])).expect_err("escape");
        assert!(matches!(error, SkillError::PathOutside { .. }), "{error}");
    }

    #[test]
    fn the_hash_is_sha_256_of_the_body() {
        let skill = Skill::parse(&bundle(format!("{MANIFEST}abc"), vec![("r.md", "")])).expect("valid");
        // The example of FIPS 180-2.
        assert_eq!(skill.content_hash(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
