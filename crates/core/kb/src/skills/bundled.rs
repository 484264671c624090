//! The table of bundled skills.

use std::sync::LazyLock;

use cairn_base::nearest;

use super::skill::{Bundle, bounded};
use super::{Skill, SkillError, SkillManifest};
use crate::limits::SKILL_NAME_BYTES_MAX;

/// The bundle of a folder of `skills/`, its files embedded.
macro_rules! bundle {
    ($folder:literal, aliases $aliases:expr, resources [$($resource:literal),*]) => {
        Bundle {
            folder: $folder,
            aliases: $aliases,
            skill: include_str!(concat!("../../skills/", $folder, "/SKILL.md")),
            resources: &[$(($resource, include_str!(concat!("../../skills/", $folder, "/", $resource)))),*],
        }
    };
}

/// Every skill, ordered by id.
pub(super) const BUNDLES: &[Bundle] = &[
    bundle!(
        "cairn-bootstrap",
        aliases & ["init-kibi", "kibi-bootstrap"],
        resources["resources/first-entities.md"]
    ),
    bundle!("cairn-freshness", aliases & ["kibi-freshness"], resources["resources/branches.md"]),
    bundle!("cairn-traceability", aliases & ["kibi-traceability"], resources["resources/check-rules.md"]),
    bundle!("cairn-usage", aliases &["kibi-usage"], resources [
        "resources/fact-lanes.md",
        "resources/operation-access.md",
        "resources/relationship-directions.md",
        "resources/workflows.md"
    ]),
];

static SKILLS: LazyLock<Vec<Skill>> = LazyLock::new(|| {
    let parsed: Result<Vec<Skill>, SkillError> = BUNDLES.iter().map(Skill::parse).collect();
    let mut skills = parsed.expect("a test parses every embedded skill");
    skills.sort_by(|one, other| one.manifest.id.cmp(&other.manifest.id));
    skills
});

/// Returns the manifest of every skill, ordered by id.
pub(crate) fn list() -> impl Iterator<Item = &'static SkillManifest> {
    SKILLS.iter().map(|skill| &skill.manifest)
}

/// Returns the skill with this id or alias.
pub(crate) fn find(id: &str) -> Result<&'static Skill, SkillError> {
    bounded("skill id", id, SKILL_NAME_BYTES_MAX)?;
    resolve(id).ok_or_else(|| SkillError::UnknownSkill {
        id: id.to_owned(),
        meant: nearest(id, names()).and_then(resolve).map(|skill| skill.manifest.id.clone()),
        known: list().map(|manifest| manifest.id.clone()).collect(),
    })
}

fn resolve(id: &str) -> Option<&'static Skill> {
    SKILLS.iter().find(|skill| skill.manifest.id == id || skill.aliases.contains(&id))
}

/// Every id and alias.
fn names() -> impl Iterator<Item = &'static str> {
    SKILLS
        .iter()
        .flat_map(|skill| [skill.manifest.id.as_str()].into_iter().chain(skill.aliases.iter().copied()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    fn folder() -> &'static Path {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/skills"))
    }

    fn entries(path: &Path) -> BTreeSet<String> {
        let entries = std::fs::read_dir(path).expect("a folder");
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect()
    }

    #[test]
    fn every_folder_is_a_skill_and_every_file_is_declared() {
        for bundle in BUNDLES {
            Skill::parse(bundle).unwrap_or_else(|error| panic!("{error}"));
        }
        let ids: Vec<&str> = list().map(|manifest| manifest.id.as_str()).collect();
        assert_eq!(ids, ["cairn-bootstrap", "cairn-freshness", "cairn-traceability", "cairn-usage"]);
        assert_eq!(entries(folder()), ids.iter().map(|id| (*id).to_owned()).collect());
        for manifest in list() {
            let skill = folder().join(&manifest.id);
            let declared = manifest.resources.iter().filter_map(|path| path.strip_prefix("resources/"));
            assert_eq!(
                entries(&skill.join("resources")),
                declared.map(str::to_owned).collect(),
                "{}",
                manifest.id
            );
            assert_eq!(entries(&skill), ["SKILL.md", "resources"].map(str::to_owned).into());
            assert!(manifest.resources.is_sorted(), "{}", manifest.id);
        }
    }

    #[test]
    fn resources_and_bodies_are_those_of_the_files() {
        for manifest in list() {
            let skill = find(&manifest.id).expect("listed");
            let file = std::fs::read_to_string(folder().join(&manifest.id).join("SKILL.md")).expect("a file");
            let (_, body) = file[4..].split_once("\n---\n").expect("front matter");
            assert_eq!(skill.body, body);
            assert!(!body.trim().is_empty());
            let hash = cairn_seam::Sha256::of(body.as_bytes());
            assert_eq!(skill.content_hash(), format!("{hash:?}"));
            for path in &manifest.resources {
                let file = std::fs::read_to_string(folder().join(&manifest.id).join(path)).expect("a file");
                assert_eq!(skill.read(path), Ok(file.as_str()));
                assert!(!file.trim().is_empty());
            }
        }
    }

    #[test]
    fn aliases_find_their_skill_and_are_no_ids_of_others() {
        for (alias, id) in [
            ("kibi-usage", "cairn-usage"),
            ("init-kibi", "cairn-bootstrap"),
            ("kibi-bootstrap", "cairn-bootstrap"),
            ("kibi-freshness", "cairn-freshness"),
            ("kibi-traceability", "cairn-traceability"),
        ] {
            assert_eq!(find(alias).expect(alias).manifest.id, id);
        }
        assert_eq!(names().collect::<BTreeSet<_>>().len(), names().count());
    }

    #[test]
    fn unknown_ids_are_refused_with_the_one_meant() {
        for (id, part) in [
            ("cairn-usge", "did you mean `cairn-usage`?"),
            ("kibi-usge", "did you mean `cairn-usage`?"),
            ("Cairn_Usage", "did you mean `cairn-usage`?"),
            ("", "there are: cairn-bootstrap, cairn-freshness, cairn-traceability, cairn-usage"),
            ("../cairn-usage/SKILL.md", "unknown skill"),
        ] {
            let error = find(id).expect_err(id);
            assert_eq!(error.code(), cairn_base::ErrorCode::NotFound);
            assert!(error.to_string().contains(part), "{error}");
        }
        let error = find(&"x".repeat(SKILL_NAME_BYTES_MAX + 1)).expect_err("too long");
        assert_eq!(error.code(), cairn_base::ErrorCode::TooLarge);
        assert_eq!(error.to_string(), "the skill id has 257 bytes, and 256 are the most");
    }

    #[test]
    fn paths_that_are_not_declared_are_refused() {
        use cairn_base::ErrorCode;
        let skill = find("cairn-usage").expect("bundled");
        for path in [
            "",
            "/etc/passwd",
            "/resources/fact-lanes.md",
            "../cairn-bootstrap/SKILL.md",
            "resources/../SKILL.md",
            "resources/../resources/fact-lanes.md",
            "resources/..",
            "./resources/fact-lanes.md",
            "resources//fact-lanes.md",
            "resources/",
            "..\\SKILL.md",
            "resources\\fact-lanes.md",
            "C:\\Windows",
            "C:/Windows",
            "file:///etc/passwd",
            "~/notes.md",
            "resources/fact-lanes.md\0",
            "%2e%2e/SKILL.md",
        ] {
            assert_eq!(skill.read(path).expect_err(path).code(), ErrorCode::InvalidRequest, "{path:?}");
        }
        for (path, part) in [
            ("SKILL.md", "there are: resources/fact-lanes.md"),
            ("fact-lanes.md", "declares no resource"),
            ("resources/fact-lane.md", "did you mean `resources/fact-lanes.md`?"),
            ("resources/check-rules.md", "declares no resource"),
        ] {
            let error = skill.read(path).expect_err(path);
            assert_eq!(error.code(), ErrorCode::NotFound, "{path}");
            assert!(error.to_string().contains(part), "{error}");
        }
        let long = "a".repeat(SKILL_NAME_BYTES_MAX + 1);
        assert_eq!(skill.read(&long).expect_err("too long").code(), ErrorCode::TooLarge);
    }
}
