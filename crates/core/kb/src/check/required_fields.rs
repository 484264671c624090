//! required-fields: every entity has `id`, `title`, `status`, `created_at`, `updated_at` and `source`. One violation per
//! missing field.

use super::Rule;
use super::explain::violation;
use super::finding::Finding;
use super::fix::upsert;
use super::table::View;
pub(crate) use super::table::written as affected;
use crate::tools::{UpsertInput, Violation};
use crate::{Branch, Node, NodeKey};

const FIELDS: [&str; 6] = ["id", "title", "status", "created_at", "updated_at", "source"];

pub(crate) fn check(view: View<'_>, subject: NodeKey, found: &mut Vec<Finding>) {
    let Some(node) = view.branch.node(subject) else { return };
    let missing = (0_u8..).zip(lacks(node)).filter(|(_, is_missing)| *is_missing);
    found.extend(missing.map(|(field, _)| Finding::new(subject, &node.id, field)));
}

/// Whether each of the fields is missing.
fn lacks(node: &Node) -> [bool; 6] {
    let [created_at, updated_at] = node.lacks_times;
    let Node { id, title, status, source, .. } = node;
    [id.is_empty(), title.is_empty(), status.is_empty(), created_at, updated_at, source.is_empty()]
}

pub(crate) fn explain(view: View<'_>, finding: &Finding) -> Violation {
    let field = FIELDS[usize::from(finding.problem)];
    let todo = match field {
        "created_at" | "updated_at" => format!("upsert the entity; cairn sets {field}"),
        _ => format!("upsert the entity with a {field}"),
    };
    violation(
        view.branch,
        Rule::RequiredFields,
        finding,
        format!("missing {field}"),
        todo,
        payload(view.branch, finding.subject).into_iter().collect(),
    )
}

/// A payload that fills every missing field, because an entity is refused while one of them is missing. An upsert sets
/// missing times by itself.
fn payload(branch: &Branch, key: NodeKey) -> Option<UpsertInput> {
    let node = branch.node(key).filter(|node| !node.id.is_empty())?;
    let mut payload = upsert(node.kind, &node.id, []);
    if node.title.is_empty() {
        payload = payload.with("title", format!("<title of {}>", node.id).into());
    }
    if node.status.is_empty() {
        payload = payload.with("status", node.kind.statuses()[0].into());
    }
    if node.source.is_empty() {
        payload = payload.with("source", format!("<source of {}>", node.id).into());
    }
    Some(payload)
}

#[cfg(test)]
mod tests {
    use crate::Node;
    use crate::check::Rule::RequiredFields as RULE;
    use crate::check::tests::{Builder, finds};

    type Row = (&'static str, fn(&mut Node));

    #[test]
    fn each_field_just_violates_and_all_of_them_do_not() {
        finds(&Builder::new("req:A flag:B"), RULE, &[]);
        let rows: [Row; 5] = [
            ("title", |node| node.title = "".into()),
            ("status", |node| node.status = "".into()),
            ("created_at", |node| node.lacks_times[0] = true),
            ("updated_at", |node| node.lacks_times[1] = true),
            ("source", |node| node.source = "".into()),
        ];
        for (field, clear) in rows {
            finds(&Builder::new("req:A").set("A", clear), RULE, &[("A", &format!("missing {field}"))]);
        }
    }

    #[test]
    fn there_is_one_violation_per_field() {
        let poor = Builder::new("event:E").set("E", |node| {
            node.title = "".into();
            node.source = "".into();
        });
        finds(&poor, RULE, &[("E", "missing title"), ("E", "missing source")]);
    }
}
