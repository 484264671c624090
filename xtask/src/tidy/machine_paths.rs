//! No file names a path that exists on one machine only.

use super::Finding;
use super::tree::Tree;

/// Folders of somebody's machine. Split, so that this file does not find itself.
const FOLDERS: &[&str] = &[
    concat!("/", "root/"),
    concat!("/", "home/"),
    concat!("/", "Users/"),
    concat!("/", "work/"),
    concat!("/", "tmp/"),
    concat!("C:", "\\Users"),
];

pub(super) fn look(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in &tree.files {
        for folder in FOLDERS {
            let stray = text.match_indices(folder).filter(|(at, _)| is_absolute(&text[..*at]));
            let complaint = format!("`{folder}` is a path of one machine: use a relative or temporary one");
            findings.extend(stray.map(|(at, _)| Finding::at(path, text, at, complaint.clone())));
        }
    }
    findings
}

/// Whether a slash here starts a path, instead of going on with one as the second one in `a/b/` does.
fn is_absolute(before: &str) -> bool {
    !before.ends_with(|c: char| {
        c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '~' | '}' | '*' | '>')
    })
}

#[cfg(test)]
mod tests {
    use super::super::tree::made_up;
    use super::*;

    fn check(text: &str, found: bool) {
        assert_eq!(!look(&made_up::files(&[("docs/page.md", text)])).is_empty(), found, "{text}");
    }

    #[test]
    fn absolute_paths_of_a_machine_are_found() {
        for folder in FOLDERS {
            check(&format!("cd {folder}x"), true);
            check(&format!("(\"{folder}x\")"), true);
            if folder.starts_with('/') {
                check(&format!("crates{folder}x"), false);
            }
        }
        check("/etc/cairn and ~/.local/share", false);
    }
}
