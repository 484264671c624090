//! What a sleep cycle found.

/// Some of many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed<T> {
    /// The first of them.
    pub shown: Vec<T>,
    /// How many there are.
    pub total: u64,
}

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Listed { shown: Vec::new(), total: 0 }
    }
}

impl<T> Listed<T> {
    /// Counts one more, and keeps it if there is room.
    pub(super) fn add(&mut self, shown_max: usize, make: impl FnOnce() -> T) {
        self.total += 1;
        if self.shown.len() < shown_max {
            self.shown.push(make());
        }
    }
}

/// A concept or a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SleepElement {
    /// Its id, as KIP writes it.
    pub id: String,
    /// Its type, or its predicate.
    pub kind: String,
    /// The name of a concept.
    pub name: Option<String>,
    /// What `metadata.expires_at` says, where that matters.
    pub expires_at: Option<String>,
    /// Why it stays although its time is over.
    pub kept_because: Option<String>,
}

/// Something that somebody asked `$system` to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SleepTask {
    /// The id of the concept.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What to do.
    pub requested_action: Option<String>,
    /// The type of what it is to be done to.
    pub target_type: Option<String>,
    /// The name of that.
    pub target_name: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// How urgent it is, as it was written.
    pub priority: Option<String>,
}

/// Concepts of one type that seem to be the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SleepDuplicates {
    /// Their type.
    pub kind: String,
    /// The name that all of them have, among others, but for how it is written.
    pub same_name: String,
    /// The first of them: ids and names.
    pub concepts: Vec<(String, String)>,
    /// How many there are.
    pub total: u64,
}

/// What a sleep cycle found, and what it did or would do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SleepReport {
    /// The space that it looked at.
    pub space: String,
    /// What time it was, in Unix milliseconds.
    pub at_ms: u64,
    /// Whether anything was to be removed, and not only looked at.
    pub applied: bool,
    /// Concepts that it looked at.
    pub concepts: u64,
    /// Links that it looked at.
    pub links: u64,
    /// Whose time is over, and that go.
    pub expired: Listed<SleepElement>,
    /// Concepts that went or would go.
    pub removed_concepts: u64,
    /// Links that went or would go, those of these concepts included.
    pub removed_links: u64,
    /// Whose time is over, and that stay.
    pub kept: Listed<SleepElement>,
    /// Whose `expires_at` is no time.
    pub unreadable: Listed<SleepElement>,
    /// What is to be done, the most urgent first.
    pub tasks: Listed<SleepTask>,
    /// What was asked for and is not pending any more.
    pub tasks_not_pending: u64,
    /// Concepts that belong to no domain.
    pub without_domain: Listed<SleepElement>,
    /// Concepts that seem to be the same.
    pub duplicates: Listed<SleepDuplicates>,
    /// Names that were not compared, because there are too many.
    pub names_left_out: u64,
}
