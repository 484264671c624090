//! `cairn kb sync --validate-only`: documents are read and checked, and nothing is stored.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use super::Call;
use super::compare::Comparison;
use super::find::Documents;
use super::outcome::Outcome;
use super::problem::Finding;
use super::read::read;
use crate::failure::Failure;
use crate::progress;

/// Checks the documents of the tree. There may be no KB, no data directory, no branch and no repository.
pub(super) fn validate(call: &Call<'_>) -> Result<Outcome, Failure> {
    let (workspace, branch) = call.workspace_with_any_branch()?;
    let documents = Documents::find(&workspace)?;
    let show = progress::counter();
    let never = AtomicBool::new(false);
    let read = read(&workspace.reader()?, &documents.files, &|_, _| false, &never, &show);
    let mut comparison = Comparison::of(&documents, read.unwrap_or_default(), &[]);
    let twice = duplicates(&comparison);
    comparison.findings.extend(twice);
    comparison.findings.sort();
    Ok(Outcome::of_check(branch, comparison))
}

/// Ids that two documents have. The first path in order wins.
fn duplicates(comparison: &Comparison) -> Vec<Finding> {
    let mut first: BTreeMap<&str, (&str, u32)> = BTreeMap::new();
    let mut twice = Vec::new();
    for file in &comparison.added {
        for entity in &file.entities {
            let id = entity.entity.id.as_str();
            let (path, line) = *first.entry(id).or_insert((&file.path, entity.line));
            if (path, line) == (file.path.as_str(), entity.line) {
                continue;
            }
            twice.push(Finding {
                path: file.path.clone(),
                line: Some(entity.line),
                is_error: true,
                class: Some("duplicate_id".to_owned()),
                entity: Some(id.to_owned()),
                message: format!("{path}:{line} has the same id"),
                hint: Some("give each entity an id of its own; the first document wins".to_owned()),
            });
        }
    }
    twice
}

#[cfg(test)]
mod tests {
    use cairn_documents::parse_markdown;
    use cairn_kb::EntityType;
    use cairn_kb::sync::SyncFile;

    use super::super::compare;
    use super::*;

    #[test]
    fn the_second_document_of_an_id_is_a_problem() {
        let file = |path: &str, id: &str| {
            let text = format!("---\nid: {id}\ntitle: T\n---\n");
            let document = parse_markdown(path, text.as_bytes(), Some(EntityType::Req));
            let entities = document.entities.into_iter().map(compare::entity).collect();
            SyncFile { path: path.into(), entities, ..SyncFile::default() }
        };
        let added = vec![file("a.md", "A"), file("b.md", "B"), file("c.md", "A")];
        let comparison = Comparison { added, ..Comparison::default() };
        let found = duplicates(&comparison);
        let named: Vec<_> = found.iter().map(|finding| (&*finding.path, &*finding.message)).collect();
        assert_eq!(named, [("c.md", "a.md:2 has the same id")]);
    }
}
