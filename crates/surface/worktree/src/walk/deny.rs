//! Names that are never entered, whatever `.gitignore` says.

/// Denied in every walk.
const ALWAYS: &[&str] =
    &[".cairn", ".git", ".kb", ".opencode", ".sisyphus", "node_modules", "third_party", "vendor"];

/// Denied in walks that look for evidence: environments, output of builds, and code of others.
const IN_DISCOVERY: &[&str] =
    &[".venv", "build", "coverage", "dist", "target", "third-party", "vendors", "venv"];

/// Returns true if a part of a path has a denied name. `discovery` adds environments, output of builds and code of
/// others.
pub fn is_denied(path: &str, discovery: bool) -> bool {
    path.split('/').any(|part| is_denied_name(part, discovery))
}

/// On a file system that ignores case, `.GIT` is the repository, too.
pub(super) fn is_denied_name(name: &str, discovery: bool) -> bool {
    ALWAYS.contains(&name) || name.eq_ignore_ascii_case(".git") || (discovery && IN_DISCOVERY.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, always: bool, in_discovery: bool) {
        assert_eq!((is_denied(path, false), is_denied(path, true)), (always, in_discovery), "{path}");
    }

    #[test]
    fn every_part_of_a_path_counts() {
        for path in
            [".git", ".GIT/config", "a/node_modules/b.md", ".kb", "x/.cairn", "vendor/a", "third_party"]
        {
            check(path, true, true);
        }
        for path in ["target/a", "a/dist", "venv", ".venv/x", "coverage/a.md", "vendors/b", "third-party/c"] {
            check(path, false, true);
        }
        for path in [".gitignore", ".github/a.yml", "vendored/a", "targets/b", "docs/build.md", "Vendor/a"] {
            check(path, false, false);
        }
    }
}
