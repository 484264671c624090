//! EXPLAIN: how a FIND would be answered, or was.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use cairn_base::Value;
use cairn_graph::View;
use cairn_kip::tree::Find;

use super::request::Request;
use crate::eval::{self, Context};
use crate::plan::{Explained, Plan, explained};
use crate::{Budget, Result};

/// The plan of a FIND as `{"text": …, "stages": […]}`. If it is analyzed it is run up to its rows, and each
/// stage says how many it gave.
pub fn explain(view: &View<'_>, find: &Find, analyze: bool, budget: &mut Budget<'_>) -> Result<Value> {
    let view = *view;
    let plan = Plan::of(view, &find.pattern)?;
    let request = Request::of(&plan, find)?;
    let stages = explained(&plan, view)?;
    let mut counts = None;
    if analyze {
        let mut context = Context::new(view, &plan, request.fields(), budget);
        let rows = eval::run(&plan, &mut context)?;
        context.records.forget(context.budget);
        rows.drop_from(context.budget);
        counts = Some(context.counts);
    }
    let mut text = String::new();
    for stage in &stages {
        write_line(&mut text, stage, counts.as_deref(), 0);
    }
    let shown = stages.iter().map(|stage| to_value(stage, counts.as_deref())).collect::<Vec<_>>();
    Ok(Value::Object(BTreeMap::from([
        ("stages".to_owned(), Value::Array(shown)),
        ("text".to_owned(), Value::String(text)),
    ])))
}

fn write_line(text: &mut String, stage: &Explained, counts: Option<&[u64]>, level: usize) {
    let Explained { operator, detail, estimate, number, inside } = stage;
    let space = if detail.is_empty() { "" } else { " " };
    // Writing to a text does not fail.
    let _ = write!(text, "{:indent$}{operator}{space}{detail}", "", indent = 2 * level);
    if let Some(estimate) = estimate {
        let _ = write!(text, ", about {}", rounded(*estimate));
    }
    if let Some(counts) = counts {
        let _ = write!(text, ", rows {}", counts[*number]);
    }
    text.push('\n');
    for stage in inside {
        write_line(text, stage, counts, level + 1);
    }
}

fn to_value(stage: &Explained, counts: Option<&[u64]>) -> Value {
    let Explained { operator, detail, estimate, number, inside } = stage;
    let mut entries = BTreeMap::from([
        ("operator".to_owned(), Value::from(*operator)),
        ("detail".to_owned(), Value::from(detail.as_str())),
    ]);
    let mut put = |key: &str, value: Value| entries.insert(key.to_owned(), value);
    if let Some(estimate) = estimate {
        put("estimated_rows", rounded(*estimate).into());
    }
    if let Some(counts) = counts {
        put("rows", counts[*number].into());
    }
    if !inside.is_empty() {
        put("stages", inside.iter().map(|stage| to_value(stage, counts)).collect::<Vec<_>>().into());
    }
    Value::Object(entries)
}

/// Whole rows: nobody expects half of one.
fn rounded(estimate: f64) -> u64 {
    // A cast stops at the ends of what an integer can be.
    estimate.round() as u64
}
