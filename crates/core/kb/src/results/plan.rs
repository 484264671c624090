//! Storing results: which tests change, and how.

use cairn_base::{from_iso, to_iso_utc};
use cairn_graph::{ConceptId, ConceptWrite, Element, Map, Part, Target, Writer};

use super::assign::{Assigned, both};
use crate::branch::{Change, NodeKey};
use crate::entity::Entity;
use crate::limits::{
    ENTITY_TEXT_BYTES_MAX, RESULT_CASES_MAX, RESULT_PROPERTIES_MAX, RESULT_TEXT_BYTES_MAX, RESULTS_LISTED_MAX,
};
use crate::tools::{OlderResult, ResultStatus, ResultsInput, UpdatedTest};
use crate::{KbError, Result};

/// Longest time by which the clock of a test machine may be ahead.
const AHEAD_MS_MAX: i64 = 24 * 60 * 60 * 1_000;

/// Whether a time of results is later than any clock may be ahead. Without a clock, at 0, none is.
pub(crate) fn is_too_late(at_ms: i64, now_ms: u64) -> bool {
    now_ms > 0 && at_ms > i64::try_from(now_ms).unwrap_or(i64::MAX).saturating_add(AHEAD_MS_MAX)
}

/// Fields that results set, beside the status.
pub(crate) const RESULT_FIELDS: [&str; 3] = [RUN, COMMIT, AT];
const RUN: &str = "result_run";
const COMMIT: &str = "result_commit";
const AT: &str = "result_at";

/// Changes of an import.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ResultsPlan {
    /// Tests that change, ordered by id.
    pub changes: Vec<ResultChange>,
    /// Tests that change, as many as are listed.
    pub updated: Vec<UpdatedTest>,
    /// Tests that have later results, as many as are listed.
    pub older: Vec<OlderResult>,
    /// Number of tests that have later results.
    pub older_count: u64,
}

/// A test that changes.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultChange {
    /// Its number.
    pub key: NodeKey,
    /// The test as it will be.
    pub entity: Entity,
    /// Attributes that it does not have yet, or with other values.
    pub changed: Map,
    /// Attributes that it has and will not have.
    pub removed: Vec<String>,
}

/// Checks an input against the limits, and returns the time of its results in ISO 8601.
pub fn check_results(input: &ResultsInput, now_ms: u64) -> Result<String> {
    let count = input.cases.len();
    if count > RESULT_CASES_MAX {
        let message = format!(
            "{count} cases are more than the {RESULT_CASES_MAX} allowed; import fewer reports at once"
        );
        return Err(KbError::argument("cases", message));
    }
    for (name, text) in [("run", &input.run), ("commit", &input.commit)] {
        if text.as_ref().is_some_and(|text| text.len() > ENTITY_TEXT_BYTES_MAX) {
            return Err(KbError::argument(
                name,
                format!("it has more than the {ENTITY_TEXT_BYTES_MAX} bytes allowed"),
            ));
        }
    }
    for (index, case) in input.cases.iter().enumerate() {
        let texts = [Some(&case.name), case.class.as_ref(), case.suite.as_ref(), case.file.as_ref()];
        let properties = case.properties.iter().flat_map(|property| [&property.name, &property.value]);
        let longest = texts.into_iter().flatten().chain(properties).map(String::len).max().unwrap_or(0);
        if longest > RESULT_TEXT_BYTES_MAX {
            let message = format!(
                "a text of the case at index {index} has more than the {RESULT_TEXT_BYTES_MAX} bytes allowed"
            );
            return Err(KbError::argument("cases", message));
        }
        if case.properties.len() > RESULT_PROPERTIES_MAX {
            let message = format!(
                "the case at index {index} has more than the {RESULT_PROPERTIES_MAX} properties allowed"
            );
            return Err(KbError::argument("cases", message));
        }
    }
    let Some(at) = &input.at else { return Ok(to_iso_utc(now_ms)) };
    let Some(at_ms) = from_iso(at) else {
        let shown: String = at.chars().take(80).collect();
        return Err(KbError::argument(
            "at",
            format!("{shown:?} is no time; use ISO 8601, like 2026-05-01T10:00:00Z"),
        ));
    };
    if is_too_late(at_ms, now_ms) {
        let message = format!("{at} is more than a day ahead of the clock of this node; check the clocks");
        return Err(KbError::argument("at", message));
    }
    Ok(at.clone())
}

/// Plans the changes of tests, given as they are stored, ordered by id. `at` is the time of the results.
pub fn plan_results(
    assigned: &Assigned,
    tests: Vec<(NodeKey, Entity)>,
    input: &ResultsInput,
    at: &str,
) -> ResultsPlan {
    let mut plan = ResultsPlan::default();
    for (key, entity) in tests {
        let Some((status, cases)) = assigned.tests.get(&key) else { continue };
        let part = part_of_run(&entity, input, *status, at);
        if part.is_none() && from_iso(entity.text(AT)) > from_iso(at) {
            plan.older_count += 1;
            if plan.older.len() < RESULTS_LISTED_MAX {
                let result_at = entity.text(AT).to_owned();
                plan.older.push(OlderResult { id: entity.id, result_at });
            }
            continue;
        }
        let (id, from) = (entity.id.clone(), entity.text("status").to_owned());
        let part = part.unwrap_or_else(|| Results { status: *status, commit: None, at: at.to_owned() });
        let to = part.status;
        let Some(change) = change(key, entity, input, part) else { continue };
        if plan.updated.len() < RESULTS_LISTED_MAX {
            plan.updated.push(UpdatedTest { id, from, to, cases: *cases });
        }
        plan.changes.push(change);
    }
    plan
}

/// Results of a test.
struct Results {
    status: ResultStatus,
    /// The commit that is stored, if it stays.
    commit: Option<String>,
    at: String,
}

/// Results that are combined with those stored before; `None` if these are of another run.
fn part_of_run(entity: &Entity, input: &ResultsInput, status: ResultStatus, at: &str) -> Option<Results> {
    input.run.as_deref().filter(|run| !run.is_empty() && *run == entity.text(RUN))?;
    let stored = ResultStatus::parse(entity.text("status"))?;
    let stored_at = entity.text(AT);
    let at = if from_iso(stored_at) > from_iso(at) { stored_at } else { at };
    let commit = Some(entity.text(COMMIT).to_owned());
    Some(Results { status: both(stored, status), commit, at: at.to_owned() })
}

/// The change of one test; `None` if it has these results already.
fn change(key: NodeKey, mut entity: Entity, input: &ResultsInput, results: Results) -> Option<ResultChange> {
    let of_run = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let fields = [
        ("status", Some(results.status.text().to_owned())),
        (RUN, of_run(&input.run)),
        (COMMIT, of_run(&input.commit).or_else(|| of_run(&results.commit))),
        (AT, Some(results.at)),
    ];
    let (mut changed, mut removed) = (Map::new(), Vec::new());
    for (name, text) in fields {
        match text {
            Some(text) if entity.text(name) != text => {
                changed.insert(name.to_owned(), text.clone().into());
                entity.attributes.insert(name.to_owned(), text.into());
            }
            None if entity.attributes.remove(name).is_some() => removed.push(name.to_owned()),
            Some(_) | None => {}
        }
    }
    let is_changed = !changed.is_empty() || !removed.is_empty();
    is_changed.then_some(ResultChange { key, entity, changed, removed })
}

impl ResultsPlan {
    /// The changes of the branch.
    pub fn changes(&self) -> Vec<Change> {
        self.changes.iter().map(|change| Change::Put(change.key, Box::new(change.entity.node()))).collect()
    }
}

/// Stores results.
pub fn store_results(writer: &mut Writer<'_>, plan: &ResultsPlan) -> Result<()> {
    for ResultChange { key, changed, removed, .. } in &plan.changes {
        let id = ConceptId(key.0);
        if !removed.is_empty() {
            writer.remove_keys(Element::Concept(id), Part::Attributes, removed)?;
        }
        writer.upsert_concept(ConceptWrite {
            target: Target::Id(id),
            expect_version: None,
            attributes: changed.clone(),
            metadata: Map::new(),
        })?;
    }
    Ok(())
}
