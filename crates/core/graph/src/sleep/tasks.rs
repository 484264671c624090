//! What somebody asked `$system` to do.

use std::cmp::Reverse;

use cairn_base::Value;

use super::report::{Listed, SleepTask};
use crate::{ConceptId, GraphError, Part, RecordView, Result, concept_text};

/// What a task is if it does not say.
const PENDING: &str = "pending";
/// How urgent a task is if it does not say.
const PRIORITY: f64 = 1.0;
/// Characters that are shown of what a task says.
const SHOWN_CHARS_MAX: usize = 400;

/// A task, with its status and how urgent it is.
pub(super) fn read(id: ConceptId, name: &str, record: &RecordView<'_>) -> Result<(String, f64, SleepTask)> {
    let value = |key: &str| record.value(Part::Attributes, &[key]);
    let text = |key: &str| Ok::<_, GraphError>(value(key)?.and_then(|value| value.as_str().map(beginning)));
    let status = text("status")?.unwrap_or_else(|| PENDING.to_owned());
    let priority = match value("priority")? {
        Some(Value::Number(number)) => Some(number),
        _ => None,
    };
    let task = SleepTask {
        id: concept_text(id),
        name: name.to_owned(),
        requested_action: text("requested_action")?,
        target_type: text("target_type")?,
        target_name: text("target_name")?,
        reason: text("reason")?,
        priority: priority.map(|number| number.to_string()),
    };
    Ok((status, priority.map_or(PRIORITY, |number| number.to_f64()), task))
}

fn beginning(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The most urgent tasks, and how many there are.
pub(super) struct Tasks {
    shown_max: usize,
    /// Not more than twice as many as are shown.
    urgent: Vec<(f64, u64, SleepTask)>,
    pending: u64,
    others: u64,
}

impl Tasks {
    pub(super) fn new(shown_max: usize) -> Self {
        Tasks { shown_max, urgent: Vec::new(), pending: 0, others: 0 }
    }

    pub(super) fn add(&mut self, status: &str, priority: f64, task: SleepTask) {
        if status != PENDING {
            self.others += 1;
            return;
        }
        self.pending += 1;
        self.urgent.push((priority, self.pending, task));
        if self.urgent.len() > self.shown_max * 2 {
            self.settle();
        }
    }

    /// The most urgent ones first; those of the same urgency in the order in which they were made.
    fn settle(&mut self) {
        self.urgent.sort_by(|a, b| b.0.total_cmp(&a.0).then(Reverse(b.1).cmp(&Reverse(a.1))));
        self.urgent.truncate(self.shown_max);
    }

    pub(super) fn into_listed(mut self) -> (Listed<SleepTask>, u64) {
        self.settle();
        let shown = self.urgent.into_iter().map(|(_, _, task)| task).collect();
        (Listed { shown, total: self.pending }, self.others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_urgent_come_first_and_all_are_counted() {
        let mut tasks = Tasks::new(3);
        for (at, priority) in [1.0, 5.0, 1.0, 0.5, 9.0, 5.0, 2.0].into_iter().enumerate() {
            tasks.add(
                PENDING,
                priority,
                SleepTask {
                    id: format!("C:{at}"),
                    name: String::new(),
                    requested_action: None,
                    target_type: None,
                    target_name: None,
                    reason: None,
                    priority: None,
                },
            );
        }
        tasks.add(
            "completed",
            99.0,
            SleepTask {
                id: "C:99".to_owned(),
                name: String::new(),
                requested_action: None,
                target_type: None,
                target_name: None,
                reason: None,
                priority: None,
            },
        );
        let (listed, others) = tasks.into_listed();
        let ids: Vec<_> = listed.shown.iter().map(|task| task.id.as_str()).collect();
        assert_eq!((ids, listed.total, others), (vec!["C:4", "C:1", "C:5"], 7, 1));
    }
}
