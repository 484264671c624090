//! Relative links in Markdown lead to a file, folder or heading that exists.

use super::Finding;
use super::tree::Tree;

pub(super) fn look(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.files_ending(".md") {
        let prose = prose_only(text);
        for (at, target) in targets(&prose) {
            if let Some(complaint) = complaint(tree, path, target) {
                findings.push(Finding::at(path, &prose, at, complaint));
            }
        }
    }
    findings
}

fn complaint(tree: &Tree, from: &str, target: &str) -> Option<String> {
    let outward = target.split_once(':').is_some_and(|(scheme, _)| scheme.chars().all(char::is_alphanumeric));
    if outward || target.is_empty() {
        return None;
    }
    let (path, heading) = target.split_once('#').unwrap_or((target, ""));
    let Some(path) = (if path.is_empty() { Some(from.to_owned()) } else { resolve(from, path) }) else {
        return Some(format!("the link `{target}` leads out of the repository"));
    };
    if !path.is_empty() && !tree.paths.contains(&path) {
        return Some(format!("the link `{target}` leads nowhere: there is no {path}"));
    }
    let text = tree.files.get(&path).filter(|_| !heading.is_empty() && path.ends_with(".md"))?;
    (!anchors(text).any(|anchor| anchor == heading))
        .then(|| format!("the link `{target}` leads nowhere: {path} has no such heading"))
}

/// The path from the root of the repository, unless the link leaves it.
fn resolve(from: &str, link: &str) -> Option<String> {
    if link.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The text with code blanked out, of the same length.
fn prose_only(text: &str) -> String {
    let mut prose = String::with_capacity(text.len());
    let mut fence = None;
    for line in text.split_inclusive('\n') {
        let marker = ["```", "~~~"].into_iter().find(|marker| line.trim_start().starts_with(marker));
        let in_code = fence.is_some() || marker.is_some();
        fence = match (fence, marker) {
            (None, opened) => opened,
            (Some(open), Some(closed)) if open == closed => None,
            (open, _) => open,
        };
        match in_code {
            true => prose.extend(line.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' })),
            false => blank_inline_code(line, &mut prose),
        }
    }
    prose
}

fn blank_inline_code(line: &str, prose: &mut String) {
    for (index, part) in line.split('`').enumerate() {
        if index > 0 {
            prose.push('`');
        }
        match index % 2 {
            0 => prose.push_str(part),
            _ => prose.extend(part.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' })),
        }
    }
}

/// The targets of `[text](target)` and `[name]: target`, with their offsets.
fn targets(prose: &str) -> impl Iterator<Item = (usize, &str)> {
    let inline = prose.match_indices("](").filter_map(|(at, _)| {
        let rest = &prose[at + 2..];
        let target = &rest[..rest.find(')')?];
        Some((at, target.split_whitespace().next().unwrap_or("").trim_matches(['<', '>'])))
    });
    let defined = prose.match_indices("]: ").filter_map(|(at, _)| {
        let line_start = prose[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let is_definition = prose[line_start..].starts_with('[');
        let target = prose[at + 3..].split_whitespace().next()?;
        is_definition.then_some((at, target))
    });
    inline.chain(defined)
}

/// The anchors of a page's headings, made as code hosts make them.
fn anchors(text: &str) -> impl Iterator<Item = String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::super::tree::made_up;
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let tree = made_up::files(&[
            ("README.md", "# Cairn: what it is\n"),
            ("docs/adr/0001-log-first.md", "# Log first"),
            ("docs/page.md", text),
        ]);
        let found: Vec<String> = look(&tree).into_iter().map(|finding| finding.to_string()).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn good_links_pass() {
        check(
            "[a](../README.md) [b](adr/0001-log-first.md#log-first) [c](adr/) [d](./page.md) [root](..)",
            &[],
        );
        check("[a](../README.md#cairn-what-it-is \"title\")\n\n[b]: ../README.md\n", &[]);
        check("[web](https://example.org/x) [mail](mailto:a@example.org)", &[]);
        check("# Here\n[h](#here)", &[]);
    }

    #[test]
    fn bad_links_are_found_with_their_line() {
        check(
            "x\n[a](gone.md)",
            &["docs/page.md:2: the link `gone.md` leads nowhere: there is no docs/gone.md"],
        );
        check(
            "[a]: gone.md",
            &["docs/page.md:1: the link `gone.md` leads nowhere: there is no docs/gone.md"],
        );
        check(
            "[a](../README.md#nothing)",
            &["docs/page.md:1: the link `../README.md#nothing` leads nowhere: README.md has no such heading"],
        );
        check("[a](../../x.md)", &["docs/page.md:1: the link `../../x.md` leads out of the repository"]);
        check("[a](/etc/x.md)", &["docs/page.md:1: the link `/etc/x.md` leads out of the repository"]);
    }

    #[test]
    fn code_is_no_link() {
        check("```\n[a](gone.md)\n```\n`[b](gone.md)` [c](page.md)", &[]);
    }
}
