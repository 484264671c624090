//! Manifests and lock files: what the project is called and depends on.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::language::name_of;
use super::{Findings, GeneratedFact};
use crate::candidate::{Evidence, Provider};
use crate::ids::shortened;
use crate::tree::Skipped;

/// Names that a fact lists of each kind.
const NAMES_MAX: usize = 15;
/// Characters of a name that a fact quotes.
const NAME_CHARS_MAX: usize = 80;

/// A kind of manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manifest {
    PackageJson,
    TsConfig,
    Lock(&'static str),
    CargoToml,
    GoMod,
    PyProject,
    Requirements,
}

/// Lock files and the tools that write them.
const LOCKS: [(&str, &str); 10] = [
    ("Cargo.lock", "cargo"),
    ("Pipfile.lock", "pipenv"),
    ("bun.lock", "bun"),
    ("bun.lockb", "bun"),
    ("go.sum", "go"),
    ("package-lock.json", "npm"),
    ("pnpm-lock.yaml", "pnpm"),
    ("poetry.lock", "poetry"),
    ("uv.lock", "uv"),
    ("yarn.lock", "yarn"),
];

/// Packages that are test frameworks.
const FRAMEWORKS: [(&str, &str); 6] = [
    ("@jest/globals", "jest"),
    ("@playwright/test", "playwright"),
    ("jest", "jest"),
    ("mocha", "mocha"),
    ("pytest", "pytest"),
    ("vitest", "vitest"),
];

impl Manifest {
    /// The kind of the file at `path`, by its name.
    pub(crate) fn of(path: &str) -> Option<Self> {
        let name = name_of(path);
        match name {
            "package.json" => return Some(Manifest::PackageJson),
            "Cargo.toml" => return Some(Manifest::CargoToml),
            "go.mod" => return Some(Manifest::GoMod),
            "pyproject.toml" => return Some(Manifest::PyProject),
            _ => {}
        }
        if name.starts_with("tsconfig") && name.ends_with(".json") {
            return Some(Manifest::TsConfig);
        }
        if name.starts_with("requirements") && name.ends_with(".txt") {
            return Some(Manifest::Requirements);
        }
        LOCKS.iter().find(|(lock, _)| *lock == name).map(|(_, tool)| Manifest::Lock(tool))
    }

    /// Whether its content is looked at.
    pub(crate) fn is_read(self) -> bool {
        !matches!(self, Manifest::TsConfig | Manifest::Lock(_))
    }

    fn kind(self) -> &'static str {
        match self {
            Manifest::PackageJson => "JavaScript package",
            Manifest::TsConfig => "TypeScript configuration",
            Manifest::Lock(_) => "Lock file",
            Manifest::CargoToml => "Rust package",
            Manifest::GoMod => "Go module",
            Manifest::PyProject => "Python project",
            Manifest::Requirements => "Python requirements",
        }
    }
}

/// What a manifest says.
#[derive(Debug, Default, PartialEq, Eq)]
struct Said {
    name: Option<String>,
    /// What else, as `label: names`.
    parts: Vec<String>,
    frameworks: Vec<&'static str>,
}

/// Adds the fact of a manifest. A manifest that cannot be parsed is named in a warning and gives none.
pub(crate) fn examine(kind: Manifest, path: &str, text: &str, findings: &mut Findings) {
    let said = match kind {
        Manifest::PackageJson => package_json(text),
        Manifest::CargoToml => cargo_toml(text),
        Manifest::PyProject => py_project(text),
        Manifest::GoMod => Ok(go_mod(text)),
        Manifest::Requirements => Ok(requirements(text)),
        Manifest::Lock(tool) => {
            Ok(Said { name: None, parts: vec![format!("tool: {tool}")], frameworks: Vec::new() })
        }
        Manifest::TsConfig => Ok(Said::default()),
    };
    let said = match said {
        Ok(said) => said,
        Err(problem) => {
            let message = format!("it is no valid {}: {}", kind.kind(), shortened(&problem, 200));
            findings.warn(path, Skipped::Malformed, message);
            return;
        }
    };
    findings.frameworks.extend(said.frameworks);
    let name = said.name.map(|name| format!(" {}", shortened(&name, NAME_CHARS_MAX))).unwrap_or_default();
    let parts = if said.parts.is_empty() { String::new() } else { format!("; {}", said.parts.join("; ")) };
    let fact = GeneratedFact {
        provider: Provider::RepoMetadata,
        key: path,
        path,
        fact_kind: "meta",
        title: format!("{}: {path}", kind.kind()),
        text: format!("{}{name} ({path}){parts}.", kind.kind()),
        confidence: if kind == Manifest::TsConfig { 90 } else { 86 },
        evidence: vec![Evidence { path: path.to_owned(), line: None, detail: kind.kind().to_owned() }],
    };
    findings.drafts.push(fact.draft());
}

#[derive(Deserialize)]
struct PackageJson {
    name: Option<String>,
    version: Option<String>,
    #[serde(default)]
    scripts: BTreeMap<String, IgnoredAny>,
    #[serde(default)]
    dependencies: BTreeMap<String, IgnoredAny>,
    #[serde(default, rename = "devDependencies")]
    dev_dependencies: BTreeMap<String, IgnoredAny>,
}

fn package_json(text: &str) -> Result<Said, String> {
    let text = text.trim_start_matches('\u{feff}');
    let package: PackageJson = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let PackageJson { name, version, scripts, dependencies, dev_dependencies } = package;
    let frameworks = frameworks(dependencies.keys().chain(dev_dependencies.keys()));
    let parts = [
        version.map(|version| format!("version: {}", shortened(&version, NAME_CHARS_MAX))),
        listed("scripts", scripts.keys()),
        listed("dependencies", dependencies.keys()),
        listed("development dependencies", dev_dependencies.keys()),
    ];
    Ok(Said { name, parts: parts.into_iter().flatten().collect(), frameworks })
}

#[derive(Deserialize)]
struct CargoToml {
    package: Option<CargoPackage>,
    workspace: Option<CargoWorkspace>,
    #[serde(default)]
    dependencies: BTreeMap<String, IgnoredAny>,
}

#[derive(Deserialize)]
struct CargoPackage {
    name: String,
    edition: Option<toml::Value>,
}

#[derive(Deserialize)]
struct CargoWorkspace {
    #[serde(default)]
    members: Vec<String>,
}

fn cargo_toml(text: &str) -> Result<Said, String> {
    let CargoToml { package, workspace, dependencies } =
        toml::from_str(text).map_err(|error| error.message().to_owned())?;
    let edition = package.as_ref().and_then(|package| package.edition.as_ref()?.as_str());
    let parts = [
        edition.map(|edition| format!("edition: {}", shortened(edition, NAME_CHARS_MAX))),
        workspace.and_then(|workspace| listed("workspace members", workspace.members.iter())),
        listed("dependencies", dependencies.keys()),
    ];
    let name = package.map(|package| package.name);
    Ok(Said { name, parts: parts.into_iter().flatten().collect(), frameworks: Vec::new() })
}

#[derive(Deserialize)]
struct PyProject {
    project: Option<PyProjectTable>,
    tool: Option<PyTools>,
}

#[derive(Deserialize)]
struct PyProjectTable {
    name: Option<String>,
    #[serde(default)]
    dependencies: Vec<String>,
}

#[derive(Deserialize)]
struct PyTools {
    poetry: Option<Poetry>,
    pytest: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Poetry {
    name: Option<String>,
    #[serde(default)]
    dependencies: BTreeMap<String, IgnoredAny>,
}

fn py_project(text: &str) -> Result<Said, String> {
    let PyProject { project, tool } = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    let (mut name, mut dependencies) = (None, Vec::new());
    if let Some(project) = project {
        name = project.name;
        dependencies.extend(project.dependencies.iter().map(|line| requirement(line).to_owned()));
    }
    let mut has_pytest = false;
    if let Some(tool) = tool {
        has_pytest = tool.pytest.is_some();
        if let Some(poetry) = tool.poetry {
            name = name.or(poetry.name);
            dependencies.extend(poetry.dependencies.into_keys().filter(|name| name != "python"));
        }
    }
    dependencies.sort_unstable();
    dependencies.dedup();
    let mut frameworks = frameworks(dependencies.iter());
    if has_pytest && frameworks.is_empty() {
        frameworks.push("pytest");
    }
    let parts = listed("dependencies", dependencies.iter()).into_iter().collect();
    Ok(Said { name, parts, frameworks })
}

fn requirements(text: &str) -> Said {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', '-']));
    let mut names: Vec<String> = lines.map(|line| requirement(line).to_owned()).collect();
    names.retain(|name| !name.is_empty());
    names.sort_unstable();
    names.dedup();
    let frameworks = frameworks(names.iter());
    Said { name: None, parts: listed("dependencies", names.iter()).into_iter().collect(), frameworks }
}

/// The name of a package in a line like `name[extra]>=1.0; marker`.
fn requirement(line: &str) -> &str {
    let end = line.find(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.')));
    &line[..end.unwrap_or(line.len())]
}

fn go_mod(text: &str) -> Said {
    let mut said = Said::default();
    let mut required: Vec<String> = Vec::new();
    let mut in_block = false;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        let mut words = line.split_whitespace();
        match (words.next(), words.next()) {
            (Some("module"), Some(name)) => said.name = Some(name.to_owned()),
            (Some("go"), Some(version)) => {
                said.parts.push(format!("go: {}", shortened(version, NAME_CHARS_MAX)))
            }
            (Some("require"), Some("(")) => in_block = true,
            (Some("require"), Some(name)) => required.push(name.to_owned()),
            (Some(")"), _) => in_block = false,
            (Some(name), Some(_)) if in_block => required.push(name.to_owned()),
            (Some(_) | None, _) => {}
        }
    }
    required.sort_unstable();
    required.dedup();
    said.parts.extend(listed("dependencies", required.iter()));
    said
}

/// `label (count): a, b`, with the first names.
fn listed<'a>(label: &str, names: impl ExactSizeIterator<Item = &'a String>) -> Option<String> {
    let count = names.len();
    let shown: Vec<String> = names.take(NAMES_MAX).map(|name| shortened(name, NAME_CHARS_MAX)).collect();
    let more = if count > shown.len() { ", …" } else { "" };
    (count > 0).then(|| format!("{label} ({count}): {}{more}", shown.join(", ")))
}

fn frameworks<'a>(names: impl Iterator<Item = &'a String>) -> Vec<&'static str> {
    let known = |name: &String| FRAMEWORKS.iter().find(|(package, _)| package == name);
    let mut found: Vec<&str> = names.filter_map(known).map(|(_, framework)| *framework).collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of the fact, or the warning.
    fn said(path: &str, text: &str) -> String {
        let mut findings = Findings::default();
        examine(Manifest::of(path).expect("a manifest"), path, text, &mut findings);
        match (findings.drafts.pop(), findings.warnings.pop()) {
            (Some(draft), None) => {
                let crate::candidate::Payloads::Ready(payloads) = draft.payloads else {
                    panic!("it is ready")
                };
                payloads[0].properties.text("text_ref").expect("a text").to_owned()
            }
            (None, Some(warning)) => warning.message,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn names_tell_the_kind() {
        for (path, expected) in [
            ("a/package.json", Some(Manifest::PackageJson)),
            ("tsconfig.base.json", Some(Manifest::TsConfig)),
            ("requirements-dev.txt", Some(Manifest::Requirements)),
            ("pnpm-lock.yaml", Some(Manifest::Lock("pnpm"))),
            ("go.mod", Some(Manifest::GoMod)),
            ("packages.json", None),
            ("requirements.md", None),
        ] {
            assert_eq!(Manifest::of(path), expected, "{path}");
        }
    }

    #[test]
    fn facts_say_what_manifests_say() {
        assert_eq!(
            said(
                "package.json",
                r#"{"name": "shop", "version": "1.0", "scripts": {"b": "x", "a": {}},
                 "dependencies": {"left": "1"}, "devDependencies": {"vitest": "1"}, "more": [1]}"#
            ),
            "JavaScript package shop (package.json); version: 1.0; scripts (2): a, b; dependencies (1): left; \
             development dependencies (1): vitest."
        );
        assert_eq!(
            said(
                "Cargo.toml",
                "[package]\nname = \"x\"\nedition = \"2024\"\n[dependencies]\nserde = {version = \"1\"}"
            ),
            "Rust package x (Cargo.toml); edition: 2024; dependencies (1): serde."
        );
        assert_eq!(
            said(
                "go.mod",
                "module a.example/m // c\ngo 1.22\nrequire (\n\tb.example/x v1 // indirect\n)\nrequire c.example/y v2"
            ),
            "Go module a.example/m (go.mod); go: 1.22; dependencies (2): b.example/x, c.example/y."
        );
        assert_eq!(
            said("pyproject.toml", "[project]\nname = \"p\"\ndependencies = [\"httpx[x]>=1; a\", \"attrs\"]"),
            "Python project p (pyproject.toml); dependencies (2): attrs, httpx."
        );
        assert_eq!(
            said("requirements.txt", "# c\n-r x\nflask==2\n\nattrs"),
            "Python requirements (requirements.txt); dependencies (2): attrs, flask."
        );
        assert_eq!(said("yarn.lock", ""), "Lock file (yarn.lock); tool: yarn.");
    }

    #[test]
    fn hostile_manifests_are_named_and_end() {
        for (path, text) in [
            ("package.json", format!("{{\"x\": {}", "[".repeat(100_000))),
            ("package.json", "{\"name\": 1}".to_owned()),
            ("package.json", "\u{0}".to_owned()),
            ("Cargo.toml", format!("x = {}", "[".repeat(100_000))),
            ("Cargo.toml", format!("{} = 1", vec!["a"; 20_000].join("."))),
            ("pyproject.toml", "[project".to_owned()),
        ] {
            assert!(said(path, &text).starts_with("it is no valid"), "{path}");
        }
        let many: Vec<String> = (0..5_000).map(|n| format!("\"d{n:04}\": \"1\"")).collect();
        let text = said("package.json", &format!("{{\"dependencies\": {{{}}}}}", many.join(",")));
        assert!(text.contains("dependencies (5000): d0000, ") && text.ends_with(", …."), "{text}");
    }

    #[test]
    fn frameworks_come_from_dependencies() {
        let mut findings = Findings::default();
        let text = r#"{"devDependencies": {"jest": "1", "@jest/globals": "1", "mocha": "1"}}"#;
        examine(Manifest::PackageJson, "package.json", text, &mut findings);
        assert_eq!(findings.frameworks, ["jest", "mocha"]);
    }
}
