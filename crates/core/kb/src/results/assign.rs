//! Cases and the tests that they belong to.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::locate::{Group, Located};
use super::place::{PathEnd, places, plain_path, sources};
use super::word;
use crate::branch::{Branch, NodeKey};
use crate::entity::cut;
use crate::limits::{RESULT_TESTS_MAX, RESULTS_LISTED_MAX};
use crate::model::EntityType;
use crate::tools::{ResultCase, ResultStatus, UnmatchedCase};
use crate::{KbError, Result};

/// Tests that an ambiguous case names.
const CANDIDATES_MAX: usize = 5;

/// Results by test.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Assigned {
    /// The outcome of each test and the number of its cases: failing if one of them fails, passing if one passes.
    pub tests: BTreeMap<NodeKey, (ResultStatus, u64)>,
    /// Cases that belong to at least one test.
    pub matched: u64,
    /// Cases that belong to none, as many as are listed.
    pub unmatched: Vec<UnmatchedCase>,
    /// Number of cases that belong to none.
    pub unmatched_count: u64,
}

/// Finds the tests of a branch that cases belong to. Fails if they are more than one import can change.
pub fn assign_results(branch: &Branch, cases: &[ResultCase]) -> Result<Assigned> {
    let tests = Tests {
        branch,
        located: Located::of(branch, has_one_package(cases)),
        words_max: branch
            .by_type(Some(EntityType::Test))
            .map(|(_, node)| word::count(&node.id))
            .max()
            .unwrap_or(0),
    };
    let mut assigned = Assigned::default();
    // Tests with the same source have the same results, which are counted once.
    let mut groups: BTreeMap<Group, Outcome> = BTreeMap::new();
    for case in cases {
        let one = (case.status, 1);
        match tests.of(case) {
            Ok(Found { groups: located, named }) => {
                assigned.matched += 1;
                located.into_iter().for_each(|group| add(&mut groups, group, one));
                named.into_iter().for_each(|key| add(&mut assigned.tests, key, one));
            }
            Err(candidates) => {
                assigned.unmatched_count += 1;
                if assigned.unmatched.len() < RESULTS_LISTED_MAX {
                    let unmatched = UnmatchedCase { case: shown(case), status: case.status, candidates };
                    assigned.unmatched.push(unmatched);
                }
            }
        }
    }
    for (group, outcome) in groups {
        tests.located.tests(group).iter().for_each(|key| add(&mut assigned.tests, *key, outcome));
    }
    let count = assigned.tests.len();
    if count > RESULT_TESTS_MAX {
        let message = format!(
            "they belong to {count} tests, more than the {RESULT_TESTS_MAX} of one import; import fewer reports at once"
        );
        return Err(KbError::argument("cases", message));
    }
    Ok(assigned)
}

/// An outcome and its number of cases.
type Outcome = (ResultStatus, u64);

fn add<K: Ord>(outcomes: &mut BTreeMap<K, Outcome>, key: K, (status, count): Outcome) {
    let (known, counted) = outcomes.entry(key).or_insert((status, 0));
    *known = both(*known, status);
    *counted += count;
}

/// The outcome of a test with two cases.
fn both(one: ResultStatus, other: ResultStatus) -> ResultStatus {
    use ResultStatus::{Failing, Passing, Skipped};
    match (one, other) {
        (Failing, _) | (_, Failing) => Failing,
        (Passing, _) | (_, Passing) => Passing,
        (Skipped, Skipped) => Skipped,
    }
}

struct Tests<'a> {
    branch: &'a Branch,
    located: Located,
    /// Words of the longest id.
    words_max: usize,
}

/// Tests that a case belongs to.
struct Found {
    /// By their source.
    groups: BTreeSet<Group>,
    /// By their id, and not by their source.
    named: BTreeSet<NodeKey>,
}

impl Tests<'_> {
    /// The tests that a case belongs to, at least one; else those in several files that it may belong to.
    fn of(&self, case: &ResultCase) -> std::result::Result<Found, Vec<String>> {
        let mut named = self.named(case);
        let mut groups: BTreeSet<Group> =
            sources(case).iter().filter_map(|source| self.located.with_source(source)).collect();
        let mut near = BTreeSet::new();
        if groups.is_empty() {
            for place in places(case) {
                // An absolute path is that of another machine.
                if !matches!(&place.path, PathEnd::File(file) if file.starts_with('/')) {
                    self.located.at(&place, &mut near);
                }
            }
            let files: BTreeSet<&String> = near.iter().map(|(path, _)| path).collect();
            if files.len() == 1 {
                groups.extend(near.iter().map(|(_, group)| *group));
            }
        }
        named.retain(|key| self.located.group_of(*key).is_none_or(|group| !groups.contains(&group)));
        if !groups.is_empty() || !named.is_empty() {
            return Ok(Found { groups, named });
        }
        let tests = near.iter().flat_map(|(_, group)| self.located.tests(*group));
        let nodes = tests.filter_map(|key| self.branch.node(*key));
        Err(nodes.take(CANDIDATES_MAX).map(|node| node.id.to_string()).collect())
    }

    /// Tests whose id stands in the name or in a property.
    fn named(&self, case: &ResultCase) -> BTreeSet<NodeKey> {
        let properties = case.properties.iter().flat_map(|property| [&property.name, &property.value]);
        let texts = std::iter::once(&case.name).chain(properties);
        let ids = texts.flat_map(|text| word::pieces(text, self.words_max));
        let found = ids.filter_map(|id| self.branch.find(id));
        found.filter(|(_, node)| node.kind == EntityType::Test).map(|(key, _)| key).collect()
    }
}

/// Whether all Rust binaries of a run are of one package.
fn has_one_package(cases: &[ResultCase]) -> bool {
    let classes = cases.iter().filter_map(|case| case.class.as_deref());
    let packages = classes.filter(|class| !class.contains(['.', ' ']));
    let packages: HashSet<&str> = packages.filter_map(|class| class.split("::").next()).collect();
    packages.len() == 1
}

/// A case as a source would name it.
fn shown(case: &ResultCase) -> String {
    let before = [&case.file, &case.class, &case.suite].into_iter().flatten().find(|text| !text.is_empty());
    match before {
        Some(before) => format!("{}::{}", cut(&plain_path(before)), cut(&case.name)),
        None => cut(&case.name).to_owned(),
    }
}
