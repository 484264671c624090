//! EXPLAIN: how a FIND would be answered, or was.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use cairn_base::{Number, Value};
use cairn_graph::View;
use cairn_kip::tree::Find;

use super::{Question, page};
use crate::eval::{Context, Measured};
use crate::plan::{Explained, explained, index_name};
use crate::{Budget, Options, Result};

/// The plan of a FIND as `{"text": …, "answer": …, "stages": […]}`: what is made of the rows, and where they come
/// from. If it is analyzed it is run, and each stage says how many rows it gave and how long that took.
pub fn explain(view: &View<'_>, find: &Find, analyze: bool, budget: &mut Budget<'_>) -> Result<Value> {
    let options = Options::default();
    let question = Question::of(*view, find, &options)?;
    let mut stages = explained(&question.plan, *view)?;
    let mut answer = Answer { detail: String::new(), rows: None, took: Duration::ZERO };
    let mut measured = None;
    let mut has_given_up_order = false;
    if analyze {
        let mut context = Context::new(*view, &question.plan, question.request.fields(), budget);
        context.is_timed = true;
        let began = context.now();
        answer.rows = Some(question.run(&mut context)?);
        answer.took = context.now().saturating_sub(began);
        has_given_up_order = context.has_given_up_order;
        measured = Some(context.measured);
    }
    if let (Some(order), Some(first)) = (&question.order, stages.first_mut()) {
        let outcome = if has_given_up_order { ", which was given up for a scan" } else { "" };
        first.index = Some(format!("{}, in its order{outcome}", index_name(&order.scan.index, *view)?));
    }
    answer.detail = question.how(has_given_up_order);
    let measured = measured.as_deref();
    let mut text = format!("answer {}", answer.detail);
    if let Some(rows) = answer.rows {
        // Writing to a text does not fail.
        let _ = write!(text, ", rows {rows}, {}", shown_ms(answer.took));
    }
    text.push('\n');
    for stage in &stages {
        write_line(&mut text, stage, measured, 1);
    }
    let shown = stages.iter().map(|stage| to_value(stage, measured)).collect::<Vec<_>>();
    Ok(Value::Object(BTreeMap::from([
        ("answer".to_owned(), answer.into_value()),
        ("stages".to_owned(), Value::Array(shown)),
        ("text".to_owned(), Value::String(text)),
    ])))
}

/// What is made of the rows.
struct Answer {
    detail: String,
    rows: Option<usize>,
    took: Duration,
}

impl Answer {
    fn into_value(self) -> Value {
        let mut entries = BTreeMap::from([("detail".to_owned(), Value::from(self.detail))]);
        if let Some(rows) = self.rows {
            entries.insert("rows".to_owned(), (rows as u64).into());
            entries.insert("time_ms".to_owned(), ms_value(self.took));
        }
        Value::Object(entries)
    }
}

impl Question<'_> {
    /// What is made of rows, in words.
    fn how(&self, has_given_up_order: bool) -> String {
        let request = &self.request;
        let how = if self.counts.is_some() {
            "counted by the graph itself, no row is read".to_owned()
        } else if request.is_one_group() {
            "all rows together".to_owned()
        } else if request.is_aggregated() {
            format!("groups, the first {}", self.limit)
        } else {
            let gathering = self.gathering();
            let stops_early = gathering.stops_early || (self.order.is_some() && !has_given_up_order);
            match (stops_early, request.order.is_empty(), gathering.keeps_top) {
                (true, ..) => format!("the first {}, reading stops when they are found", self.limit),
                (false, true, _) => format!("the first {}", self.limit),
                (false, false, true) => format!("the first {} in order, no others are kept", self.limit),
                (false, false, false) => format!("the first {} in order", self.limit),
            }
        };
        if self.position.is_some() { format!("{how}, behind the cursor") } else { how }
    }

    /// How many rows the answer has.
    fn run(&self, context: &mut Context<'_, '_, '_>) -> Result<usize> {
        if self.counts.is_some() {
            return Ok(1);
        }
        let (places, _) = self.gather(context)?;
        context.records.forget(context.budget);
        Ok(page::page(places, self.position.as_ref(), self.limit).entries.len())
    }
}

fn write_line(text: &mut String, stage: &Explained, measured: Option<&[Measured]>, level: usize) {
    let Explained { operator, detail, index, estimate, number, inside } = stage;
    let space = if detail.is_empty() { "" } else { " " };
    // Writing to a text does not fail.
    let _ = write!(text, "{:indent$}{operator}{space}{detail}", "", indent = 2 * level);
    if let Some(index) = index {
        let _ = write!(text, " [{index}]");
    }
    if let Some(estimate) = estimate {
        let _ = write!(text, ", about {}", rounded(*estimate));
    }
    if let Some(Measured { rows, runs, took, read_whole }) = measured.map(|measured| measured[*number]) {
        let _ = write!(text, ", rows {rows}");
        if runs > 1 {
            let _ = write!(text, " in {runs} runs");
        }
        if read_whole > 0 {
            text.push_str(", all links of it read");
        }
        let _ = write!(text, ", {}", shown_ms(took));
    }
    text.push('\n');
    for stage in inside {
        write_line(text, stage, measured, level + 1);
    }
}

fn to_value(stage: &Explained, all_measured: Option<&[Measured]>) -> Value {
    let Explained { operator, detail, index, estimate, number, inside } = stage;
    let mut entries = BTreeMap::from([
        ("operator".to_owned(), Value::from(*operator)),
        ("detail".to_owned(), Value::from(detail.as_str())),
    ]);
    let mut put = |key: &str, value: Value| entries.insert(key.to_owned(), value);
    if let Some(index) = index {
        put("index", index.as_str().into());
    }
    if let Some(estimate) = estimate {
        put("estimated_rows", rounded(*estimate).into());
    }
    if let Some(measured) = all_measured.map(|measured| measured[*number]) {
        put("rows", measured.rows.into());
        put("runs", measured.runs.into());
        if measured.read_whole > 0 {
            put("read_whole", true.into());
        }
        put("time_ms", ms_value(measured.took));
    }
    if !inside.is_empty() {
        put("stages", inside.iter().map(|stage| to_value(stage, all_measured)).collect::<Vec<_>>().into());
    }
    Value::Object(entries)
}

/// Whole rows: nobody expects half of one.
fn rounded(estimate: f64) -> u64 {
    // A cast stops at the ends of what an integer can be.
    estimate.round() as u64
}

/// To the microsecond.
fn ms(time: Duration) -> f64 {
    time.as_micros() as f64 / 1000.0
}

fn ms_value(time: Duration) -> Value {
    Number::from_f64(ms(time)).map(Value::from).unwrap_or_default()
}

fn shown_ms(time: Duration) -> String {
    format!("{:.3} ms", ms(time))
}
